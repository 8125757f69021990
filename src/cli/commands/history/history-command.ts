import type { CommandLine } from '../../../core/model/text/command-line.ts';
import type { Disclosure } from '../../../core/model/destinations.ts';
import type { DomainName } from '../../../core/model/names.ts';
import {
  readDrift,
  readItems,
  readRuns,
  readRunsWithItems,
  type RecordedItem,
  type RunWithItems,
} from '../../../engine/state/history/recorded.ts';
import { mergeNewestFirst } from '../../../engine/state/history/merge.ts';
import type { HistoryStore } from '../../../engine/state/store.ts';
import type { Context } from '../../context.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import { EXIT, usageError } from '../../exit.ts';
import { parseDuration, requireDomain } from '../../input/arguments.ts';
import { commandLine } from '../../output/command-lines.ts';
import { columnsOf, printPieces } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';
import {
  driftDocument,
  itemDocument,
  runDocument,
  type DriftDocument,
  type FoundRun,
  type RunDocument,
} from './history-document.ts';
import { historyText, itemRow, runText, type ItemRow, type TextOptions } from './history-text.ts';
import { openRecorded, type OpenedHistory } from './open-history.ts';

export interface HistoryOptions {
  readonly since?: string;
}

/**
 * Prints the runs that wrote, and changes made outside fwdsync; for one run its diff. Works offline and without a
 * key.
 */
export async function historyCommand(
  context: Context,
  { settings, options, args: [id] }: CommandCall<HistoryOptions>,
): Promise<CommandResult> {
  const { stdout, color, format, mask } = context;
  const { domains } = settings.manifest;
  const query: Query = {
    since: sinceOf(context, options),
    now: context.clock.now(),
    domains: domains?.map((name) => requireDomain(name, '--domain')) ?? null,
    run: id,
    // A list for people only counts the items.
    items: format === 'json' || id !== undefined || domains !== null ? 'read' : 'left-out',
  };
  const opened = await openRecorded(context, settings);
  const command = commandLine(context);
  const how = { style: styleFor(stdout, color), columns: columnsOf(stdout) };
  if (format === 'json') {
    const all = runDocuments(opened, query, mask);
    const runs = id === undefined ? all : recorded(all, id, command);
    const drift = id === undefined ? driftDocuments(opened, query, mask) : [];
    return { exit: EXIT.done, lists: { kind: 'fwdsync/history@1', lists: { runs, drift } } };
  }
  if (id !== undefined) {
    await printPieces(context, recorded(runTexts(opened, query, { mask, how }), id, command));
    return { exit: EXIT.done };
  }
  const runs = await Array.fromAsync(runDocuments(opened, query, mask));
  const drift = await Array.fromAsync(driftDocuments(opened, query, mask));
  return { exit: EXIT.done, text: historyText({ runs, drift }, how) };
}

/** Yields the records of a run, from each account that has it. */
async function* recorded<T>(found: AsyncIterable<T>, id: string, command: CommandLine): AsyncGenerator<T> {
  let isRecorded = false;
  for await (const part of found) {
    isRecorded = true;
    yield part;
  }
  if (isRecorded) return;
  throw usageError(
    `no run ${id} is recorded`,
    `\`${command('history')}\` lists the runs; name its state with --state-dir`,
  );
}

function sinceOf({ clock }: Context, { since }: HistoryOptions): string | undefined {
  if (since === undefined) return undefined;
  return new Date(clock.now() - parseDuration('--since', since)).toISOString();
}

interface Query {
  readonly since: string | undefined;
  /** null means all. */
  readonly domains: readonly DomainName[] | null;
  readonly run: string | undefined;
  readonly items: 'read' | 'left-out';
  /** Epoch milliseconds. */
  readonly now: number;
}

async function* runDocuments(
  { stores, onFault }: OpenedHistory,
  { since, run, domains, items, now }: Query,
  mask: Disclosure['mask'],
): AsyncGenerator<RunDocument> {
  const own = { since, onFault, run };
  const sources = stores.map(({ history }): AsyncGenerator<FoundRun> => {
    if (items === 'left-out') return readRuns(history, own);
    return domains === null ? readRunsWithItems(history, own) : readRunsOfDomains(history, domains, own);
  });
  for await (const found of newestFirst<FoundRun>(sources, ({ start }) => start.at, now))
    yield runDocument(found, mask);
}

/** Yields a run as text. Only one line of each item is in memory. */
async function* runTexts(
  { stores, onFault }: OpenedHistory,
  { since, run, domains }: Query,
  { mask, how }: { readonly mask: Disclosure['mask']; readonly how: TextOptions },
): AsyncGenerator<string> {
  let between = '';
  for (const { history: store } of stores) {
    const rows: ItemRow[] = [];
    for (const domain of domains ?? [undefined]) {
      for await (const item of readItems(store, { since, onFault, run, domain }))
        rows.push(itemRow(itemDocument(item, mask)));
    }
    if (domains !== null && rows.length === 0) continue;
    for await (const found of readRuns(store, { since, onFault, run })) {
      yield between;
      yield* runText(runDocument(found, mask), rows.reverse(), how);
      between = '\n';
    }
  }
}

async function* driftDocuments(
  { stores, onFault }: OpenedHistory,
  { since, domains, now }: Query,
  mask: Disclosure['mask'],
): AsyncGenerator<DriftDocument> {
  const isAsked = (domain: DomainName): boolean => domains?.includes(domain) ?? true;
  const only = domains?.length === 1 ? domains[0] : undefined;
  const sources = stores.map(async function* ({ account, history }) {
    for await (const found of readDrift(history, { since, onFault, domain: only }))
      if (isAsked(found.entry.domain)) yield { account, found };
  });
  for await (const { account, found } of newestFirst(sources, ({ found: { entry } }) => entry.at, now))
    yield driftDocument(found, { account, mask });
}

/**
 * Yields entries newest first. One source is passed on as it is read. Several may be more than the limit of open
 * files, so all are read first.
 */
async function* newestFirst<T>(
  sources: readonly AsyncGenerator<T>[],
  at: (found: T) => string,
  now: number,
): AsyncGenerator<T> {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return yield* only;
  const lists: (readonly T[])[] = [];
  for (const source of sources) lists.push(await Array.fromAsync(source));
  yield* mergeNewestFirst(lists, at, now);
}

/** Yields the runs that changed something in these domains. */
async function* readRunsOfDomains(
  store: HistoryStore,
  domains: readonly DomainName[],
  query: Parameters<typeof readRunsWithItems>[1],
): AsyncGenerator<RunWithItems> {
  const byRun = new Map<string, RecordedItem[]>();
  for (const domain of domains) {
    for await (const item of readItems(store, { ...query, domain })) {
      const own = byRun.get(item.entry.run) ?? [];
      byRun.set(item.entry.run, own);
      own.push(item);
    }
  }
  for await (const run of readRuns(store, query)) {
    const items = byRun.get(run.start.run);
    if (items !== undefined) yield { ...run, items: items.reverse() };
  }
}
