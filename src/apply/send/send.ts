import { itemKey } from '../../model/item-key.ts';
import { managedState } from '../../plan/diff/settings.ts';
import type { WriteItem } from '../../plan/requests/order.ts';
import { requestsOfStep, type BatchSupport, type WriteRequest } from '../../plan/requests/requests.ts';
import { stopOn } from '../ledger.ts';
import { blockReason, isStopped, markSkipped, stopReason, type Run } from '../run.ts';
import { isWholeRefusal, unknownToBatch } from './batches.ts';
import { noteAccepted, noteOutcomes } from './outcomes.ts';
import { isPassword } from './passwords.ts';
import { failItems, refuseRequest, type UnknownOutcome } from './refuse.ts';
import { DONE, sendRequest, type Sources } from './senders.ts';
import { resolveOutcomes } from './unknown-outcome.ts';

/** What an item that goes by itself takes for granted of batches. */
const ALONE: BatchSupport = { batches: 'refused', batchesById: 'refused' };

/**
 * Sends a request to its end: every item is done, failed or skipped afterwards. A request of unknown outcome is
 * never simply sent again: only what two reads show as not done.
 */
export async function carryOut(
  run: Run,
  request: WriteRequest,
  { support = run, attempt = 1 }: { readonly support?: BatchSupport; readonly attempt?: number } = {},
): Promise<void> {
  const { batches, batchesById = 'allowed' } = support;
  const { version } = run.ports.client;
  for (const part of requestsOfStep(request, { version, batches, batchesById })) {
    await sendPart(run, part, attempt);
  }
}

async function sendPart(run: Run, request: WriteRequest, attempt: number): Promise<void> {
  if (skipIfHalted(run, request)) return;
  const answer = await sendRequest(run.ports.client, request, sourcesOf(run));
  if (answer.ok) {
    const unknown = unknownToBatch(run, request, answer.value);
    noteOutcomes(run, request, { outcomes: answer.value, apart: unknown });
    return carryOut(run, { ...request, items: [...unknown] }, { support: ALONE });
  }
  const { error } = answer;
  if (error.kind === 'unknown-outcome') return sendRest(run, request, { error, attempt });
  if (isWholeRefusal(run, request, error)) return carryOut(run, request, { support: ALONE });
  refuseRequest(run, request, error);
}

/** Of a request of unknown outcome only what is certainly not done goes out once more. */
async function sendRest(
  run: Run,
  request: WriteRequest,
  { error, attempt }: { readonly error: UnknownOutcome; readonly attempt: number },
): Promise<void> {
  const rest = { ...request, items: await resolve(run, request, error) };
  if (rest.items.length === 0) return;
  if (await run.ports.client.mayRetry(attempt)) return carryOut(run, rest, { attempt: attempt + 1 });
  failItems(run, rest, { cause: 'unknown', error });
}

/**
 * Finds out what became of the items; what is left is certainly not done and may be sent again. Where it cannot be found out,
 * something may have been written.
 */
async function resolve(
  run: Run,
  request: WriteRequest,
  error: UnknownOutcome,
): Promise<readonly WriteItem[]> {
  const resolved = await resolveOutcomes(request, sourcesOf(run), run.ports);
  if (!resolved.ok) {
    run.ledger.wrote = true;
    stopOn(run.ledger, resolved.error);
    failItems(run, request, { cause: 'unknown', error });
    return [];
  }
  const left: WriteItem[] = [];
  for (const [index, item] of request.items.entries()) {
    const outcome = resolved.value[index];
    if (isPassword(item.change)) run.ledger.wrote = true;
    if (outcome?.kind === 'done') {
      // What two reads show is as believable as an answer.
      const { id, domain } = outcome;
      noteAccepted(run, item, { ...DONE, id, ...(domain === undefined ? {} : { domain }) });
    } else if (outcome?.kind === 'other') {
      run.ledger.wrote = true;
      failItems(run, { ...request, items: [item] }, { cause: 'stale', error });
    } else left.push(item);
  }
  return left;
}

function skipIfHalted(run: Run, request: WriteRequest): boolean {
  const kind = request.items[0]?.change.kind ?? 'domain';
  const reason = isStopped(run) ? stopReason(run) : blockReason(run, request.domain, kind);
  if (reason === null) return false;
  const changes = request.items.map(({ change }) => change);
  markSkipped(run, changes, reason);
  return true;
}

function sourcesOf({ input, passwords }: Run): Sources {
  return {
    settingsOf(domain) {
      const entry = input.desired.domains.get(domain);
      return entry?.state === 'present' ? managedState(entry) : {};
    },
    passwordOf(change) {
      const password = passwords.get(itemKey(change));
      if (password === undefined) throw new Error(`the password of ${change.name} was not resolved`);
      return password;
    },
  };
}
