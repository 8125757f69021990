import { showText } from '../../model/destinations.ts';
import { endpointName } from '../../model/endpoints.ts';
import {
  historyKeys,
  type HistoryItem,
  type ItemEntry,
  type HistoryOutcome,
  type ItemOutcomeEntry,
  type RunEntry,
} from '../../model/history/entries.ts';
import { itemKey } from '../../model/item-key.ts';
import type { Change } from '../../model/plan.ts';
import type { Report } from '../../model/report.ts';
import type { WriteItem } from '../../plan/requests/order.ts';
import type { WriteRequest } from '../../plan/requests/requests.ts';
import type { KnownAccount } from '../known-account.ts';
import type { Ledger } from '../ledger.ts';
import type { ApplyInput, ApplyPorts } from '../ports.ts';
import { summarise } from '../report/report-document.ts';
import type { Verdict } from '../verdict.ts';
import { itemOfRequest, itemsOfDomain, type MovedRules } from './item-entries.ts';
import { keptItem, type Concealment } from './kept-items.ts';

/** Writes the history of a run while it goes on. */
export interface RunRecorder {
  /** Records what a request is about to do; null: it is on disk, else why the request must not be sent. */
  readonly begin: (request: WriteRequest) => Promise<string | null>;
  /** What became of an item of a request that has begun; the last word counts. */
  readonly note: (item: WriteItem, result: ItemResult) => void;
  /** All is known of the request; items without a note were not done. */
  readonly end: (request: WriteRequest) => Promise<void>;
  /** What the run found out later, and how it ended; null: it is written, else why not. */
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
  /** The number of the latest entry of a change. */
  readonly numbers: Map<Change, number>;
  readonly moved: MovedRules;
  /** Of requests that have begun and not ended: the items, and what is noted of them. */
  readonly open: Map<WriteItem, OpenItem>;
  /** Changes whose latest entry says that their outcome is not known. */
  readonly unknown: Set<Change>;
  count: number;
  /** Why the latest line could not be written; null: it was. */
  fault: string | null;
  concealment: Promise<Concealment | null> | null;
  /** To be written with the first item. */
  runEntry: RunEntry | null;
}

type RecorderPorts = Pick<ApplyPorts, 'client' | 'state' | 'clock' | 'readCommit'>;

interface OpenItem {
  /** With what goes with it. */
  readonly entries: readonly Pick<ItemEntry, 'item' | 'keys'>[];
  result: ItemResult;
}

const NOT_DONE: ItemResult = { outcome: 'not-done' };

/** `known`: the account as it was last read, for what goes with a domain. */
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
    moved: new Map(),
    open: new Map(),
    unknown: new Set(),
    count: 0,
    fault: null,
    concealment: null,
    runEntry: null,
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
  const concealment = await (recorder.concealment ??= openConcealment(recorder));
  if (concealment === null) return 'no fingerprints of references can be made';
  const endpoint = endpointName(recorder.ports.client.version, request.operation);
  const entries = request.items.flatMap((item) => {
    const made = entriesOf(recorder, item, { endpoint, concealment });
    recorder.open.set(item, { entries: made, result: NOT_DONE });
    return made;
  });
  const { runEntry } = recorder;
  recorder.runEntry = null;
  const lines = runEntry === null ? entries : [runEntry, ...entries];
  const written = await recorder.ports.state.history.append(lines, 'synced');
  return written.ok ? null : written.error.message;
}

/** What the first request of a run needs, worked out once. */
async function openConcealment(recorder: Recorder): Promise<Concealment | null> {
  const { input, ports } = recorder;
  const [print, commit] = await Promise.all([ports.state.openValuePrints(), ports.readCommit?.() ?? null]);
  recorder.runEntry = {
    entry: 'run',
    at: new Date(input.startedAt).toISOString(),
    ...input.origin,
    commit,
    account: input.observed.account.email,
    api: { url: ports.client.url, version: ports.client.version },
    plan: input.digest,
  };
  return print === null ? null : { references: input.references, print };
}

function entriesOf(
  recorder: Recorder,
  item: WriteItem,
  { endpoint, concealment }: { readonly endpoint: string; readonly concealment: Concealment },
): readonly ItemEntry[] {
  const { account, moved, numbers, input, ports } = recorder;
  const { change } = item;
  const at = new Date(ports.clock.now()).toISOString();
  const entryOf = (own: HistoryItem, via: ItemEntry['via']): ItemEntry => {
    recorder.count += 1;
    const { run } = input.origin;
    return { entry: 'item', at, run, item: recorder.count, keys: historyKeys(own), ...own, endpoint, via };
  };
  const entry = entryOf(itemOfRequest(item, moved, concealment), null);
  numbers.set(change, entry.item);
  const isDomainDelete = change.kind === 'domain' && change.action === 'delete';
  const live = isDomainDelete ? account.observed.domains.get(change.domain) : undefined;
  const along = live === undefined ? [] : itemsOfDomain(live, concealment);
  return [entry, ...along.map((own) => entryOf(own, 'domain'))];
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

function outcomeOf(
  { input, ports }: Recorder,
  { item, keys }: Pick<ItemEntry, 'item' | 'keys'>,
  { outcome, id = null, message }: ItemResult,
): ItemOutcomeEntry {
  const { references } = input;
  return {
    entry: 'item-outcome',
    at: new Date(ports.clock.now()).toISOString(),
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

/** Items whose answer was lost and that are in place now; items that were accepted and are not. */
async function finish(
  recorder: Recorder,
  {
    report,
    verdict,
    ledger,
  }: { readonly report: Report; readonly verdict: Verdict; readonly ledger: Ledger },
): Promise<string | null> {
  const { numbers, unknown, ports, input } = recorder;
  if (recorder.count === 0) return null;
  const changed: { readonly change: Change; readonly outcome: HistoryOutcome }[] = [];
  for (const change of unknown) {
    if (ledger.done.has(itemKey(change))) changed.push({ change, outcome: 'done' });
  }
  for (const { change } of verdict.kind === 'seen' ? verdict.notKept : []) {
    const sent = ledger.done.get(itemKey(change))?.change;
    if (sent !== undefined) changed.push({ change: sent, outcome: 'not-kept' });
  }
  const concealment = await recorder.concealment;
  const lines = changed.flatMap(({ change, outcome }) => {
    const item = numbers.get(change);
    if (item === undefined || concealment === null) return [];
    const keys = historyKeys(keptItem(change, concealment));
    return [outcomeOf(recorder, { item, keys }, { outcome })];
  });
  const at = new Date(ports.clock.now()).toISOString();
  const { run } = input.origin;
  await write(recorder, [
    ...lines,
    { entry: 'run-end', at, run, outcome: report.outcome, summary: summarise(report) },
  ]);
  return recorder.fault;
}
