import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { FRESH_FOR } from '../plan/reads.ts';
import { approve, isApprovedBy } from './approval-key.ts';
import { isHeldBack } from './approval.ts';
import { itemOf, stopOn } from './ledger.ts';
import { planAgain, readDomains } from './look.ts';
import { isNotKept } from './not-kept.ts';
import { isStopped, markSkipped, type Run } from './run.ts';

/**
 * What of a domain's stage 2 is still to be done, by a listing that is no older than two minutes: an older one is read
 * again, and what changed since is planned again. A domain that needs more of stage 1 by now waits for the next round.
 */
export async function freshen(
  run: Run,
  domain: DomainName,
  late: readonly Change[],
): Promise<readonly Change[]> {
  if (!isStale(run, domain) || isStopped(run)) return late;
  const read = await readDomains(run, [domain]);
  if (!read.ok) stopOn(run.ledger, read.error);
  const plan = planAgain(run, [domain]);
  const unread = plan.withheld[0]?.reason;
  if (unread !== undefined) {
    markSkipped(run, late, `the domain could not be read again before its stage 2: ${unread}`);
    return [];
  }
  const open = plan.changes.filter((change) => !isHeldBack(run, change));
  const early = open.find((change) => change.stage === 1 && !isUndone(run, change));
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

function isStale(run: Run, domain: DomainName): boolean {
  const readAt = run.observed.domains.get(domain)?.readAt ?? null;
  return readAt !== null && run.ports.clock.now() - readAt > FRESH_FOR;
}

/** What failed or was skipped before is no news, and holds stage 2 back by itself. */
function isUndone({ ledger }: Run, change: Change): boolean {
  const item = itemOf(change);
  return ledger.failed.has(item) || ledger.skipped.has(item);
}
