import { itemKey } from '../model/item-key.ts';
import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { needsFreshRead } from '../plan/requests/reads.ts';
import { approve, isApprovedBy } from './approval-key.ts';
import { isHeldBack } from './approval.ts';
import { stopOn } from './ledger.ts';
import { planAgain, rereadDomains } from './look.ts';
import { isNotKept } from './memory/not-kept.ts';
import { isStopped, markSkipped, type Run } from './run.ts';

/**
 * What of these changes of a domain's stage 2 is still to be done. Where they may take a route away the domain is read
 * again right before them, all its sections in one round trip; otherwise when its listing is over two minutes old. What
 * changed since is planned again. A domain that needs more of stage 1 by now waits for the next round.
 */
export async function freshen(
  run: Run,
  domain: DomainName,
  late: readonly Change[],
): Promise<readonly Change[]> {
  const readAt = run.observed.domains.get(domain)?.readAt ?? null;
  if (!needsFreshRead(late, readAt, run.ports.clock.monotonic()) || isStopped(run)) return late;
  const read = await rereadDomains(run, [domain]);
  if (!read.ok) stopOn(run.ledger, read.error);
  const plan = planAgain(run, [domain]);
  const unread = plan.withheld[0]?.reason;
  if (unread !== undefined) {
    markSkipped(run, late, `the domain could not be read again before its stage 2: ${unread}`);
    return [];
  }
  const open = plan.changes.filter((change) => !isHeldBack(run, change));
  const early = open.find((change) => change.stage === 1 && !isSetting(change) && !isUndone(run, change));
  if (early !== undefined) {
    const what = `${early.kind} ${early.name}`;
    const reason = isNotKept(run, early)
      ? `${what} was accepted before it and is not in place`
      : `${what} was changed by somebody else during the run`;
    markSkipped(run, late, reason);
    return [];
  }
  const approval = approve(late);
  return open.filter((change) => change.stage === 2 && isApprovedBy(approval, change));
}

/** Settings are no part of what was read, and no route depends on them. */
function isSetting({ kind, action }: Change): boolean {
  return kind === 'domain' && action === 'update';
}

/** What failed or was skipped before is no news, and holds stage 2 back by itself. */
function isUndone({ ledger }: Run, change: Change): boolean {
  const item = itemKey(change);
  return ledger.failed.has(item) || ledger.skipped.has(item);
}
