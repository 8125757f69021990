import type { Change } from '../../model/plan.ts';
import type { DomainPlan, SectionPlan } from '../diff/section.ts';

/**
 * Returns the deletes that guards count. Excluded are the old rule of a type change, items that the service created,
 * conditional changes, and items deleted with their domain.
 */
export function countedDeletes(section: SectionPlan): readonly Change[] {
  return section.changes.filter(
    (change) =>
      change.action === 'delete' &&
      !change.conditional &&
      change.reason !== 'type-change' &&
      !section.serviceOwn.includes(change),
  );
}

/** Returns the number of deletes in the run, which `--allow-deletes` must state. */
export function totalDeletes(domains: readonly DomainPlan[]): number {
  return sum(domains.flatMap((plan) => plan.sections).map((section) => countedDeletes(section).length));
}

/** Returns the number of live managed items in all domains of the run. */
export function totalManaged(domains: readonly DomainPlan[]): number {
  return sum(domains.flatMap((plan) => plan.sections).map((section) => section.managed));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
