import type { Allowance, GuardSettings } from '../../model/desired.ts';
import type { DomainChange, GuardFinding } from '../../model/plan.ts';
import type { DomainPlan, SectionPlan } from '../diff/section.ts';
import { allows, showAllowance, type Policy } from '../policy.ts';
import { countedDeletes, totalDeletes, totalManaged } from './counting.ts';
import type { GuardInput } from './input.ts';
import { contentsText } from '../../kinds/items.ts';

/** Checks deletes: too many in a section or in the run, sections left empty, and deleted domains. */
export function guardDeletes({ domains, policy }: GuardInput): readonly GuardFinding[] {
  const total = totalDeletes(domains);
  return [
    ...guardRun(total, domains, policy),
    ...domains.flatMap((plan) => [
      ...plan.sections.flatMap((section) => [
        ...guardSection(plan, section, total, policy),
        ...guardEmptySection(plan, section, policy),
      ]),
      ...plan.changes
        .filter((change) => change.kind === 'domain' && change.action === 'delete')
        .map((change) => domainDelete(change as Required<DomainChange>, policy)),
    ]),
  ];
}

/** In large accounts one delete per this number of live managed items is allowed. */
const RUN_SHARE = 1000;

function guardRun(total: number, domains: readonly DomainPlan[], policy: Policy): readonly GuardFinding[] {
  const limit = Math.max(policy.guards.maxDeletes, Math.floor(totalManaged(domains) / RUN_SHARE));
  if (total <= limit) return [];
  return [
    {
      guard: 'max-deletes',
      scope: 'run',
      limit,
      planned: total,
      message: `the run would delete ${total} items; more than ${limit} need approval`,
      ...allowance({ kind: 'deletes', count: total }, policy),
      holds: { kind: 'run-deletes' },
      refuses: true,
    },
  ];
}

function guardSection(
  { domain }: DomainPlan,
  section: SectionPlan,
  total: number,
  policy: Policy,
): readonly GuardFinding[] {
  const planned = countedDeletes(section).length;
  const limit = sectionLimit(section.live, policy.guards);
  if (planned <= limit) return [];
  return [
    {
      guard: 'max-deletes',
      scope: `${domain}/${section.section}`,
      limit,
      planned,
      message: `${planned} of the ${section.live} live ${section.section} of ${domain} would be deleted; more than ${limit} need approval`,
      ...allowance({ kind: 'deletes', count: total }, policy),
      holds: { kind: 'domain-deletes', domain },
      refuses: true,
    },
  ];
}

/**
 * Returns the most deletes in a section without approval: 2 or the percentage, but never more than half of two or more
 * items.
 */
function sectionLimit(live: number, { maxDeletePercent }: GuardSettings): number {
  const byShare = Math.max(2, Math.floor((live * maxDeletePercent) / 100));
  const byHalf = live >= 2 && maxDeletePercent < 50 ? Math.floor(live / 2) : Infinity;
  return Math.min(byShare, byHalf);
}

function guardEmptySection(
  { domain }: DomainPlan,
  section: SectionPlan,
  policy: Policy,
): readonly GuardFinding[] {
  const planned = countedDeletes(section).length;
  const left = section.live + section.changes.reduce((change, { action }) => change + WEIGHT[action], 0);
  if (planned === 0 || left > 0) return [];
  return [
    {
      guard: 'empty-section',
      scope: domain,
      limit: 0,
      planned,
      message: `${domain} would be left without any ${section.section}: ${planned} would be deleted`,
      ...allowance({ kind: 'empty', domain, section: section.section }, policy),
      holds: { kind: 'domain-deletes', domain },
      refuses: true,
    },
  ];
}

/** The change in item count: +1, 0 or -1. */
const WEIGHT = { add: 1, update: 0, move: 0, delete: -1 } as const;

function domainDelete({ domain, contents }: Required<DomainChange>, policy: Policy): GuardFinding {
  return {
    guard: 'domain-delete',
    scope: domain,
    limit: 0,
    planned: 1,
    message: `${domain} would be deleted, and with it ${contentsText(contents)}`,
    ...allowance({ kind: 'domain-delete', domain }, policy),
    holds: { kind: 'domain', domain },
    refuses: true,
  };
}

/** Returns the fields of a finding that hold its allowance. */
export function allowance(
  allowance: Allowance,
  policy: Policy,
): Pick<GuardFinding, 'allowance' | 'allow' | 'allowed'> {
  return { allowance, allow: showAllowance(allowance), allowed: allows(policy, allowance) };
}
