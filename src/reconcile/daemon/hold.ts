import { KINDS } from '../../model/kinds.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change, Plan } from '../../model/plan.ts';

/** What runs of a plan when some of its changes must not be made. */
export interface Held {
  readonly plan: Plan;
  readonly heldBack: readonly Change[];
}

/**
 * Leaves changes out together with what depends on them: the rules of a domain are one order, and its stage 2 takes
 * routes away that stage 1 was to replace.
 */
export function holdBack(plan: Plan, held: ReadonlySet<Change>): Held {
  if (held.size === 0) return { plan, heldBack: [] };
  const rules = new Set<DomainName>();
  const stageTwo = new Set<DomainName>();
  for (const { kind, domain } of held) {
    if (kind === 'rule') rules.add(domain);
    if (KINDS[kind].routesMail) stageTwo.add(domain);
  }
  const isHeld = (change: Change): boolean =>
    held.has(change) ||
    (change.kind === 'rule' && rules.has(change.domain)) ||
    (KINDS[change.kind].routesMail && change.stage === 2 && stageTwo.has(change.domain));
  return {
    plan: { ...plan, changes: plan.changes.filter((change) => !isHeld(change)) },
    heldBack: plan.changes.filter(isHeld),
  };
}
