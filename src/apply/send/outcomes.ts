import { changeKey, itemKey, ruleIdKey } from '../../model/item-key.ts';
import type { ItemFailure } from '../../api/client.ts';
import { endpointName } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change, DomainChange } from '../../model/plan.ts';
import { fail } from '../../model/result.ts';
import type { WriteItem } from '../../plan/requests/order.ts';
import { isAmbiguous, type WriteRequest } from '../../plan/requests/requests.ts';
import { markDone, markFailed, type Run } from '../run.ts';
import { DONE, type Accepted, type ItemAnswer } from './senders.ts';

/**
 * Notes each item of an answered request, in the order sent (v4: Batch operations; the index of a failure is the position
 * in what was sent).
 */
export function noteOutcomes(run: Run, request: WriteRequest, { outcomes, apart }: Outcomes): void {
  for (const [index, item] of request.items.entries()) {
    if (apart.has(item)) continue;
    const outcome = outcomes[index];
    if (outcome === undefined) throw new Error(`item ${index} of ${request.operation} has no outcome`);
    if (outcome.ok) noteAccepted(run, item, outcome.value);
    else noteRefused(run, request, { item, index, failure: outcome.error });
  }
}

export interface Outcomes {
  /** In the order sent. */
  readonly outcomes: readonly ItemAnswer[];
  /** Items of which this answer is not the last word. */
  readonly apart: ReadonlySet<WriteItem>;
}

/** A rule that moves now and changes in stage 2 is done only then. */
export function noteAccepted(run: Run, item: WriteItem, accepted: Accepted): void {
  const { change } = item;
  run.ledger.wrote = true;
  if (accepted.note !== undefined) run.ledger.notes.add(accepted.note);
  if (item.kind === 'domain') noteDomain(run, item.change, accepted);
  if (item.kind === 'rule') {
    noteRuleId(run, change, accepted.id);
    noteRank(run, change.domain, { sent: item.rule.rank, answered: accepted.rank });
  }
  if (item.kind === 'rule' && item.part === 'move' && change.stage === 2) return;
  const isKept = accepted.kept && !wasDone(run, change);
  markDone(run, { change, id: accepted.id ?? change.id, isKept });
}

function noteDomain(run: Run, { domain, action }: DomainChange, { before, domain: made }: Accepted): void {
  if (before !== undefined) run.rewritten.set(domain, before);
  if (action === 'add') run.added.set(domain, made ?? null);
}

/** Whether the very same was accepted in an earlier round. */
function wasDone({ ledger }: Run, change: Change): boolean {
  const before = ledger.done.get(itemKey(change));
  return before !== undefined && changeKey(before.change) === changeKey(change);
}

interface RefusedItem {
  readonly item: WriteItem;
  readonly index: number;
  readonly failure: ItemFailure;
}

/** v4: Rules, "alias not found, rule not found". Other things that are not found, such as a destination's host, are refusals. */
const MISSING = /^(?:the )?(?:alias|rule)\b.{0,60}\bnot found\W*$/i;

export function isMissing({ change }: WriteItem, outcome: ItemAnswer | undefined): boolean {
  return change.action !== 'add' && outcome?.ok === false && MISSING.test(outcome.error.message);
}

/** What is to be deleted and is gone is done; where only batches can name it, the next read has to show that. */
function noteRefused(run: Run, request: WriteRequest, { item, index, failure }: RefusedItem): void {
  const { change } = item;
  const missing = isMissing(item, fail(failure));
  const { version } = run.ports.client;
  if (missing && change.action === 'delete' && !isAmbiguous(item, version))
    return noteAccepted(run, item, DONE);
  markFailed(run, {
    change,
    cause: missing ? 'stale' : 'rejected',
    endpoint: endpointName(version, request.operation),
    status: 207,
    index,
    message: failure.message,
    errors: failure.errors,
  });
}

/** Else a rule whose id is taken would be added again by every run. */
function noteRuleId(run: Run, { action, domain, id }: Change, answered: string | null): void {
  if (action !== 'add' || id === null || answered === null || ruleIdKey(id) === ruleIdKey(answered)) {
    return;
  }
  run.renamedRules.push({ domain, name: ruleIdKey(id), id: answered });
}

/** A rank that comes back otherwise than it was sent tells how many digits the service keeps. */
function noteRank(
  run: Run,
  domain: DomainName,
  { sent, answered }: { readonly sent: number | undefined; readonly answered: number | undefined },
): void {
  if (sent === undefined || answered === undefined || sent === answered) return;
  const digits = /\.(\d+)$/.exec(String(answered))?.[1]?.length ?? 0;
  run.rankDigits = Math.min(run.rankDigits ?? digits, digits);
  run.misplaced.add(domain);
}
