import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { FRESH_FOR } from '../plan/reads.ts';
import { isApproved, isHeldBack, isNotKept } from './approval.ts';
import { itemOf, stopFor, stopRun } from './ledger.ts';
import { planAgain, readDomains } from './look.ts';
import { isStopped, markSkipped, type Run } from './run.ts';

/**
 * What stage 2 has to do, by listings that are no older than two minutes: older ones are read again, and what changed
 * since is planned again. A domain that needs more of stage 1 by now waits for the next round.
 */
export async function freshen(run: Run, late: readonly Change[]): Promise<readonly Change[]> {
  const stale = new Set(late.map(({ domain }) => domain).filter((domain) => isStale(run, domain)));
  if (stale.size === 0 || isStopped(run)) return late;
  const domains = new Map(run.observed.domains);
  const unproven = new Map(run.observed.unproven);
  const read = await readDomains(run, [...stale], { domains, unproven });
  if (!read.ok) {
    const stop = stopFor(read.error);
    if (stop !== null) stopRun(run.ledger, stop);
  }
  run.observed = { ...run.observed, domains, unproven };
  const planned = Map.groupBy(planAgain(run, stale).changes, ({ domain }) => domain);
  const fresh = [...stale].flatMap((domain) => {
    const before = late.filter((change) => change.domain === domain);
    return freshChanges(run, domain, { before, after: planned.get(domain) ?? [] });
  });
  return [...late.filter(({ domain }) => !stale.has(domain)), ...fresh];
}

function isStale(run: Run, domain: DomainName): boolean {
  const readAt = run.observed.domains.get(domain)?.readAt ?? null;
  return readAt !== null && run.ports.clock.now() - readAt > FRESH_FOR;
}

function freshChanges(
  run: Run,
  domain: DomainName,
  { before, after }: { readonly before: readonly Change[]; readonly after: readonly Change[] },
): readonly Change[] {
  const reason = run.observed.unproven.get(domain)?.reason;
  if (reason !== undefined) {
    markSkipped(run, before, `the domain could not be read again before its stage 2: ${reason}`);
    return [];
  }
  const open = after.filter((change) => !isHeldBack(run, change) && !isNotKept(run, change));
  const came = open.some((change) => change.stage === 1 && !run.ledger.failed.has(itemOf(change)));
  if (came) {
    markSkipped(run, before, 'the domain was changed by somebody else during the run');
    return [];
  }
  return open.filter((change) => change.stage === 2 && isApproved(run, change));
}
