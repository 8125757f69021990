import type { ApiError } from '../../api/errors.ts';
import { endpointName } from '../../model/endpoints.ts';
import type { WriteRequest } from '../../plan/requests/requests.ts';
import { type FailedEntry, stopOn } from '../ledger.ts';
import { noteAccepted } from './outcomes.ts';
import { DONE } from './senders.ts';
import { blockKey, markFailed, markSkipped, type Run } from '../run.ts';

export type UnknownOutcome = Extract<ApiError, { readonly kind: 'unknown-outcome' }>;

/** Draws the consequences of a request that was refused as a whole, or never got through. */
export function refuseRequest(
  run: Run,
  request: WriteRequest,
  error: Exclude<ApiError, UnknownOutcome>,
): void {
  const [first] = request.items;
  if (first === undefined) return;
  stopOn(run.ledger, error);
  if (error.kind === 'stopped') {
    const changes = request.items.map(({ change }) => change);
    return markSkipped(run, changes, error.message);
  }
  if (error.kind === 'not-found') return refuseMissing(run, request, error);
  if (error.kind === 'forbidden') {
    const { kind } = first.change;
    const reason = `the service does not allow it here (403): ${error.message}`;
    run.blocked.set(blockKey(request.domain, kind), reason);
  }
  // What was to be read before the request could not be: it was not sent, and the next round may send it.
  const cause = error.kind === 'unproven' ? 'stale' : 'rejected';
  failItems(run, request, { cause, error });
}

/** Field notes: 404 of one item means that the item is gone; of anything else, that the domain is. */
function refuseMissing(
  run: Run,
  request: WriteRequest,
  error: Extract<ApiError, { readonly kind: 'not-found' }>,
): void {
  const { items } = request;
  const [first] = items;
  const concernsItem = items.length === 1 && first !== undefined && first.change.action !== 'add';
  if (concernsItem && first.change.action === 'delete') return noteAccepted(run, first, DONE);
  if (!concernsItem || first.change.kind === 'domain') {
    run.blocked.set(blockKey(request.domain), `the service does not find ${request.domain} (404)`);
  }
  failItems(run, request, { cause: concernsItem ? 'stale' : 'rejected', error });
}

/** Every item of a request that failed as a whole is listed with the answer's status. */
export function failItems(
  run: Run,
  request: WriteRequest,
  { cause, error }: { readonly cause: FailedEntry['cause']; readonly error: ApiError },
): void {
  for (const [index, { change }] of request.items.entries()) {
    markFailed(run, {
      change,
      cause,
      endpoint: endpointName(run.ports.client.version, request.operation),
      status: error.status,
      index: request.items.length > 1 ? index : null,
      message: error.message,
      errors: error.kind === 'rejected' ? error.errors : {},
    });
  }
}
