import { itemKey } from '../../model/item-key.ts';
import type { DomainState } from '../../model/resources.ts';
import { managedState } from '../../plan/diff/settings.ts';
import type { WriteItem } from '../../plan/requests/order.ts';
import { withItems, type WriteRequest } from '../../plan/requests/requests.ts';
import { DONE, type Accepted } from './answers.ts';
import { isRefusedBatch, isWholeRefusal, unknownToBatch } from './batches.ts';
import { noteAccepted, noteOutcomes } from './outcomes.ts';
import { stopOn } from '../ledger.ts';
import { payloadOf, type Payload } from './payload.ts';
import { isPassword } from './passwords.ts';
import { failItems, refuseRequest, type UnknownOutcome } from './refuse.ts';
import { blockReason, isStopped, markSkipped, stopReason, type Run } from '../run.ts';
import { settleItems, type Settled } from './unknown-outcome.ts';
import { sendItems } from './wire.ts';

/**
 * Sends one request to its end: every item is done, failed or skipped afterwards. A request of unknown outcome is
 * never simply sent again: only what two readings show as not done.
 */
export async function carryOut(run: Run, request: WriteRequest): Promise<void> {
  if (skipIfHalted(run, request)) return;
  let rest = withItems(request, request.items, run.ports.client);
  for (let attempt = 1; rest.items.length > 0; attempt += 1) {
    const error = await sendOnce(run, rest);
    if (error === null) return;
    rest = withItems(rest, await settle(run, rest, error), run.ports.client);
    const again = rest.items.length === 0 || (await run.ports.client.mayRetry(attempt));
    if (!again) return failItems(run, rest, { cause: 'unknown', error });
  }
}

/** Null: every item is accounted for. */
async function sendOnce(run: Run, request: WriteRequest): Promise<UnknownOutcome | null> {
  if (skipIfHalted(run, request)) return null;
  if (isRefusedBatch(run, request)) return carryOutSingly(run, request, request.items);
  const answer = await sendItems(run.ports.client, request, payloadsOf(run, request));
  if (answer.ok) {
    const unknown = unknownToBatch(run, request, answer.value);
    noteOutcomes(run, request, { outcomes: answer.value, apart: unknown });
    return carryOutSingly(run, request, [...unknown]);
  }
  if (answer.error.kind === 'unknown-outcome') return answer.error;
  if (isWholeRefusal(run, request, answer.error)) return carryOutSingly(run, request, request.items);
  refuseRequest(run, request, answer.error);
  return null;
}

/**
 * Finds out what became of the items; what is left is certainly not done and may be sent again. Where it cannot be found out,
 * something may have been written.
 */
async function settle(run: Run, request: WriteRequest, error: UnknownOutcome): Promise<readonly WriteItem[]> {
  const settled = await settleItems(request.domain, payloadsOf(run, request), run.ports);
  if (!settled.ok) {
    run.ledger.wrote = true;
    stopOn(run.ledger, settled.error);
    failItems(run, request, { cause: 'unknown', error });
    return [];
  }
  const left: WriteItem[] = [];
  for (const [index, item] of request.items.entries()) {
    const outcome = settled.value[index];
    if (isPassword(item.change)) run.ledger.wrote = true;
    if (outcome?.kind === 'done') noteAccepted(run, item, acceptedOf(outcome));
    else if (outcome?.kind === 'other') {
      run.ledger.wrote = true;
      failItems(run, { ...request, items: [item] }, { cause: 'stale', error });
    } else left.push(item);
  }
  return left;
}

/** What two readings show is as believable as an answer. */
function acceptedOf({ id, domain }: Extract<Settled, { readonly kind: 'done' }>): Accepted {
  return { ...DONE, id, ...(domain === undefined ? {} : { domain }) };
}

function skipIfHalted(run: Run, request: WriteRequest): boolean {
  const kind = request.items[0]?.change.kind ?? 'domain';
  const reason = isStopped(run) ? stopReason(run) : blockReason(run, request.domain, kind);
  if (reason === null) return false;
  const changes = request.items.map(({ change }) => change);
  markSkipped(run, changes, reason);
  return true;
}

async function carryOutSingly(run: Run, request: WriteRequest, items: readonly WriteItem[]): Promise<null> {
  for (const item of items) await carryOut(run, withItems(request, [item], run.ports.client));
  return null;
}

function payloadsOf(run: Run, { items }: WriteRequest): readonly [Payload, ...Payload[]] {
  const [first, ...others] = items.map((item) =>
    payloadOf(item, { password: () => passwordOf(run, item), settings: () => settingsOf(run, item) }),
  );
  if (first === undefined) throw new Error('a request without items');
  return [first, ...others];
}

function passwordOf(run: Run, item: WriteItem): string {
  const password = run.passwords.get(itemKey(item.change));
  if (password === undefined) throw new Error(`the password of ${item.change.name} was not resolved`);
  return password;
}

function settingsOf({ input }: Run, { change }: WriteItem): DomainState {
  const entry = input.desired.domains.get(change.domain);
  return entry?.state === 'present' ? managedState(entry) : {};
}
