import type { ApiError } from '../../api/errors.ts';
import type { WriteItem } from '../../plan/requests/order.ts';
import { isAmbiguous, type WriteRequest } from '../../plan/requests/requests.ts';
import type { ItemAnswer } from './senders.ts';
import { isMissing } from './outcomes.ts';
import type { Run } from '../run.ts';

/**
 * Whether a batch create was refused as a whole, so that its items go one by one: a free account is refused all of them,
 * and no status is stated for that (v4: Aliases). A 404 says nothing of other domains.
 */
export function isWholeRefusal(run: Run, request: WriteRequest, error: ApiError): boolean {
  if (!creates(request) || request.items.length < 2) return false;
  const { kind, status } = error;
  const isRefusal = kind === 'forbidden' || (kind === 'rejected' && status !== null && status >= 400);
  if (isRefusal) noteRefused(run, 'creates');
  return isRefusal || kind === 'not-found';
}

/**
 * What a batch of v3 says is not found although it is listed: listings show decimal ids, and whether batches know those is
 * not stated (v3: Resources). These go by the single endpoints, which take them. Where a batch knows none of its items
 * there is no further one by id in this run.
 */
export function unknownToBatch(
  run: Run,
  request: WriteRequest,
  outcomes: readonly ItemAnswer[],
): ReadonlySet<WriteItem> {
  const { version } = run.ports.client;
  if (version !== 'v3' || request.items.length < 2) return NONE;
  const missing = request.items.filter((item, index) => isMissing(item, outcomes[index]));
  const unknown = missing.filter((item) => !isAmbiguous(item, version));
  if (missing.length === request.items.length) noteRefused(run, 'by-id');
  return new Set(unknown);
}

const NONE: ReadonlySet<WriteItem> = new Set();

function creates({ items }: WriteRequest): boolean {
  return items[0]?.change.action === 'add';
}

function noteRefused(run: Run, which: 'creates' | 'by-id'): void {
  const before = which === 'creates' ? run.batches : run.batchesById;
  if (before === 'refused') return;
  if (which === 'creates') run.batches = 'refused';
  else run.batchesById = 'refused';
  const { batches, batchesById } = run;
  run.ports.onProgress?.({ kind: 'batches-refused', which, support: { batches, batchesById } });
}
