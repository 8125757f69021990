import type { GuardFinding } from '../../model/plan.ts';
import { type Prior, predecessorOf } from '../../model/prior.ts';
import type { Section } from '../../model/kinds.ts';
import type { DomainPlan } from '../diff/section.ts';
import type { Policy } from '../policy.ts';
import { countedDeletes, totalDeletes } from './counting.ts';
import { allowance } from './deletes.ts';
import type { GuardInput } from './input.ts';

/** Checks for a manifest or an account that is suddenly much smaller; it may have been cut off. */
export function guardShrinking(input: GuardInput): readonly GuardFinding[] {
  const total = totalDeletes(input.domains);
  return [
    ...guardManifest(input, total),
    ...input.domains.flatMap((plan) => guardRemote(plan, input.prior, total, input.policy)),
  ];
}

const MANIFEST_SHARE_PERCENT = 10;
/** A decrease up to this number is not an accident. */
const FEW = 2;

function guardManifest(input: GuardInput, total: number): readonly GuardFinding[] {
  const before = predecessorOf(input.size, input.prior.manifests);
  if (before === null || !prunes(input.domains)) return [];
  const fallen = [
    { part: 'domains', before: before.domains.size, now: input.size.domains.size },
    { part: 'entries', before: before.entries, now: input.size.entries },
  ]
    .map((fall) => ({
      ...fall,
      planned: fall.before - fall.now,
      limit: Math.max(FEW, Math.floor((fall.before * MANIFEST_SHARE_PERCENT) / 100)),
    }))
    .find(({ planned, limit }) => planned > limit);
  if (fallen === undefined) return [];
  const { part, planned, limit } = fallen;
  return [
    {
      guard: 'manifest-shrink',
      scope: 'run',
      limit,
      planned,
      message: `the manifest has ${planned} ${part} fewer than the ${fallen.before} of the last apply, and ${total} items would be deleted`,
      ...allowance({ kind: 'deletes', count: total }, input.policy),
      holds: { kind: 'run-deletes' },
      refuses: true,
    },
  ];
}

/** True if something is deleted because the manifest no longer names it. */
function prunes(domains: readonly DomainPlan[]): boolean {
  return domains.some((plan) =>
    plan.sections.some((section) => countedDeletes(section).some(({ reason }) => reason === 'prune')),
  );
}

function guardRemote(plan: DomainPlan, prior: Prior, total: number, policy: Policy): readonly GuardFinding[] {
  const { domain } = plan;
  const before = prior.domains.get(domain)?.live;
  if (before === undefined || !plan.changes.some(takesAway)) return [];
  const fallen = plan.sections
    .map(({ section, managed, unmanaged }) => ({
      section,
      live: managed + unmanaged,
      was: before[section] ?? 0,
    }))
    .find(({ live, was }) => live * 2 < was);
  return fallen === undefined ? [] : [remoteShrink(domain, fallen, total, policy)];
}

/**
 * True if a change removes or narrows. A conditional change concerns an alias that the service creates during the run,
 * so it does not count.
 */
function takesAway({ stage, conditional }: DomainPlan['changes'][number]): boolean {
  return stage === 2 && !conditional;
}

function remoteShrink(
  domain: DomainPlan['domain'],
  fallen: { readonly section: Section; readonly live: number; readonly was: number },
  total: number,
  policy: Policy,
): GuardFinding {
  const { section, live, was } = fallen;
  return {
    guard: 'remote-shrink',
    scope: domain,
    limit: Math.ceil(was / 2),
    planned: live,
    message: `${domain} has ${live} live ${section}, but had ${was} at the last read: nothing is deleted or narrowed there`,
    ...allowance({ kind: 'deletes', count: total }, policy),
    holds: { kind: 'domain-deletes', domain },
    refuses: false,
  };
}
