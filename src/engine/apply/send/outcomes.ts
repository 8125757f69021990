import { changeKey, itemKey } from '../../../core/kinds/item-key.ts';
import { idKey } from '../../../core/model/item-key.ts';
import type { ItemFailure } from '../../../client/client.ts';
import type { ApiError } from '../../../client/errors.ts';
import type { ApiVersion } from '../../../core/model/endpoints.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { Change, DomainChange } from '../../../core/model/plan.ts';
import { fail } from '../../../core/model/result.ts';
import { isAmbiguous, type WriteRequest } from '../../../core/plan/requests/requests.ts';
import {
  blockKey,
  recordDone,
  recordFailure,
  recordSkips,
  stopOn,
  type FailedEntry,
  type Ledger,
} from '../ledger.ts';
import type { RunRecorder } from '../history/run-recorder.ts';
import type { Findings } from '../known-account.ts';
import { DONE, type Accepted, type ItemAnswer } from './senders.ts';
import { endpointName } from '../../../core/kinds/endpoints.ts';
import { KINDS } from '../../../core/kinds/registry.ts';
import type { WriteItem } from '../../../core/kinds/steps.ts';

/** Records for the outcomes of items, and the API version that they come from. */
export interface Records {
  readonly ledger: Ledger;
  readonly findings: Findings;
  readonly version: ApiVersion;
  readonly recorder: Pick<RunRecorder, 'begin' | 'note' | 'end'>;
}

/**
 * Notes each item of an answered request, in the order sent. In v4 the index of a failure is the position in the
 * request (v4: Batch operations).
 */
export function noteOutcomes(records: Records, request: WriteRequest, { outcomes, apart }: Outcomes): void {
  for (const [index, item] of request.items.entries()) {
    if (apart.has(item)) continue;
    const outcome = outcomes[index];
    if (outcome === undefined) throw new Error(`item ${index} of ${request.operation} has no outcome`);
    if (outcome.ok) noteAccepted(records, item, outcome.value);
    else noteRefused(records, request, { item, index, failure: outcome.error });
  }
}

export interface Outcomes {
  /** Outcomes in the order sent. */
  readonly outcomes: readonly ItemAnswer[];
  /** Items for which this answer is not final. */
  readonly apart: ReadonlySet<WriteItem>;
}

/**
 * Notes an accepted item. A rule that moves or widens first and changes its condition later is done only after the
 * later change.
 */
export function noteAccepted(records: Records, item: WriteItem, accepted: Accepted): void {
  const { ledger, findings } = records;
  const { change } = item;
  ledger.wrote = true;
  records.recorder.note(item, { outcome: 'done', id: accepted.id });
  if (accepted.note !== undefined) ledger.notes.add(accepted.note);
  if (change.kind === 'domain') noteDomain(findings, change, accepted);
  if (KINDS[change.kind].identity === 'id') noteOtherId(findings, change, accepted.id);
  noteRank(records, change.domain, { sent: rankIn(item.sent), answered: accepted.rank });
  if (item.part?.isLast === false) return;
  const isKept = accepted.kept && !wasDone(ledger, change);
  recordDone(ledger, { change, id: accepted.id ?? change.id, isKept });
}

function noteDomain(
  findings: Findings,
  { domain, action }: DomainChange,
  { before, domain: made }: Accepted,
): void {
  if (before !== undefined) findings.rewritten.set(domain, before);
  if (action === 'add') findings.added.set(domain, made ?? null);
}

/** True if the same change was accepted in an earlier round. */
function wasDone({ done }: Ledger, change: Change): boolean {
  const before = done.get(itemKey(change));
  return before !== undefined && changeKey(before.change) === changeKey(change);
}

interface RefusedItem {
  readonly item: WriteItem;
  readonly index: number;
  readonly failure: ItemFailure;
}

/**
 * Message for a missing alias or rule (v4: Rules, "alias not found, rule not found"). Other missing things, such as a
 * destination's host, are refusals.
 */
const MISSING = /^(?:the )?(?:alias|rule)\b.{0,60}\bnot found\W*$/i;

export function isMissing({ change }: WriteItem, outcome: ItemAnswer | undefined): boolean {
  return change.action !== 'add' && outcome?.ok === false && MISSING.test(outcome.error.message);
}

/**
 * Notes a refused item. A delete of a missing item is done. If only batches can name the item, the next read has to
 * confirm that.
 */
function noteRefused(records: Records, request: WriteRequest, { item, index, failure }: RefusedItem): void {
  const { change } = item;
  const missing = isMissing(item, fail(failure));
  const { ledger, version } = records;
  if (missing && change.action === 'delete' && !isAmbiguous(item, version))
    return noteAccepted(records, item, DONE);
  records.recorder.note(item, { outcome: 'failed', message: failure.message });
  recordFailure(ledger, {
    change,
    cause: missing ? 'stale' : 'rejected',
    endpoint: endpointName(version, request.operation),
    status: 207,
    index,
    message: failure.message,
    errors: failure.errors,
  });
}

/** Notes a rule whose id was taken. Without this note, every run would add the rule again. */
function noteOtherId(findings: Findings, { action, domain, id }: Change, answered: string | null): void {
  if (action !== 'add' || id === null || answered === null || idKey(id) === idKey(answered)) {
    return;
  }
  findings.renamedRules.push({ domain, name: idKey(id), id: answered });
}

/** Notes a rank that differs from the one sent. It shows how many digits the service keeps. */
function noteRank(
  { ledger, findings }: Records,
  domain: DomainName,
  { sent, answered }: { readonly sent: number | undefined; readonly answered: number | undefined },
): void {
  if (sent === undefined || answered === undefined || sent === answered) return;
  const digits = /\.(\d+)$/.exec(String(answered))?.[1]?.length ?? 0;
  findings.rankDigits = Math.min(findings.rankDigits ?? digits, digits);
  ledger.misplaced.add(domain);
}

function rankIn(sent: object): number | undefined {
  return 'rank' in sent && typeof sent.rank === 'number' ? sent.rank : undefined;
}

export type UnknownOutcome = Extract<ApiError, { readonly kind: 'unknown-outcome' }>;

/** Handles a request that was refused as a whole, or that did not reach the service. */
export function refuseRequest(
  records: Records,
  request: WriteRequest,
  error: Exclude<ApiError, UnknownOutcome>,
): void {
  const [first] = request.items;
  if (first === undefined) return;
  const { ledger } = records;
  stopOn(ledger, error);
  if (error.kind === 'stopped') {
    const changes = request.items.map(({ change }) => change);
    return recordSkips(ledger, changes, error.message);
  }
  if (error.kind === 'not-found') return refuseMissing(records, request, error);
  if (error.kind === 'forbidden') {
    const { kind } = first.change;
    const reason = `the service does not allow it here (403): ${error.message}`;
    ledger.blocked.set(blockKey(request.domain, kind), reason);
  }
  // A read that the request needs failed. The request was not sent, and the next round may send it.
  const cause = error.kind === 'unproven' ? 'stale' : 'rejected';
  failItems(records, request, { cause, error });
}

/** Handles a 404. Field notes: for one item it means that the item is missing; otherwise the domain is missing. */
function refuseMissing(
  records: Records,
  request: WriteRequest,
  error: Extract<ApiError, { readonly kind: 'not-found' }>,
): void {
  const { items } = request;
  const [first] = items;
  const concernsItem = items.length === 1 && first !== undefined && first.change.action !== 'add';
  if (concernsItem && first.change.action === 'delete') return noteAccepted(records, first, DONE);
  if (!concernsItem || first.change.kind === 'domain') {
    records.ledger.blocked.set(blockKey(request.domain), `the service does not find ${request.domain} (404)`);
  }
  failItems(records, request, { cause: concernsItem ? 'stale' : 'rejected', error });
}

/** Records every item of a request that failed as a whole, with the answer's status. */
export function failItems(
  { ledger, version, recorder }: Records,
  request: WriteRequest,
  { cause, error }: { readonly cause: FailedEntry['cause']; readonly error: ApiError },
): void {
  const outcome =
    error.kind === 'unproven' ? 'not-done' : error.kind === 'unknown-outcome' ? 'unknown' : 'failed';
  for (const [index, item] of request.items.entries()) {
    const { change } = item;
    recorder.note(item, { outcome, message: error.message });
    recordFailure(ledger, {
      change,
      cause,
      endpoint: endpointName(version, request.operation),
      status: error.status,
      index: request.items.length > 1 ? index : null,
      message: error.message,
      errors: error.kind === 'rejected' ? error.errors : {},
    });
  }
}
