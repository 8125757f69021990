import { itemKey } from '../../../core/kinds/item-key.ts';
import { commandOf } from '../../../core/plan/policy.ts';
import { managedState } from '../../../core/kinds/domain/fields.ts';
import {
  requestsOf,
  requestsOfStep,
  type BatchSupport,
  type StageRequests,
  type PlannedWork,
  type WriteRequest,
} from '../../../core/plan/requests/requests.ts';
import { recordSkips, stopOn, whyBlocked, whyStopped, type Ledger } from '../ledger.ts';
import type { ApplyInput, ApplyPorts } from '../ports.ts';
import { isWholeRefusal, openKnownBatches, unknownToBatch, type KnownBatches } from './batches.ts';
import {
  failItems,
  noteAccepted,
  noteOutcomes,
  refuseRequest,
  type Records,
  type UnknownOutcome,
} from './outcomes.ts';
import type { Passwords } from './passwords.ts';
import { DONE, sendRequest, type Sources, type WireAnswer } from './senders.ts';
import { resolveOutcomes } from './unknown-outcome.ts';
import type { WriteItem } from '../../../core/kinds/steps.ts';
import { sendsSecret } from '../../../core/kinds/items.ts';

/** Builds requests with the batch support known so far, and sends them until every item has an outcome. */
export interface Sender {
  readonly requestsOf: (work: PlannedWork) => readonly StageRequests[];
  /**
   * Sends a request. Afterwards every item is done, failed or skipped. A request of unknown outcome is never simply
   * sent again. Only items that two reads show as not done are.
   */
  readonly send: (request: WriteRequest) => Promise<void>;
}

export function openSender(
  { client, clock, signal, onProgress }: Pick<ApplyPorts, 'client' | 'clock' | 'signal' | 'onProgress'>,
  sources: Sources,
  { ledger, findings, recorder }: Omit<Records, 'version'>,
): Sender {
  const { version } = client;
  const known = openKnownBatches(onProgress);
  const sending = {
    ports: { client, clock, signal },
    sources,
    known,
    records: { ledger, findings, version, recorder },
  };
  return {
    requestsOf: (work) => requestsOf(work, { ...known, version }),
    send: (request) => send(sending, request),
  };
}

interface Sending {
  readonly ports: Pick<ApplyPorts, 'client' | 'clock' | 'signal'>;
  readonly sources: Sources;
  readonly known: KnownBatches;
  readonly records: Records;
}

const ALONE: BatchSupport = { batches: 'refused', batchesById: 'refused' };

async function send(
  sending: Sending,
  request: WriteRequest,
  {
    support = sending.known,
    attempt = 1,
  }: { readonly support?: BatchSupport; readonly attempt?: number } = {},
): Promise<void> {
  for (const part of requestsOfStep(request, { ...support, version: sending.records.version })) {
    await sendPart(sending, part, attempt);
  }
}

/**
 * Sends part of a request. The request is written to the history before it is sent. If that fails, nothing more is
 * sent.
 */
async function sendPart(sending: Sending, request: WriteRequest, attempt: number): Promise<void> {
  const { ports, sources, records } = sending;
  const { ledger, recorder } = records;
  if (skipIfHalted(ledger, request)) return;
  const unrecorded = await recorder.begin(request);
  if (unrecorded !== null) {
    ledger.stop ??= { kind: 'no-history', message: `the history cannot be written: ${unrecorded}` };
    skipIfHalted(ledger, request);
    return;
  }
  const answer = await sendRequest(ports.client, request, sources);
  const rest = await takeAnswer(sending, request, { answer, attempt });
  await recorder.end(request);
  if (rest !== null) await send(sending, { ...request, items: rest.items }, rest);
}

/** Items to send once more, and how. */
interface Rest {
  readonly items: readonly WriteItem[];
  readonly support?: BatchSupport;
  readonly attempt?: number;
}

/** Notes the outcomes of the items. Returns null if there is nothing left to send. */
async function takeAnswer(
  sending: Sending,
  request: WriteRequest,
  { answer, attempt }: { readonly answer: WireAnswer; readonly attempt: number },
): Promise<Rest | null> {
  const { known, records } = sending;
  if (answer.ok) {
    const unknown = unknownToBatch(known, request, { outcomes: answer.value, version: records.version });
    noteOutcomes(records, request, { outcomes: answer.value, apart: unknown });
    return unknown.size === 0 ? null : { items: [...unknown], support: ALONE };
  }
  const { error } = answer;
  if (error.kind === 'unknown-outcome') return takeUnknown(sending, request, { error, attempt });
  if (isWholeRefusal(known, request, error)) return { items: request.items, support: ALONE };
  refuseRequest(records, request, error);
  return null;
}

/**
 * Handles a request of unknown outcome. Returns only the items that are certainly not done, to send them once more.
 */
async function takeUnknown(
  sending: Sending,
  request: WriteRequest,
  { error, attempt }: { readonly error: UnknownOutcome; readonly attempt: number },
): Promise<Rest | null> {
  const items = await resolve(sending, request, error);
  if (items.length === 0) return null;
  if (await sending.ports.client.mayRetry(attempt)) return { items, attempt: attempt + 1 };
  failItems(sending.records, { ...request, items }, { cause: 'unknown', error });
  return null;
}

/**
 * Finds the outcome of each item. Returns the items that are certainly not done and may be sent again. If an outcome
 * cannot be found, something may have been written.
 */
async function resolve(
  { ports, sources, records }: Pick<Sending, 'ports' | 'sources' | 'records'>,
  request: WriteRequest,
  error: UnknownOutcome,
): Promise<readonly WriteItem[]> {
  const { ledger } = records;
  const resolved = await resolveOutcomes(request, sources.settingsOf(request.domain), ports);
  if (!resolved.ok) {
    ledger.wrote = true;
    stopOn(ledger, resolved.error);
    failItems(records, request, { cause: 'unknown', error });
    return [];
  }
  const left: WriteItem[] = [];
  for (const [index, item] of request.items.entries()) {
    const outcome = resolved.value[index];
    if (sendsSecret(item.change)) ledger.wrote = true;
    if (outcome?.kind === 'done') {
      // Two equal reads are as reliable as an answer.
      const { id, domain } = outcome;
      noteAccepted(records, item, { ...DONE, id, ...(domain === undefined ? {} : { domain }) });
    } else if (outcome?.kind === 'other') {
      ledger.wrote = true;
      failItems(records, { ...request, items: [item] }, { cause: 'stale', error });
    } else left.push(item);
  }
  return left;
}

function skipIfHalted(ledger: Ledger, request: WriteRequest): boolean {
  const kind = request.items[0]?.change.kind ?? 'domain';
  const reason = whyStopped(ledger) ?? whyBlocked(ledger, request.domain, kind);
  if (reason === null) return false;
  const changes = request.items.map(({ change }) => change);
  recordSkips(ledger, changes, reason);
  return true;
}

/**
 * Returns the values to send that are not part of a change: settings from the manifest and the passwords behind its
 * references.
 */
export function sourcesOf(
  { desired, policy }: Pick<ApplyInput, 'desired' | 'policy'>,
  passwords: Passwords,
): Sources {
  return {
    command: commandOf(policy),
    settingsOf(domain) {
      const entry = desired.domains.get(domain);
      return entry?.state === 'present' ? managedState(entry) : {};
    },
    passwordOf(change) {
      const password = passwords.get(itemKey(change));
      if (password === undefined) throw new Error(`the password of ${change.name} was not resolved`);
      return password;
    },
  };
}
