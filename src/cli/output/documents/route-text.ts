import { escapeInvisible } from '../../../core/model/names.ts';
import { wrapWords } from '../../../core/plan/render/wrap.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import {
  shownEnd,
  shownHops,
  type TakenBy,
  type RouteDocument,
  type RouteFindings,
  type ShownHop,
  type TracedHop,
  type TriedDocument,
} from './route-document.ts';

const WIDTH = 80;

/**
 * Renders where the mail ends, the match at each hop, and the notes. Each hop is indented below the one before.
 * `columns` is the width for sentences.
 */
export function renderRoute(
  { mail, notes }: RouteDocument,
  findings: RouteFindings,
  columns: number,
): string {
  const { hops, readings } = findings;
  const sentence = (indent: string, text: string): readonly string[] => {
    const further = `${indent}    `;
    const parts = wrapWords(text, { used: indent.length, indent: further.length, columns });
    return parts.map((part, index) => `${index === 0 ? indent : further}${part}`);
  };
  const others = readings === null ? [] : otherReadings(hops, readings);
  const lines = [
    ...sentence('', `${mail.to} ${endText(hops, findings)}`),
    ...wayLines(hops, findings, '  '),
    ...others.flatMap(({ engine, way }) => [
      ...sentence(
        '  ',
        `if ${engine === 'rules' ? 'rules decide' : 'aliases decide'}: ${endText(way, findings)}`,
      ),
      ...wayLines(way, findings, '    '),
    ]),
    ...notes.flatMap((note) => sentence('  ', `note: ${note}`)),
  ];
  return `${lines.map(escapeInvisible).join('\n')}\n`;
}

/** Returns the readings that differ from the way already shown. */
function otherReadings(
  hops: readonly TracedHop[],
  readings: NonNullable<RouteFindings['readings']>,
): readonly { readonly engine: string; readonly way: readonly TracedHop[] }[] {
  const shown = wayOf(hops);
  return Object.entries(readings)
    .map(([engine, way]) => ({ engine, way }))
    .filter(({ way }) => wayOf(way) !== shown);
}

/** Returns a key of a way, without the entries that were tried. */
function wayOf(hops: readonly TracedHop[]): string {
  return JSON.stringify(hops.map(({ tried: _, ...hop }) => hop));
}

/** Text for an unknown destination, by source. For an account, only the fallback of its rules is unknown. */
const UNKNOWN: Readonly<Record<RouteFindings['basis'], string>> = {
  manifest: 'only the account knows where it goes',
  account: 'goes to a fallback address that the API does not show',
};

/** Explains why the destination of a message is not known. */
function unknownText({ basis, doubts }: RouteFindings): string {
  const isUndecided = doubts.some((doubt) => 'choices' in doubt);
  return isUndecided ? 'several entries match it, and the service may use any of them' : UNKNOWN[basis];
}

function endText(hops: readonly TracedHop[], findings: RouteFindings): string {
  const { outcome, forward } = shownEnd(hops, findings.disclosure);
  switch (outcome) {
    case 'delivered': {
      const isPartial = hops.some(({ kind }) => kind === 'unknown');
      return `-> ${forward.join(', ')}${isPartial ? `; a part of it: ${unknownText(findings)}` : ''}`;
    }
    case 'discarded':
    case 'refused':
      return outcome;
    case 'loop':
      return 'is never delivered: it loops';
    case 'unknown':
      return unknownText(findings);
  }
}

/** Renders the hops. The destinations of a single hop are already in the first line. */
function wayLines(hops: readonly TracedHop[], findings: RouteFindings, indent: string): readonly string[] {
  const { basis, disclosure } = findings;
  const shown = shownHops(hops, disclosure);
  const isChain = shown.some(({ depth, kind }) => depth > 0 && kind !== 'delivered' && kind !== 'discarded');
  return (isChain ? shown : shown.slice(0, 1)).flatMap((hop) => {
    const own = `${indent}${'   '.repeat(Math.max(0, hop.depth - 1))}`;
    const below = hop.depth === 0 ? own : `${own}   `;
    return [
      ...(hop.depth === 0
        ? []
        : [
            `${own}-> ${hop.address}${hop.kind === 'unknown' ? ` (${unknownText(findings)})` : LEAF_NOTES[hop.kind]}`,
          ]),
      ...decisionLines(hop, basis).map((line) => `${below}${line}`),
      ...triedLine(hop, below.length).map((line) => `${below}${line}`),
    ];
  });
}

const LEAF_NOTES: Readonly<Record<TracedHop['kind'], string>> = {
  routed: '',
  delivered: '',
  discarded: '',
  loop: ' (a loop: already visited)',
  reached: ' (see above)',
  unknown: '',
};

function decisionLines(hop: ShownHop, basis: RouteFindings['basis']): readonly string[] {
  if (hop.kind !== 'routed') return [];
  return [hop.by === null ? `nothing in the ${basis} matches it` : describe(hop, hop.by)];
}

const MEANS: Readonly<Record<TakenBy['by'], string>> = {
  name: 'by its name',
  'plus-address': 'by its name, ignoring the label',
  regex: 'by its regular expression',
  'catch-all': 'as the catch-all: no other alias matched',
  alias: 'by the alias it names',
  cel: 'by its expression',
  'no-rule': '',
};

function describe({ source, via }: ShownHop, { kind, name, id, by }: TakenBy): string {
  if (kind === 'fallback') return 'no rule matches it: it goes to the fallback address of the domain';
  const where = source !== null ? showSource(source) : id === null ? null : `id ${id}`;
  const origin = via === undefined ? where : `${where}, used at ${showSource(via)}`;
  const entry = name === null ? (kind === 'alias' ? 'an alias' : kind) : `${kind} ${name}`;
  return `${entry} matches it ${MEANS[by]}${origin === null ? '' : ` (${origin})`}`;
}

/** Names as many tried entries as one line holds, and counts the others. */
function triedLine({ tried, by, kind }: ShownHop, indent: number): readonly string[] {
  if (tried.length === 0 || kind !== 'routed') return [];
  const names = tried.map(triedText);
  let line = `${by === null ? 'tried' : 'tried before'}: ${names[0]}`;
  let shown = 1;
  for (const name of names.slice(1)) {
    const more = shown + 1 === names.length ? 0 : ', and 999 more'.length;
    if (indent + line.length + ', '.length + name.length + more > WIDTH) break;
    line += `, ${name}`;
    shown += 1;
  }
  const rest = names.length - shown;
  return [rest === 0 ? line : `${line}, and ${rest} more`];
}

function triedText({ kind, name, id, outcome }: TriedDocument): string {
  const entry = `${kind} ${name ?? id ?? ''}`;
  return outcome === 'inactive' ? `${entry} (inactive)` : outcome === 'absent' ? `${entry} (none)` : entry;
}
