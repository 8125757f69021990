import { actionKey, changeKey, itemKey } from '../model/item-key.ts';
import type { DomainName } from '../model/names.ts';
import type { Change, Plan } from '../model/plan.ts';
import { isRefused } from '../plan/withhold.ts';
import { isApprovedBy } from './approval-key.ts';
import { isHeldUp, STAGE_ONE_FAILED } from './ledger.ts';
import { isNotKept } from './memory/not-kept.ts';
import { resolvePasswords } from './send/passwords.ts';
import { chainOfKind } from '../plan/requests/order.ts';
import { blockReason, markSkipped, type Run } from './run.ts';

export function isHeldBack(run: Run, change: Change): boolean {
  return run.heldBack.has(actionKey(change));
}

/**
 * What of a plan that was made on the way may be sent: not what is held back, not what the service rejected or accepted
 * before as it is, no delete that was not approved, and nothing new if a guard speaks against the new plan.
 */
export async function selectWork(run: Run, plan: Plan): Promise<readonly Change[]> {
  const guard = isRefused(plan) ? 'refuses' : 'passes';
  const lost = lostRoutes(run, plan);
  const work: Change[] = [];
  for (const change of plan.changes) {
    if (isHeldBack(run, change) || isNotKept(run, change) || wasRejected(run, change)) continue;
    const reason = isApprovedBy(run.approval, change)
      ? heldUpReason(run, change, lost)
      : newcomerReason(run, change, guard);
    if (reason === null) work.push(change);
    else markSkipped(run, [change], reason);
  }
  return withPasswords(run, work);
}

/** Domains in which something was accepted before stage 2 and is not in place. */
function lostRoutes(run: Run, plan: Plan): ReadonlySet<DomainName> {
  const lost = plan.changes.filter((change) => change.stage === 1 && isNotKept(run, change));
  return new Set(lost.filter(({ kind }) => chainOfKind(kind) === 'routes').map(({ domain }) => domain));
}

/** A rejection in its way lasts for the run, and so does what the service does not keep. */
function heldUpReason(run: Run, change: Change, lost: ReadonlySet<DomainName>): string | null {
  const blocked = blockReason(run, change.domain, change.kind);
  if (blocked !== null || change.stage === 1) return blocked;
  const chain = chainOfKind(change.kind);
  if (chain === 'routes' && lost.has(change.domain)) return 'something before it was not kept';
  return isHeldUp(run.ledger, change.domain, chain, 'for-good') ? STAGE_ONE_FAILED : null;
}

function newcomerReason(run: Run, change: Change, guard: 'refuses' | 'passes'): string | null {
  if (change.action === 'delete' || isLeft(run, change)) {
    return 'it appeared or changed during the run: the next plan shows it';
  }
  return guard === 'refuses' ? 'it appeared during the run, and a guard refuses it' : null;
}

/**
 * Where a plan runs as it was approved: what it says nothing about. Ranks follow from the order that it does state; a domain
 * that it takes to be there, and that is gone by now, was deleted by somebody.
 */
function isLeft({ input }: Run, change: Change): boolean {
  if (input.newcomers !== 'left' || change.action === 'move') return false;
  if (change.kind === 'domain' && change.action === 'add') return true;
  return input.plan.changes.every((approved) => itemKey(approved) !== itemKey(change));
}

function wasRejected(run: Run, change: Change): boolean {
  const failed = run.ledger.failed.get(itemKey(change));
  return failed?.cause === 'rejected' && changeKey(failed.change) === changeKey(change);
}

/** A credential that came up during the run needs its password now. */
async function withPasswords(run: Run, work: readonly Change[]): Promise<readonly Change[]> {
  const needed = work.filter((change) => change.kind === 'credential' && !run.passwords.has(itemKey(change)));
  const missing = new Set<Change>();
  for (const change of needed) {
    const resolved = await resolvePasswords([change], run.input.desired, run.ports.resolvePassword);
    if (resolved.ok) {
      for (const [item, password] of resolved.value) run.passwords.set(item, password);
      continue;
    }
    missing.add(change);
    const message = resolved.error.map((problem) => problem.message).join('; ');
    markSkipped(run, [change], message);
  }
  return missing.size === 0 ? work : work.filter((change) => !missing.has(change));
}
