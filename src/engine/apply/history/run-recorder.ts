import { showText } from '../../../core/model/destinations.ts';
import { historyKeys, itemKey } from '../../../core/kinds/item-key.ts';
import type {
  HistoryItem,
  ItemEntry,
  HistoryOutcome,
  ItemOutcomeEntry,
  RunEntry,
} from '../../../core/model/history/entries.ts';
import type { Change } from '../../../core/model/plan.ts';
import type { Report } from '../../../core/model/report.ts';
import type { Result } from '../../../core/model/result.ts';
import type { WriteRequest } from '../../../core/plan/requests/requests.ts';
import type { StateFault } from '../../state/store.ts';
import type { KnownAccount } from '../known-account.ts';
import type { Ledger } from '../ledger.ts';
import type { ApplyInput, ApplyPorts } from '../ports.ts';
import { summarise } from '../report/report-document.ts';
import type { Verdict } from '../verdict.ts';
import { itemOfRequest, deletionsOf } from './item-entries.ts';
import { keptChange } from './kept-items.ts';
import type { Concealment } from '../../../core/fields/codec.ts';
import { endpointName } from '../../../core/kinds/endpoints.ts';
import type { WriteItem } from '../../../core/kinds/steps.ts';

/** Writes the history of a run while the run is in progress. */
export interface RunRecorder {
  /**
   * Records what a request is about to do. Returns null once that is on disk, or why the request must not be sent.
   */
  readonly begin: (request: WriteRequest) => Promise<string | null>;
  /** Notes the outcome of an item of a request that has begun. The last note counts. */
  readonly note: (item: WriteItem, result: ItemResult) => void;
  /** Ends a request. Its items without a note were not done. */
  readonly end: (request: WriteRequest) => Promise<void>;
  /** Records later findings and the end of the run. Returns null once that is written, or why it could not be. */
  readonly finish: (report: Report, verdict: Verdict) => Promise<string | null>;
}

export interface ItemResult {
  readonly outcome: HistoryOutcome;
  readonly id?: string | null;
  readonly message?: string;
}

interface Recorder {
  readonly input: ApplyInput;
  readonly ports: RecorderPorts;
  readonly account: KnownAccount;
  /** Number of the latest entry of each change. */
  readonly numbers: Map<Change, number>;
  /** Items of requests that have begun and not ended, with their notes. */
  readonly open: Map<WriteItem, OpenItem>;
  /** Changes whose latest entry says that their outcome is not known. */
  readonly unknown: Set<Change>;
  count: number;
  /** Latest time of the run's lines, in epoch milliseconds. */
  latest: number;
  /** Why the latest line could not be written; null if it was. */
  fault: string | null;
  opening: Promise<Opening | null> | null;
  /** True if the latest attempt to write the run's own line succeeded; null before the first attempt. */
  runLine: Promise<boolean> | null;
}

/** Values that the first request of a run needs. */
interface Opening {
  readonly concealment: Concealment;
  readonly runEntry: RunEntry;
}

type RecorderPorts = Pick<ApplyPorts, 'client' | 'state' | 'clock' | 'readCommit'>;

interface OpenItem {
  /** Entries of the item and of everything deleted with it. */
  readonly entries: readonly Pick<ItemEntry, 'item' | 'keys'>[];
  result: ItemResult;
}

const NOT_DONE: ItemResult = { outcome: 'not-done' };

/** Opens the recorder of a run. `known` is the account as last read, to find what is deleted with a domain. */
export function openRunRecorder(
  input: ApplyInput,
  ports: RecorderPorts,
  { account, ledger }: { readonly account: KnownAccount; readonly ledger: Ledger },
): RunRecorder {
  const recorder: Recorder = {
    input,
    ports,
    account,
    numbers: new Map(),
    open: new Map(),
    unknown: new Set(),
    count: 0,
    latest: input.startedAt,
    fault: null,
    opening: null,
    runLine: null,
  };
  return {
    begin: (request) => begin(recorder, request),
    note(item, result) {
      const open = recorder.open.get(item);
      if (open !== undefined) open.result = result;
    },
    end: (request) => end(recorder, request),
    finish: (report, verdict) => finish(recorder, { report, verdict, ledger }),
  };
}

async function begin(recorder: Recorder, request: WriteRequest): Promise<string | null> {
  const opening = await (recorder.opening ??= open(recorder));
  if (opening === null) return 'no fingerprints of references can be made';
  const { concealment, runEntry } = opening;
  const endpoint = endpointName(recorder.ports.client.version, request.operation);
  const entries = request.items.flatMap((item) => {
    const made = entriesOf(recorder, item, { endpoint, concealment });
    recorder.open.set(item, { entries: made, result: NOT_DONE });
    return made;
  });
  const written = await appendItems(recorder, runEntry, entries);
  return written.ok ? null : written.error.message;
}

/**
 * Appends items. The run's own line is written with the first items that reach the disk, so no item is there without
 * it.
 */
async function appendItems(
  recorder: Recorder,
  runEntry: RunEntry,
  entries: readonly ItemEntry[],
): Promise<Result<void, StateFault>> {
  const { history } = recorder.ports.state;
  let attempt: Recorder['runLine'] = null;
  while (recorder.runLine !== attempt) {
    attempt = recorder.runLine;
    if (await attempt) return history.append(entries, 'synced');
  }
  // If several requests wait for an attempt that fails, the first of them makes the next attempt. There is no await
  // in between.
  const written = history.append([runEntry, ...entries], 'synced');
  recorder.runLine = written.then(({ ok }) => ok);
  return written;
}

async function open({ input, ports }: Recorder): Promise<Opening | null> {
  const [print, commit] = await Promise.all([ports.state.openValuePrints(), ports.readCommit?.() ?? null]);
  if (print === null) return null;
  const runEntry: RunEntry = {
    entry: 'run',
    at: new Date(input.startedAt).toISOString(),
    ...input.origin,
    commit,
    account: input.observed.account.email,
    api: { url: ports.client.url, version: ports.client.version },
    plan: input.digest,
  };
  return { concealment: { references: input.references, print }, runEntry };
}

function entriesOf(
  recorder: Recorder,
  item: WriteItem,
  { endpoint, concealment }: { readonly endpoint: string; readonly concealment: Concealment },
): readonly ItemEntry[] {
  const { account, numbers, input } = recorder;
  const { change } = item;
  const at = timeOf(recorder);
  const entryOf = (own: HistoryItem, via: ItemEntry['via']): ItemEntry => {
    recorder.count += 1;
    const { run } = input.origin;
    return { entry: 'item', at, run, item: recorder.count, keys: historyKeys(own), ...own, endpoint, via };
  };
  const entry = entryOf(itemOfRequest(item, concealment), null);
  numbers.set(change, entry.item);
  const isDomainDelete = change.kind === 'domain' && change.action === 'delete';
  const live = isDomainDelete ? account.observed.domains.get(change.domain) : undefined;
  const along = live === undefined ? [] : deletionsOf(live);
  return [entry, ...along.map((own) => entryOf(keptChange(own, concealment), 'domain'))];
}

async function end(recorder: Recorder, { items }: WriteRequest): Promise<void> {
  const lines: ItemOutcomeEntry[] = [];
  for (const item of items) {
    const open = recorder.open.get(item);
    if (open === undefined) continue;
    recorder.open.delete(item);
    const { change } = item;
    if (open.result.outcome === 'unknown') recorder.unknown.add(change);
    else recorder.unknown.delete(change);
    for (const entry of open.entries) lines.push(outcomeOf(recorder, entry, open.result));
  }
  await write(recorder, lines);
}

/**
 * Returns a time that is never before another line of the run, even if the clock is set back. A search from an item's
 * time then finds the item's result.
 */
function timeOf(recorder: Recorder): string {
  recorder.latest = Math.max(recorder.latest, recorder.ports.clock.now());
  return new Date(recorder.latest).toISOString();
}

function outcomeOf(
  recorder: Recorder,
  { item, keys }: Pick<ItemEntry, 'item' | 'keys'>,
  { outcome, id = null, message }: ItemResult,
): ItemOutcomeEntry {
  const { input } = recorder;
  const { references } = input;
  return {
    entry: 'item-outcome',
    at: timeOf(recorder),
    run: input.origin.run,
    item,
    keys,
    outcome,
    id,
    message: message === undefined ? null : showText(message, { references, mask: false }),
  };
}

async function write(
  recorder: Recorder,
  lines: Parameters<ApplyPorts['state']['history']['append']>[0],
): Promise<void> {
  if (lines.length === 0) return;
  const written = await recorder.ports.state.history.append(lines, 'written');
  if (!written.ok) recorder.fault = written.error.message;
}

/**
 * Records late findings: items whose answer was lost and that are in place now, and items that were accepted and are
 * not.
 */
async function finish(
  recorder: Recorder,
  {
    report,
    verdict,
    ledger,
  }: { readonly report: Report; readonly verdict: Verdict; readonly ledger: Ledger },
): Promise<string | null> {
  const { numbers, unknown, input } = recorder;
  if (recorder.count === 0) return null;
  const changed: { readonly change: Change; readonly outcome: HistoryOutcome }[] = [];
  for (const change of unknown) {
    if (ledger.done.has(itemKey(change))) changed.push({ change, outcome: 'done' });
  }
  for (const { change } of verdict.kind === 'seen' ? verdict.notKept : []) {
    const sent = ledger.done.get(itemKey(change))?.change;
    if (sent !== undefined) changed.push({ change: sent, outcome: 'not-kept' });
  }
  const opening = await recorder.opening;
  const lines = changed.flatMap(({ change, outcome }) => {
    const item = numbers.get(change);
    if (item === undefined || opening === null) return [];
    const keys = historyKeys(keptChange(change, opening.concealment));
    return [outcomeOf(recorder, { item, keys }, { outcome })];
  });
  const at = timeOf(recorder);
  const { run } = input.origin;
  await write(recorder, [
    ...lines,
    { entry: 'run-end', at, run, outcome: report.outcome, summary: summarise(report) },
  ]);
  return recorder.fault;
}
