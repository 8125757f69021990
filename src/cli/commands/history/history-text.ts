import { plural } from '../../../core/model/names.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import { describeHistoryItem, type HistoryItemDocument } from '../../../core/plan/document/history-item.ts';
import { printable } from '../../../core/plan/document/printable.ts';
import {
  accountLine,
  renderDomainDiff,
  SYMBOLS,
  type DiffOptions,
  type DiffRow,
} from '../../../core/plan/render/render-text.ts';
import { wrap } from '../../../core/plan/render/wrap.ts';
import type {
  BlameDocument,
  BlameEntryDocument,
  DriftDocument,
  HistoryDocument,
  ItemDocument,
  RunDocument,
  TakenOverDocument,
} from './history-document.ts';

export type TextOptions = Pick<DiffOptions, 'style' | 'columns'>;

/** Returns the account of an entry; nothing if all entries are of one account. */
type AccountNaming = (entry: { readonly account: string }) => readonly string[];

function accountNaming(entries: readonly { readonly account: string }[]): AccountNaming {
  const ofSeveral = new Set(entries.map(({ account }) => account)).size > 1;
  return ({ account }) => (ofSeveral ? [account] : []);
}

interface NamingOptions extends TextOptions {
  readonly naming: AccountNaming;
}

/**
 * Renders one line per run, newest first, and changes made outside fwdsync. Names the account if there are several.
 */
export function historyText(found: Omit<HistoryDocument, 'kind'>, options: TextOptions): string {
  const { runs, drift } = printable(found);
  if (runs.length + drift.length === 0) return 'Nothing is recorded.\n';
  const naming = accountNaming([...runs, ...drift]);
  const rows = runs.map((run) => [
    run.id,
    showTime(run.startedAt),
    ...naming(run),
    run.command,
    run.outcome ?? 'not finished',
    run.summary === null ? '' : countsOf(run.summary),
    personOf(run),
    commitOf(run),
  ]);
  return [...table(rows, options), ...driftLines(drift, { ...options, naming })]
    .map((line) => `${line}\n`)
    .join('');
}

/** One line of a run's diff. Of a run with half a million items, only these lines are kept in memory. */
export interface ItemRow extends DiffRow {
  readonly domain: string;
}

export function itemRow(document: ItemDocument): ItemRow {
  const item = printable(document);
  const { action, kind, domain, name } = item;
  return { action, kind, domain, name, text: describeHistoryItem(item), note: noteOf(item) };
}

/** Renders one run in blocks: its author, time and result, and its diff as in a plan. */
export function* runText(
  document: Omit<RunDocument, 'items'>,
  rows: readonly ItemRow[],
  options: TextOptions,
): Generator<string> {
  yield blockOf(runHead(printable(document), options));
  for (const [domain, own] of Map.groupBy(rows, (row) => row.domain))
    yield `\n${blockOf(renderDomainDiff(domain, own, { ...options, state: '' }))}`;
}

function blockOf(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function runHead(run: Omit<RunDocument, 'items'>, { style, columns }: TextOptions): readonly string[] {
  const facts = [
    ['account', accountLine({ api: { ...run.api, account: run.account } })],
    ['when', `${showTime(run.startedAt)}${run.finishedAt === null ? '' : ` to ${showTime(run.finishedAt)}`}`],
    ['by', `${personOf(run)} on ${run.host}`],
    ...(run.actor?.url ? [['job', run.actor.url] as const] : []),
    ...(run.commit === null ? [] : [['commit', `${commitOf(run)} ${run.commit.author}`] as const]),
    ...(run.undoes === null ? [] : [['undoes', run.undoes] as const]),
    ['plan', run.plan],
  ] as const;
  const heading = style.strong(`run ${run.id}: ${run.command}, ${run.outcome ?? 'not finished'}`);
  const lines = facts.flatMap(([name, value]) =>
    fit(value, { head: `  ${name.padEnd(8)}`, indent: 10, columns }),
  );
  return [heading, ...lines];
}

/** Renders the history of an address. The change that set its current state comes first. */
export function blameText(document: BlameDocument, options: TextOptions): string {
  const { address, entries, drift, takenOver } = printable(document);
  if (entries.length + drift.length + takenOver.length === 0) return `Nothing is recorded of ${address}.\n`;
  const how = { ...options, naming: accountNaming([...entries, ...drift, ...takenOver]) };
  const lines = entries.flatMap((entry) => blameLines(entry, how));
  const over = takenOver.flatMap((entry) => takenOverLines(entry, how));
  return [...driftLines(drift, how), ...lines, ...over].map((line) => `${line}\n`).join('');
}

function blameLines(entry: BlameEntryDocument, options: NamingOptions): readonly string[] {
  const { style, columns, naming } = options;
  const { at, run, source, outcome } = entry;
  const known = outcome === 'done' ? '' : '(the result is not known)';
  const head = [showTime(at), ...naming(entry), `run ${run}`, personOf(entry), commitOf(entry), known];
  const place = source === null ? [] : [`    ${showSource(source)}`];
  return [
    ...fit(head.filter((part) => part !== '').join('  '), { columns }).map(style.strong),
    ...changeLines(entry, [], options),
    ...place,
  ];
}

function takenOverLines(entry: TakenOverDocument, { columns, naming }: NamingOptions): readonly string[] {
  const how = `taken over on ${entry.at.slice(0, 10)} by export, as it was`;
  return fit([showTime(entry.at), ...naming(entry), personOf(entry), how].join('  '), { columns });
}

function driftLines(drift: readonly DriftDocument[], options: NamingOptions): readonly string[] {
  const { style, columns, naming } = options;
  return drift.flatMap((item) => {
    const { seenAt, endedAt, correctedBy } = item;
    const by = correctedBy === null ? '' : ` by run ${correctedBy}`;
    const end = endedAt === null ? 'not corrected' : `until ${showTime(endedAt)}, corrected${by}`;
    const head = `changed outside fwdsync, seen ${showTime(seenAt)}, ${end}`;
    return [
      ...fit(head, { columns }).map(style.warning),
      ...changeLines(item, [...naming(item), item.domain], options),
    ];
  });
}

/** Returns the lines of a change, after its place. */
function changeLines(
  item: HistoryItemDocument,
  where: readonly string[],
  { style, columns }: TextOptions,
): readonly string[] {
  const paint = { add: style.add, update: style.update, delete: style.remove, move: style.move }[item.action];
  const name = item.kind === 'domain' ? '' : ` ${item.name}`;
  const change = `${SYMBOLS[item.action]} ${item.kind}${name}`;
  const text = [...where, change, describeHistoryItem(item)].join('  ').trimEnd();
  return fit(text, { head: '    ', indent: 6, columns }).map(paint);
}

/** Returns a text after a head, on as many lines as it needs. */
function fit(
  text: string,
  { head = '', indent = 4, columns }: { head?: string; indent?: number; columns: number },
): readonly string[] {
  const lines = wrap(text, { used: head.length, indent, columns });
  return lines.map((line, index) => `${index === 0 ? head : ' '.repeat(indent)}${line}`.trimEnd());
}

/** Returns a note if the item was not done, or was deleted with its domain. */
function noteOf({ outcome, message, via }: ItemDocument): string {
  const said = message === null ? '' : `: ${message}`;
  if (outcome === null) return 'result not known';
  if (outcome !== 'done') return `${outcome.replace('-', ' ')}${said}`;
  return via === null ? '' : 'with its domain';
}

function countsOf(summary: NonNullable<RunDocument['summary']>): string {
  const parts = [
    [SYMBOLS.add, summary.added],
    [SYMBOLS.update, summary.updated],
    [SYMBOLS.move, summary.moved],
    [SYMBOLS.delete, summary.deleted],
  ] as const;
  const told = parts.flatMap(([symbol, count]) => (count === 0 ? [] : [`${symbol}${count}`]));
  return [...told, ...(summary.failed > 0 ? [plural(summary.failed, 'failure')] : [])].join(' ');
}

/** Returns the person who started the job, or else the logged-in user. */
function personOf({ actor, user }: Pick<BlameEntryDocument, 'actor' | 'user'>): string {
  if (actor !== null) return `${actor.name} (${actor.ci})`;
  return user ?? 'unknown user';
}

function commitOf({ commit }: Pick<RunDocument, 'commit'>): string {
  return commit === null ? '' : `${commit.sha.slice(0, 10)}${commit.dirty ? ' (dirty)' : ''}`;
}

/** Formats a time in UTC, to the second. */
function showTime(at: string): string {
  return at.replace(/\.\d+Z$/, 'Z');
}

/** Renders a table with columns as wide as their widest cell. Columns that do not fit go on a line below. */
function table(rows: readonly (readonly string[])[], { style, columns }: TextOptions): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  const ends = widths.map((_, column) =>
    widths.slice(0, column + 1).reduce((sum, width) => sum + width + 2, -2),
  );
  const fitting = ends.filter((end) => end <= columns).length;
  return rows.flatMap((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const [id = '', ...rest] = cells.slice(0, Math.max(1, fitting));
    const below = cells.slice(Math.max(1, fitting)).join('  ').trimEnd();
    const first = `${style.strong(id)}  ${rest.join('  ')}`.trimEnd();
    return below === '' ? [first] : [first, ...fit(below.trimStart(), { head: '    ', columns })];
  });
}
