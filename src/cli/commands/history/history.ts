import type { DomainName } from '../../../model/names.ts';
import {
  readDrift,
  readItems,
  readRuns,
  type RecordedDrift,
  type RecordedItem,
  type RecordedRun,
} from '../../../state/history/recorded.ts';
import type { HistoryStore } from '../../../state/store.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError, type ExitCode } from '../../exit.ts';
import { parseDuration, requireDomain } from '../../input/arguments.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { columnsOf, maskOf, printJson } from '../../output/output.ts';
import { styleFor } from '../../output/style.ts';
import { resolveFormat, type CommonOptions } from '../../settings.ts';
import { driftDocument, runDocument, type HistoryDocument } from './history-document.ts';
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
    run: id ?? null,
    // A list for people counts the items, and does not show them.
    items: format === 'json' || id !== undefined || options.domain !== undefined ? 'read' : 'left-out',
  };
  const { runs, drift } = await readAll(await openRecorded(context, options), query);
  if (id !== undefined && runs.length === 0) {
    throw usageError(
      `no run ${id} is recorded`,
      'fwdsync history lists the runs; name its state with --state-dir',
    );
  }
  const mask = maskOf(options, context);
  const document: HistoryDocument = {
    kind: 'fwdsync/history@1',
    runs: runs.map(({ run, items }) => runDocument(run, items, mask)),
    drift: drift.map((found) => driftDocument(found, mask)),
  };
  if (format === 'json') printJson(context, document);
  else context.stdout.write(textOf(document, { context, options, isOne: id !== undefined }));
  return EXIT.done;
}

function textOf(
  document: HistoryDocument,
  {
    context,
    options,
    isOne,
  }: { readonly context: Context; readonly options: HistoryOptions; readonly isOne: boolean },
): string {
  const style = styleFor(context.stdout, options.color, context.env);
  const how = { style, columns: columnsOf(context.stdout) };
  return isOne ? document.runs.map((run) => runText(run, how)).join('\n') : historyText(document, how);
}

function sinceOf({ clock }: Context, { since }: HistoryOptions): string | undefined {
  if (since === undefined) return undefined;
  return new Date(clock.now() - parseDuration('--since', since)).toISOString();
}

interface Query {
  readonly since: string | undefined;
  /** Null: all. */
  readonly domains: readonly DomainName[] | null;
  readonly run: string | null;
  readonly items: 'read' | 'left-out';
}

interface FoundRun {
  readonly run: RecordedRun;
  readonly items: readonly RecordedItem[];
}

interface Found {
  readonly runs: readonly FoundRun[];
  readonly drift: readonly RecordedDrift[];
}

async function readAll({ stores, onFault }: OpenedHistory, query: Query): Promise<Found> {
  const all: Found[] = [];
  for (const store of stores) all.push(await readStore(store, query, onFault));
  const byTime = (a: { readonly at: string }, b: { readonly at: string }): number => (a.at < b.at ? 1 : -1);
  return {
    runs: all.flatMap(({ runs }) => runs).toSorted((a, b) => byTime(a.run.start, b.run.start)),
    drift: all.flatMap(({ drift }) => drift).toSorted((a, b) => byTime(a.entry, b.entry)),
  };
}

async function readStore(
  store: HistoryStore,
  query: Query,
  onFault: OpenedHistory['onFault'],
): Promise<Found> {
  const { since, domains, run, items } = query;
  const own = { since, onFault, run: run ?? undefined };
  const byRun = items === 'read' ? await itemsByRun(store, domains, own) : NO_ITEMS;
  const runs: FoundRun[] = [];
  for await (const found of readRuns(store, own)) {
    const those = byRun.get(found.start.run)?.toReversed() ?? [];
    if (domains === null || those.length > 0) runs.push({ run: found, items: those });
  }
  return { runs, drift: run === null ? await driftIn(store, domains, { since, onFault }) : [] };
}

async function driftIn(
  store: HistoryStore,
  domains: Query['domains'],
  query: Parameters<typeof readDrift>[1],
): Promise<readonly RecordedDrift[]> {
  const drift: RecordedDrift[] = [];
  for (const domain of domains ?? [undefined]) {
    for await (const found of readDrift(store, { ...query, domain })) drift.push(found);
  }
  return drift;
}

const NO_ITEMS: ReadonlyMap<string, readonly RecordedItem[]> = new Map();

/** The newest first. */
async function itemsByRun(
  store: HistoryStore,
  domains: Query['domains'],
  query: Parameters<typeof readItems>[1],
): Promise<ReadonlyMap<string, readonly RecordedItem[]>> {
  const byRun = new Map<string, RecordedItem[]>();
  for (const domain of domains ?? [undefined]) {
    for await (const item of readItems(store, { ...query, domain })) {
      const own = byRun.get(item.entry.run) ?? [];
      byRun.set(item.entry.run, own);
      own.push(item);
    }
  }
  return byRun;
}
