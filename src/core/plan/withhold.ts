import type { DomainName } from '../model/names.ts';
import type { Observed } from '../model/observed.ts';
import { itemKey } from '../kinds/item-key.ts';
import type { Change, GuardFinding, Plan, PlanSummary, WaitReason, Waits, Withheld } from '../model/plan.ts';
import type { DomainPlan } from './diff/section.ts';
import { dependenciesOf, neededBy } from './requests/dependencies.ts';
import { compareText } from './sorting.ts';
import { KINDS } from '../kinds/registry.ts';

/** True if a guard without an allowance refuses the plan (exit 4). */
export function isRefused(plan: {
  readonly guards: readonly Pick<GuardFinding, 'refuses' | 'allowed'>[];
}): boolean {
  return plan.guards.some((finding) => finding.refuses && !finding.allowed);
}

/**
 * Returns the plan without the parts that guards hold back. These are listed in `withheld`: whole domains, or only
 * their stage 2. A domain is not listed if all of its changes run. A route also stays if a withheld change still
 * forwards to it.
 */
export function withholdRefused(plan: Plan): Plan {
  const held = heldParts(plan);
  if (held.size + plan.neededElsewhere.size === 0) return plan;
  const kept = plan.changes.flatMap((change) => {
    return keptOf(change, (held.get(change.domain) ?? plan.neededElsewhere.get(change))?.part);
  });
  const orphaned = orphans(plan, held);
  const changes = kept.filter((change) => !orphaned.has(change));
  const runs = new Set(changes);
  const heldBack = new Set(plan.changes.filter((change) => !runs.has(change)).map(({ domain }) => domain));
  const added = [...held.values(), ...orphaned.values(), ...plan.neededElsewhere.values()].filter(
    ({ domain }) => heldBack.has(domain),
  );
  return {
    ...plan,
    changes,
    summary: { ...plan.summary, ...countActions(changes) },
    withheld: merge([...plan.withheld, ...added]),
  };
}

/**
 * Returns the changes that would remove a route which a domain still forwards to, if a problem of the manifest
 * withholds that domain. Its future destinations are unknown.
 */
export function neededElsewhere(
  plans: readonly DomainPlan[],
  { domains: live }: Pick<Observed, 'domains'>,
): ReadonlyMap<Change, Withheld> {
  const staying = plans
    .filter(({ withheld }) => withheld.some(({ cause }) => cause === 'manifest'))
    .flatMap(({ domain }) => live.get(domain) ?? []);
  const needed = new Map<Change, Withheld>();
  for (const [change, users] of neededBy(
    plans.flatMap(({ changes }) => changes),
    staying,
  )) {
    const reason = `${[...users].join(', ')} still forwards there, and is withheld`;
    needed.set(change, { domain: change.domain, reason, part: 'deletes', cause: 'manifest' });
  }
  return needed;
}

/** Returns the part of these changes that runs if their stage 2 is held back. */
export function stageOneChanges(changes: readonly Change[]): readonly Change[] {
  return changes.flatMap(stageOneOfChange);
}

/** Returns the reason in `withheld` for a part that a guard holds back. */
export function withheldReason({ guard, message }: Pick<GuardFinding, 'guard' | 'message'>): string {
  return `${guard}: ${message}`;
}

/** Returns the held part of each domain that has changes. */
function heldParts(plan: Plan): ReadonlyMap<DomainName, Withheld> {
  const held = new Map<DomainName, Withheld>();
  const domains = [...new Set(plan.changes.map(({ domain }) => domain))];
  for (const finding of plan.guards) {
    if (finding.allowed) continue;
    for (const { domain, part } of heldBy(finding, domains)) {
      if (held.get(domain)?.part === 'domain') continue;
      const reason = withheldReason(finding);
      if (part === 'domain' || !held.has(domain)) held.set(domain, { domain, reason, part, cause: 'guard' });
    }
  }
  return held;
}

function heldBy(
  { holds }: GuardFinding,
  domains: readonly DomainName[],
): readonly Pick<Withheld, 'domain' | 'part'>[] {
  switch (holds.kind) {
    case 'run':
      return domains.map((domain) => ({ domain, part: 'domain' }));
    case 'run-deletes':
      return domains.map((domain) => ({ domain, part: 'deletes' }));
    case 'domains':
      return holds.domains.map((domain) => ({ domain, part: 'domain' }));
    case 'domain':
      return [{ domain: holds.domain, part: 'domain' }];
    case 'domain-deletes':
      return [{ domain: holds.domain, part: 'deletes' }];
    case 'domains-deletes':
      return holds.domains.map((domain) => ({ domain, part: 'deletes' }));
  }
}

function keptOf(change: Change, part: Withheld['part'] | undefined): readonly Change[] {
  if (part === undefined) return [change];
  return part === 'domain' ? [] : stageOneOfChange(change);
}

/** Returns the stage 1 part of a change: all of it, a rule's move, or nothing. */
function stageOneOfChange(change: Change): readonly Change[] {
  if (change.stage === 1) return [change];
  const move = KINDS[change.kind].steps.stageOneOf?.(change) ?? null;
  return move === null ? [] : [move];
}

/** Returns the changes that must wait for withheld ones. */
function orphans(plan: Plan, held: ReadonlyMap<DomainName, Withheld>): ReadonlyMap<Change, Withheld> {
  const orphaned = new Map<Change, Withheld>();
  for (const [change, domains] of dependenciesOf(plan.changes)) {
    const holder = [...domains].find((domain) => held.has(domain));
    if (holder === undefined) continue;
    const reason = `${holder} still forwards there, and its change is withheld`;
    orphaned.set(change, { domain: change.domain, reason, part: 'deletes', cause: 'guard' });
  }
  const isHeld = (change: Change): boolean => {
    const part = (held.get(change.domain) ?? plan.neededElsewhere.get(change))?.part;
    return orphaned.has(change) || keptOf(change, part)[0] !== change;
  };
  let size: number;
  do {
    size = orphaned.size;
    for (const change of plan.changes) {
      const reason = isHeld(change) ? null : whyWaiting(change, plan.waits, isHeld);
      if (reason !== null)
        orphaned.set(change, { domain: change.domain, reason, part: 'changes', cause: 'guard' });
    }
  } while (size !== orphaned.size);
  return orphaned;
}

/** Returns the reason why a change must wait for a held one; null if it waits for none. */
function whyWaiting(change: Change, waits: Waits, isHeld: (change: Change) => boolean): string | null {
  const found = waits
    .get(itemKey(change))
    ?.entries()
    .find(([first]) => isHeld(first));
  if (found === undefined) return null;
  const [{ name, domain }, why] = found;
  return `${name} of ${domain}, ${WAIT_REASONS[why]}, is withheld`;
}

/** The relation of a change to the one that waits for it. */
export const WAIT_REASONS: Readonly<Record<WaitReason, string>> = {
  'leads-there': 'to which its mail goes then',
  'led-away': 'from which mail comes here',
  beside: 'which matches some of the same mail',
};

/** Counts changes by action. Conditional changes are counted once more as `conditional`. */
export function countActions(
  changes: readonly Change[],
): Omit<PlanSummary, 'unchanged' | 'unmanaged' | 'notices' | 'silenced'> {
  const counts = { add: 0, update: 0, move: 0, delete: 0, conditional: 0 };
  for (const change of changes) {
    counts[change.action] += 1;
    if (change.conditional) counts.conditional += 1;
  }
  return counts;
}

/** Merges entries to one per domain and reason, sorted by domain. */
function merge(withheld: readonly Withheld[]): readonly Withheld[] {
  const unique = new Map(withheld.map((entry) => [`${entry.domain} ${entry.reason}`, entry]));
  return [...unique.values()].sort((a, b) => compareText(a.domain, b.domain));
}
