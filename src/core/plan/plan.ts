import type { Desired } from '../model/desired.ts';
import { FINDINGS } from '../model/lint/findings.ts';
import { silence } from '../model/lint/silence.ts';
import { type DomainName, domainPartOf, localPartOf, nameKey, type NameKey } from '../model/names.ts';
import type { Observed } from '../model/observed.ts';
import type { Change, Plan, PlanSummary, Warning } from '../model/plan.ts';
import { compareSources } from '../model/manifest/problem.ts';
import type { ManifestSize, Prior } from '../model/prior.ts';
import { changeEach, planDomain } from './diff/domain.ts';
import type { DomainPlan } from './diff/section.ts';
import { findGuards } from './guards/guards.ts';
import { findLosses, type Loss, type LossInput } from './guards/unrouted.ts';
import { overlapWarnings } from './overlap-warnings.ts';
import { domainsLeftBehind } from './left-behind.ts';
import { compareText } from './sorting.ts';
import { commandOf, showAllowance, type Policy } from './policy.ts';
import { manifestSize } from './size.ts';
import { planLimits } from './usage.ts';
import { planWaits } from './waits/waits.ts';
import {
  accountWarnings,
  rotateWarnings,
  similarDomainWarnings,
  uncheckedForwards,
  warningsOfChanges,
  whitelabelWarnings,
} from './warnings.ts';
import { countActions, neededElsewhere } from './withhold.ts';

export interface PlanInput {
  /** The whole manifest, or the domains that this run covers. */
  readonly desired: Desired;
  readonly observed: Observed;
  readonly policy: Policy;
  readonly prior: Prior;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly api: { readonly url: string; readonly version: 'v4' | 'v3' };
  /**
   * Credentials, as `name@domain`, whose password differs from the one last sent. The caller resolves the passwords.
   */
  readonly changedPasswords?: ReadonlySet<string>;
  /** Decimal digits that the service keeps of a rank, known once it has answered with another rank than was sent. */
  readonly rankDigits?: number;
  /**
   * The origin of the manifest. A generated one, such as a snapshot, gets warnings only for the entries that it
   * changes.
   */
  readonly manifestKind?: 'written' | 'generated' | undefined;
  /** Size of the whole manifest if `desired` is a part of it. */
  readonly manifestSize?: ManifestSize;
}

/** Plans the ordered changes of the account, with guards and warnings. Pure: same inputs, same bytes. */
export function makePlan(input: PlanInput): Plan {
  const { desired, observed, policy, prior, manifestSize: size = manifestSize(input.desired) } = input;
  const planned = planDomains(input).map((plan) => (policy.purpose === 'undo' ? asUndo(plan) : plan));
  const { domains, waits } = planWaits(planned, input);
  const changes = domains.flatMap((plan) => plan.changes);
  const found = findWarnings(input, domains, size);
  const concerning = input.manifestKind === 'generated' ? warningsOfChanges(found, changes, desired) : found;
  const warnings = silence(concerning, desired).map((warning) =>
    policy.purpose === 'undo' ? { ...warning, source: null } : warning,
  );
  return {
    api: { ...input.api, account: observed.account.email },
    manifest: {
      files: desired.files,
      get digest() {
        return desired.digest;
      },
    },
    summary: {
      ...summarise(changes, domains),
      notices: warnings.filter(({ code }) => FINDINGS[code] === 'notice').length,
      silenced: desired.lint.silenced + concerning.length - warnings.length,
    },
    limits: planLimits(observed, domains),
    unchanged: new Map(domains.map((plan) => [plan.domain, plan.unchanged])),
    changes,
    guards: findGuards({
      desired,
      observed,
      policy,
      prior,
      domains,
      size,
    }),
    allowances: [...new Set(policy.allowances.map(showAllowance))].sort(compareText),
    withheld: domains.flatMap((plan) => plan.withheld),
    neededElsewhere: neededElsewhere(domains, observed),
    waits,
    warnings,
    problems: domains
      .flatMap((plan) => plan.problems)
      .toSorted((a, b) => compareSources(a.source, b.source) || compareText(a.message, b.message)),
    adoptions: domains.flatMap((plan) => plan.adoptions),
  };
}

function findWarnings(
  { desired, observed, policy, prior }: PlanInput,
  domains: readonly DomainPlan[],
  size: ManifestSize,
): readonly Warning[] {
  const changes = domains.flatMap((plan) => plan.changes);
  return sortWarnings([
    ...accountWarnings(observed, domains, { size, command: commandOf(policy) }),
    ...similarDomainWarnings(desired, observed),
    ...uncheckedForwards(changes, observed),
    ...(policy.purpose === 'undo' ? [] : domainsLeftBehind({ desired, observed, prior }, size)),
    ...rotateWarnings(desired, policy),
    ...whitelabelWarnings(desired, observed),
    ...overlapWarnings(desired, observed, domains),
    ...domains.flatMap(({ domain, warnings }) => about(domain, warnings)),
  ]);
}

/**
 * The changes that will be made. `changesOf` selects a domain's among those planned; `elsewhere` returns those of
 * other domains.
 */
interface GoingChanges extends Pick<LossInput, 'elsewhere'> {
  readonly changesOf: (domain: DomainName, planned: readonly Change[]) => readonly Change[];
}

/** Returns the mail that loses delivery by the changes that will be made. */
export function lossesByChanges(input: PlanInput, { changesOf, elsewhere }: GoingChanges): readonly Loss[] {
  const plans = planDomains(input).map((plan) => ({
    ...plan,
    changes: changesOf(plan.domain, plan.changes),
  }));
  return findLosses({ ...input, plans, elsewhere }, 'all');
}

/** Marks the changes as an undo. They do not come from a manifest, so they have no source. */
function asUndo(plan: DomainPlan): DomainPlan {
  const undone = new Map<Change, Change>();
  return changeEach(plan, (change) => {
    const known = undone.get(change) ?? { ...change, source: null, reason: 'undo' };
    undone.set(change, known);
    return known;
  });
}

function about(domain: DomainName, warnings: readonly Warning[]): readonly Warning[] {
  return warnings.map((warning) => ({ ...warning, subject: { domain, ...warning.subject } }));
}

/** Plans each domain, in the order of their ASCII form. */
function planDomains(input: PlanInput): readonly DomainPlan[] {
  const { desired, observed, policy, prior, changedPasswords = new Set() } = input;
  const rotate = namesByDomain(policy.rotate);
  const changed = namesByDomain(
    [...changedPasswords].map((item) => ({ name: localPartOf(item), domain: domainPartOf(item) })),
  );
  return [...desired.domains.values()]
    .sort((a, b) => compareText(a.domain, b.domain))
    .map((entry) =>
      planDomain({
        desired: entry,
        live: observed.domains.get(entry.domain),
        unproven: observed.unproven.get(entry.domain),
        prior: prior.domains.get(entry.domain) ?? null,
        references: desired.references,
        domainDeletes: policy.domainDeletes,
        command: commandOf(policy),
        rotate: rotate.get(entry.domain) ?? NO_NAMES,
        changedPasswords: changed.get(entry.domain) ?? NO_NAMES,
        rankDigits: input.rankDigits ?? null,
      }),
    );
}

const NO_NAMES: ReadonlySet<NameKey> = new Set();

function namesByDomain(
  names: readonly { readonly name: string; readonly domain: string }[],
): ReadonlyMap<DomainName, ReadonlySet<NameKey>> {
  const byDomain = new Map<DomainName, Set<NameKey>>();
  for (const { name, domain } of names) {
    const known = byDomain.get(domain as DomainName) ?? new Set();
    byDomain.set(domain as DomainName, known.add(nameKey(name)));
  }
  return byDomain;
}

function summarise(
  changes: readonly Change[],
  domains: readonly DomainPlan[],
): Omit<PlanSummary, 'notices' | 'silenced'> {
  return {
    ...countActions(changes),
    unchanged: domains.reduce((sum, plan) => sum + plan.unchanged, 0),
    unmanaged: domains.reduce((sum, plan) => sum + plan.unmanaged, 0),
  };
}

function sortWarnings(warnings: readonly Warning[]): readonly Warning[] {
  return warnings.toSorted(
    (a, b) =>
      compareSources(a.source, b.source) || compareText(a.code, b.code) || compareText(a.message, b.message),
  );
}
