import type { Observed } from '../model/observed.ts';
import type { Plan, PlanLimits, PlanUsage } from '../model/plan.ts';
import type { DomainPlan } from './diff/section.ts';

/** What the account's plan limits, and how much of it there is before anything is changed. */
export function planLimits(observed: Observed, plans: readonly DomainPlan[]): PlanLimits {
  const { domainsLimit, aliasesLimit, rulesLimit } = observed.account.plan;
  const live = (section: 'aliases' | 'rules'): number =>
    plans
      .flatMap((plan) => plan.sections)
      .filter((facts) => facts.section === section)
      .reduce((sum, facts) => sum + facts.managed + facts.unmanaged, 0);
  return {
    domains: { live: observed.domains.size, limit: observed.partial ? null : known(domainsLimit) },
    aliases: { live: live('aliases'), limit: known(aliasesLimit) },
    rules: { live: live('rules'), limit: known(rulesLimit) },
  };
}

const KINDS = { domains: 'domain', aliases: 'alias', rules: 'rule' } as const;

/**
 * How much of each known limit would be used once the plan is applied; only of what it adds or deletes. Aliases and
 * rules of a domain that is deleted are not among the live ones.
 */
export function planUsage({ limits, changes }: Pick<Plan, 'limits' | 'changes'>): readonly PlanUsage[] {
  return (['domains', 'aliases', 'rules'] as const).flatMap((what) => {
    const { live, limit } = limits[what];
    const ours = changes.filter(({ kind }) => kind === KINDS[what]);
    const added = ours.filter(({ action }) => action === 'add').length;
    // What may have to be deleted of a new domain is not live yet.
    const deleted = ours.filter(({ action, conditional }) => action === 'delete' && !conditional).length;
    return limit === null || added + deleted === 0 ? [] : [{ what, used: live + added - deleted, limit }];
  });
}

/** 0 means unknown or unlimited, never "no room". */
function known(limit: number | null): number | null {
  return (limit ?? 0) <= 0 ? null : limit;
}
