import type { Observed } from '../model/observed.ts';
import type { Plan, PlanLimits, PlanUsage } from '../model/plan.ts';
import type { DomainPlan } from './diff/section.ts';

/** Returns the limits of the account's plan, and the number of live items before any change. */
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
 * Returns the use of each known limit after the plan is applied, if the plan adds or deletes such items. Aliases and
 * rules of a deleted domain are not among the live ones.
 */
export function planUsage({ limits, changes }: Pick<Plan, 'limits' | 'changes'>): readonly PlanUsage[] {
  return (['domains', 'aliases', 'rules'] as const).flatMap((what) => {
    const { live, limit } = limits[what];
    const ours = changes.filter(({ kind }) => kind === KINDS[what]);
    const added = ours.filter(({ action }) => action === 'add').length;
    // Conditional deletes of a new domain are not live yet.
    const deleted = ours.filter(({ action, conditional }) => action === 'delete' && !conditional).length;
    return limit === null || added + deleted === 0 ? [] : [{ what, used: live + added - deleted, limit }];
  });
}

/** Returns null for 0, which means unknown or unlimited, never "no room". */
function known(limit: number | null): number | null {
  return (limit ?? 0) <= 0 ? null : limit;
}
