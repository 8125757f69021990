import type { Change } from '../../model/plan.ts';
import type { DomainPlan, SectionPlan } from '../diff/section.ts';

/**
 * The deletes that count: not the old rule of a change of type, not what the service made by itself, not what is
 * conditional, and not what goes with a domain.
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

/** The number that allows deletes: those of the whole run. */
export function totalDeletes(domains: readonly DomainPlan[]): number {
  return sum(domains.flatMap((plan) => plan.sections).map((section) => countedDeletes(section).length));
}

/** Live items that the manifest manages, in all domains of the run. */
export function totalManaged(domains: readonly DomainPlan[]): number {
  return sum(domains.flatMap((plan) => plan.sections).map((section) => section.managed));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
