import type { WhoEntry } from '../../../core/manifest/who/who.ts';
import type { Disclosure } from '../../../core/model/destinations.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import { escapeInvisible } from '../../../core/model/names.ts';
import type { Style } from '../../../core/plan/render/style.ts';
import { wrapSentence, wrapWords } from '../../../core/plan/render/wrap.ts';
import { entryTitle, shownVia, type WhoAnswer, type WhoDocument } from './who-document.ts';

interface WhoLook {
  readonly style: Style;
  /** Width that sentences keep to. */
  readonly columns: number;
  /** The command that changes the destination everywhere; null means that there is none. */
  readonly next: string | null;
}

/** Renders how many entries there are, then each with its places. */
export function renderWho(document: WhoDocument, answer: WhoAnswer, look: WhoLook): string {
  const { columns, next, style } = look;
  const { notes, unread } = document;
  const lines = [
    ...wrapSentence(whoHeadline(document), columns),
    ...(answer.entries.length === 0 ? [] : ['']),
    ...answer.entries.flatMap((entry) => entryLines(entry, answer, look)),
    ...(answer.entries.length === 0 || next === null ? [] : ['']),
    ...notes.flatMap((note) => wrapSentence(`note: ${note}`, columns)),
    ...unread.flatMap(({ domain, reason }) =>
      wrapSentence(`${style.error('not read')}: ${domain}: ${reason}`, columns),
    ),
    ...(answer.entries.length === 0 || next === null ? [] : [`Replace it: ${next}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns how many entries send mail to the destination. */
export function whoHeadline({ destination, entries, basis }: WhoDocument): string {
  const shown = escapeInvisible(destination);
  if (entries.length === 0) return `Nothing in the ${basis} sends mail to ${shown}.`;
  const only = entries.filter((entry) => entry.only).length;
  const count = entries.length === 1 ? '1 entry sends' : `${entries.length} entries send`;
  return `${count} mail to ${shown}; ${onlyText(only, entries.length)}.`;
}

function onlyText(only: number, all: number): string {
  if (only === 0) return all === 1 ? 'it has other destinations too' : 'each has other destinations too';
  if (only === all) return all === 1 ? 'it has no other destination' : 'none has another destination';
  return only === 1 ? '1 of them has no other destination' : `${only} of them have no other destination`;
}

function entryLines(
  entry: WhoEntry,
  { disclosure }: Pick<WhoAnswer, 'disclosure'>,
  { style, columns }: WhoLook,
): readonly string[] {
  const title = escapeInvisible(entryTitle(entry));
  const places = entry.sources.map(showSource);
  const below = [escapeInvisible(whoFacts(entry, disclosure)), escapeInvisible(places.join(', '))];
  return [
    style.strong(title),
    ...below
      .filter((line) => line !== '')
      .flatMap((line) => wrapWords(line, { used: INDENT.length, indent: INDENT.length, columns }))
      .map((line) => `${INDENT}${line}`),
  ];
}

/** Returns facts about an entry, in a few words. */
export function whoFacts(entry: WhoEntry, disclosure: Disclosure): string {
  const via = shownVia(entry, disclosure).map(({ kind, name }) =>
    kind === 'template' ? `template ${name}` : name,
  );
  return [
    ...(entry.only ? ['no other destination'] : []),
    ...(entry.possible ? ['for some mail only'] : []),
    ...(via.length === 0 ? [] : [`through ${via.join(', ')}`]),
  ].join('; ');
}

const INDENT = '    ';
