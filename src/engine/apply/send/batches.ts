import type { ApiError } from '../../../client/errors.ts';
import type { ApiVersion } from '../../../core/model/endpoints.ts';
import { isAmbiguous, type BatchSupport, type WriteRequest } from '../../../core/plan/requests/requests.ts';
import type { ApplyPorts } from '../ports.ts';
import type { ItemAnswer } from './senders.ts';
import { isMissing } from './outcomes.ts';
import type { WriteItem } from '../../../core/kinds/steps.ts';

/** Support for batches as this run has seen it. A batch that was refused once is not tried again. */
export interface KnownBatches extends Required<BatchSupport> {
  batches: BatchSupport['batches'];
  batchesById: BatchSupport['batches'];
  readonly onRefused: (which: 'creates' | 'by-id', support: BatchSupport) => void;
}

export function openKnownBatches(onProgress: ApplyPorts['onProgress']): KnownBatches {
  return {
    batches: 'allowed',
    batchesById: 'allowed',
    onRefused: (which, support) => onProgress?.({ kind: 'batches-refused', which, support }),
  };
}

/**
 * True if a batch create was refused as a whole, so its items are sent one by one. A free account is refused every
 * batch, and the status for that is not documented (v4: Aliases). A 404 says nothing about other domains.
 */
export function isWholeRefusal(known: KnownBatches, request: WriteRequest, error: ApiError): boolean {
  if (!creates(request) || request.items.length < 2) return false;
  const { kind, status } = error;
  const isRefusal = kind === 'forbidden' || (kind === 'rejected' && status !== null && status >= 400);
  if (isRefusal) noteRefused(known, 'creates');
  return isRefusal || kind === 'not-found';
}

/**
 * Returns the items that a v3 batch reports as not found although they are listed. Listings show decimal ids, and it
 * is not documented whether batches know those (v3: Resources). These items go to the single endpoints, which accept
 * them. If a batch knows none of its items, this run sends no further batch by id.
 */
export function unknownToBatch(
  known: KnownBatches,
  { items }: WriteRequest,
  { outcomes, version }: { readonly outcomes: readonly ItemAnswer[]; readonly version: ApiVersion },
): ReadonlySet<WriteItem> {
  if (version !== 'v3' || items.length < 2) return NONE;
  const missing = items.filter((item, index) => isMissing(item, outcomes[index]));
  const unknown = missing.filter((item) => !isAmbiguous(item, version));
  if (missing.length === items.length) noteRefused(known, 'by-id');
  return new Set(unknown);
}

const NONE: ReadonlySet<WriteItem> = new Set();

function creates({ items }: WriteRequest): boolean {
  return items[0]?.change.action === 'add';
}

function noteRefused(known: KnownBatches, which: 'creates' | 'by-id'): void {
  const field = which === 'creates' ? 'batches' : 'batchesById';
  if (known[field] === 'refused') return;
  known[field] = 'refused';
  known.onRefused(which, { batches: known.batches, batchesById: known.batchesById });
}
