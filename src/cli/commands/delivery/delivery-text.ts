import { isHealthy, type DeliveryDocument, type RowDocument } from '../../../service/delivery/document.ts';
import { FATES } from '../../../service/delivery/fates.ts';
import { escapeInvisible, plural } from '../../../core/model/names.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import type { Style } from '../../../core/plan/render/style.ts';
import { wrapSentence, wrapWords } from '../../../core/plan/render/wrap.ts';

/** Renders deliveries, worst first, and counts the healthy ones. `columns` is the width for sentences. */
export function renderDelivery(document: DeliveryDocument, style: Style, columns: number): string {
  const rows = document.rows.filter((row) => !isHealthy(row));
  const lines = [
    ...rows.flatMap((row) => rowLines(row, style, columns)),
    ...(rows.length === 0 ? [] : ['']),
    ...summaryLines(document).flatMap((line) => wrapSentence(line, columns)),
    ...document.notices.flatMap((notice) => wrapSentence(`notice: ${escapeInvisible(notice)}`, columns)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function rowLines(row: RowDocument, style: Style, columns: number): readonly string[] {
  const { lastError, source, failing, senders } = row;
  const counts = FATES.toReversed()
    .filter((fate) => row[fate] > 0)
    .map((fate) => `${row[fate]} ${fate}`);
  const mark = failing ? style.error('FAILING') : style.warning('failed ');
  const where = source === null ? 'not in the manifest' : escapeInvisible(showSource(source));
  const error = lastError === null ? [] : [lastError.at, lastError.code, lastError.message];
  const words = error.filter((part) => part !== null && part !== '').join(' ');
  const below = { used: INDENT.length, indent: INDENT.length, columns };
  return [
    `${mark}  ${style.strong(escapeInvisible(pathOf(row)))}  ${counts.join(', ')}`,
    `${INDENT}${where}`,
    ...wrapWords(words, below).map((line) => `${INDENT}${style.dim(line)}`),
    ...(senders.length === 0 ? [] : wrapWords(`from ${senders.join(', ')}`, below)).map(
      (line) => `${INDENT}${style.dim(line)}`,
    ),
  ];
}

const INDENT = ' '.repeat(9);

function pathOf({ domain, alias, rule, destination, refused }: RowDocument): string {
  const from = alias !== null ? `${alias}@${domain}` : rule === null ? domain : `${domain} rule ${rule}`;
  if (destination !== null) return `${from} -> ${destination}`;
  return refused > 0 ? `${from} -> refused` : from;
}

function unknownText(count: number): string {
  return count === 1
    ? '1 message to an unknown address was refused.'
    : `${count} messages to unknown addresses were refused.`;
}

function summaryLines({ summary, domains, since }: DeliveryDocument): readonly string[] {
  const { failing, healthy } = summary;
  const counts = FATES.map((fate) => `${summary[fate]} ${fate}`).join(', ');
  const unknown = domains.reduce((sum, domain) => sum + domain.unknownNames, 0);
  const open = domains.reduce((sum, domain) => sum + domain.open, 0);
  return [
    `${failing} failing, ${healthy} healthy, in ${plural(domains.length, 'domain')} since ${since}.`,
    `${counts}${open === 0 ? '' : `; ${open} not delivered yet`}.`,
    ...(unknown === 0 ? [] : [unknownText(unknown)]),
    ...domains
      .filter(({ failure }) => failure !== null)
      .map(({ domain, failure }) => `${domain}: ${escapeInvisible(failure ?? '')}`),
  ];
}
