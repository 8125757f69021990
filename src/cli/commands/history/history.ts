import type { Disclosure } from '../../../model/destinations.ts';
import type { DomainName } from '../../../model/names.ts';
import {
  readDrift,
  readItems,
  readRuns,
  readRunsWithItems,
  type RecordedItem,
  type RunWithItems,
} from '../../../state/history/recorded.ts';
import type { HistoryStore } from '../../../state/store.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError, type ExitCode } from '../../exit.ts';
import { parseDuration, requireDomain } from '../../input/arguments.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { columnsOf, maskOf, printLists } from '../../output/output.ts';
import { styleFor } from '../../output/style.ts';
import { resolveFormat, type CommonOptions } from '../../settings.ts';
import {
  driftDocument,
  runDocument,
  type DriftDocument,
  type FoundRun,
  type RunDocument,
} from './history-document.ts';
import { historyText, runText } from './history-text.ts';
import { openRecorded, type OpenedHistory } from './open-history.ts';

export interface HistoryOptions extends CommonOptions {
  readonly since?: string;
}

/** Prints the runs that wrote, and what was changed outside fwdsync; of one run its diff. Offline and without a key. */
export async function historyCommand(
  context: Context,
  options: HistoryOptions,
  [id]: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  const query: Query = {
    since: sinceOf(context, options),
    domains: options.domain?.map((name) => requireDomain(name, '--domain')) ?? null,
    run: id,
    // A list for people counts the items, and does not show them.
    items: format === 'json' || id !== undefined || options.domain !== undefined ? 'read' : 'left-out',
  };
  const opened = await openRecorded(context, options);
  const mask = maskOf(options, context);
  const all = runDocuments(opened, query, mask);
  const runs = id === undefined ? all : await recordedRun(all, id);
  const drift = id === undefined ? driftDocuments(opened, query, mask) : [];
  if (format === 'json') await printLists(context, 'fwdsync/history@1', { runs, drift });
  else {
    const found = { runs: await Array.fromAsync(runs), drift: await Array.fromAsync(drift) };
    const style = styleFor(context.stdout, options.color, context.env);
    const how = { style, columns: columnsOf(context.stdout) };
    const text =
      id === undefined ? historyText(found, how) : found.runs.map((run) => runText(run, how)).join('\n');
    context.stdout.write(text);
  }
  return EXIT.done;
}

/** Of each account that has it. */
async function recordedRun(runs: AsyncIterable<RunDocument>, id: string): Promise<readonly RunDocument[]> {
  const found = await Array.fromAsync(runs);
  if (found.length > 0) return found;
  throw usageError(
    `no run ${id} is recorded`,
    'fwdsync history lists the runs; name its state with --state-dir',
  );
}

function sinceOf({ clock }: Context, { since }: HistoryOptions): string | undefined {
  if (since === undefined) return undefined;
  return new Date(clock.now() - parseDuration('--since', since)).toISOString();
}

interface Query {
  readonly since: string | undefined;
  /** Null: all. */
  readonly domains: readonly DomainName[] | null;
  readonly run: string | undefined;
  readonly items: 'read' | 'left-out';
}

async function* runDocuments(
  { stores, onFault }: OpenedHistory,
  { since, run, domains, items }: Query,
  mask: Disclosure['mask'],
): AsyncGenerator<RunDocument> {
  const own = { since, onFault, run };
  const sources = stores.map((store) => {
    if (items === 'left-out') return readRuns(store, own);
    return domains === null ? readRunsWithItems(store, own) : readRunsOfDomains(store, domains, own);
  });
  for await (const found of newestFirst<FoundRun>(sources, ({ start }) => start.at))
    yield runDocument(found, mask);
}

async function* driftDocuments(
  { stores, onFault }: OpenedHistory,
  { since, domains }: Query,
  mask: Disclosure['mask'],
): AsyncGenerator<DriftDocument> {
  const sources = stores.flatMap((store) =>
    (domains ?? [undefined]).map((domain) => readDrift(store, { since, onFault, domain })),
  );
  for await (const found of newestFirst(sources, ({ entry }) => entry.at)) yield driftDocument(found, mask);
}

/** One is passed on as it is read; of several, which may be more than there can be open files, all are read first. */
async function* newestFirst<T>(
  sources: readonly AsyncGenerator<T>[],
  at: (found: T) => string,
): AsyncGenerator<T> {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return yield* only;
  const all: T[] = [];
  for (const source of sources) for await (const found of source) all.push(found);
  yield* all.toSorted((a, b) => (at(a) < at(b) ? 1 : -1));
}

/** Those that changed something in them. */
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
