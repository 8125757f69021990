import type { Observed } from '../model/observed.ts';
import type { Change, Plan, PlanLimits, PlanUsage } from '../model/plan.ts';
import type { DomainPlan } from './domain.ts';

/** What the account's plan limits, and how much of it there is before anything is changed. */
export function planLimits(observed: Observed, plans: readonly DomainPlan[]): PlanLimits {
  const { domainsLimit, aliasesLimit, rulesLimit } = observed.account.plan;
  const live = (section: 'aliases' | 'rules'): number =>
    plans
      .flatMap((plan) => plan.sections)
      .filter((facts) => facts.section === section)
      .reduce((sum, facts) => sum + facts.managed + facts.unmanaged, 0);
  return {
    domains: { live: observed.domains.size, limit: known(domainsLimit) },
    aliases: { live: live('aliases'), limit: known(aliasesLimit) },
    rules: { live: live('rules'), limit: known(rulesLimit) },
  };
}

const KINDS = { domains: 'domain', aliases: 'alias', rules: 'rule' } as const;

/** How much of each known limit would be used once the plan is carried out; only what it adds something of. */
export function planUsage({ limits, changes }: Pick<Plan, 'limits' | 'changes'>): readonly PlanUsage[] {
  return (['domains', 'aliases', 'rules'] as const).flatMap((what) => {
    const { live, limit } = limits[what];
    const ours = changes.filter(({ kind }) => kind === KINDS[what]);
    const added = countOf(ours, 'add');
    return added === 0 || limit === null
      ? []
      : [{ what, used: live + added - countOf(ours, 'delete'), limit }];
  });
}

function countOf(changes: readonly Change[], action: Change['action']): number {
  return changes.filter((change) => change.action === action).length;
}

/** 0 means unknown or unlimited, never "no room". */
function known(limit: number | null): number | null {
  return limit === null || limit <= 0 ? null : limit;
}
