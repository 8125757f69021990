import type { DesiredDomain, Desired, PresentDomain } from '../../../../src/core/model/desired.ts';
import { decodeForward } from '../../../../src/core/model/destinations.ts';
import {
  nameKey,
  type AliasName,
  type CredentialName,
  type DomainName,
} from '../../../../src/core/model/names.ts';
import type { Account, Observed, ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Change, Plan } from '../../../../src/core/model/plan.ts';
import {
  NO_PRIOR,
  NO_PRIOR_DOMAIN,
  type ManifestSize,
  type PriorDomain,
} from '../../../../src/core/model/prior.ts';
import type { Source } from '../../../../src/core/model/manifest/problem.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import type { DesiredAlias, ObservedAlias } from '../../../../src/core/kinds/alias/fields.ts';
import type { DesiredCredential } from '../../../../src/core/kinds/credential/fields.ts';
import type { DesiredRule, ObservedRule } from '../../../../src/core/kinds/rule/fields.ts';
import type { DomainPlan } from '../../../../src/core/plan/diff/section.ts';
import { makePlan, type PlanInput } from '../../../../src/core/plan/plan.ts';
import type { Policy } from '../../../../src/core/plan/policy.ts';

export const ACME = 'acme.example' as DomainName;
export const NOW = Date.UTC(2026, 10, 21, 12);
/** `NOW` on the monotonic clock, in milliseconds. */
export const MONOTONIC = 1000;
const CREATED = Date.UTC(2025, 0, 1);

export function name(text: string): DomainName {
  return text as DomainName;
}

export function at(line: number): Source {
  return { file: 'fwdsync.yaml', line, column: 1 };
}

/** `false` means `state: absent`. */
export function aliasSection(
  entries: Readonly<Record<string, string | false>>,
  options: { readonly prune?: boolean; readonly ignore?: readonly string[] } = {},
): NonNullable<PresentDomain['aliases']> {
  const pairs = Object.entries(entries).map(([text, forward], index) => {
    const common = { name: text as AliasName, source: at(index + 10) };
    const entry: DesiredAlias =
      forward === false
        ? { ...common, state: 'absent' }
        : { ...common, state: 'present', forward: decodeForward(forward) };
    return [nameKey(text), entry] as const;
  });
  return { prune: false, ignore: [], ...options, entries: new Map(pairs) };
}

export function rule(
  text: string,
  forward: string,
  options: Partial<Extract<DesiredRule, { state: 'present' }>> = {},
): DesiredRule {
  const match: RuleMatch = options.match ?? { type: 'alias', alias: text };
  const derivedIds = ['alias', 'regex', 'cel'].map((type) => derivedId(text, type));
  return {
    state: 'present',
    name: text,
    id: derivedId(text, match.type),
    idIsWritten: false,
    derivedIds,
    match,
    forward: decodeForward(forward),
    active: true,
    source: at(50),
    ...options,
  };
}

/** Replaces the real UUID by a text that follows from name and type, as the UUID does. */
export function derivedId(text: string, type = 'alias'): string {
  return `derived-${type}-${text}`.toLowerCase();
}

export function ruleSection(
  entries: readonly DesiredRule[],
  options: { readonly prune?: boolean; readonly ignore?: readonly string[] } = {},
): NonNullable<PresentDomain['rules']> {
  return { prune: false, ignore: [], ...options, entries };
}

export function credentialSection(
  entries: Readonly<Record<string, 'password' | 'bare' | 'absent'>>,
  options: { readonly prune?: boolean } = {},
): NonNullable<PresentDomain['credentials']> {
  const pairs = Object.entries(entries).map(([text, what]) => {
    const common = { name: text as CredentialName, source: at(70) };
    const password = {
      kind: 'env',
      name: 'PASSWORD',
      written: { env: 'PASSWORD' },
      shown: '{ env: PASSWORD }',
      source: at(71),
    } as const;
    const entry: DesiredCredential =
      what === 'absent'
        ? { ...common, state: 'absent' }
        : { ...common, state: 'present', ...(what === 'password' ? { password } : {}) };
    return [nameKey(text), entry] as const;
  });
  return { prune: false, ignore: [], ...options, entries: new Map(pairs) };
}

export function present(domain: string, parts: Partial<PresentDomain> = {}): PresentDomain {
  return {
    state: 'present',
    domain: name(domain),
    source: at(1),
    settings: {},
    expect: [],
    verify: false,
    lint: [],
    delivery: null,
    ...parts,
  };
}

export function absent(domain: string): DesiredDomain {
  return { state: 'absent', domain: name(domain), source: at(1) };
}

export function desired(domains: readonly DesiredDomain[], parts: Partial<Desired> = {}): Desired {
  return {
    api: {},
    guards: { maxDeletes: 25, maxDeletePercent: 20, allow: [] },
    domains: new Map(domains.map((entry) => [entry.domain, entry])),
    files: ['fwdsync.yaml'],
    digest: 'sha256:manifest',
    references: new Map(),
    lint: { off: [], silenced: 0 },
    ...parts,
  };
}

export function liveAliases(entries: Readonly<Record<string, string>>): readonly ObservedAlias[] {
  return Object.entries(entries).map(([text, forward], index) => ({
    id: String(index + 1),
    name: text,
    forward: decodeForward(forward),
  }));
}

export function liveRule(
  id: string,
  rank: number,
  forward: string,
  options: Partial<ObservedRule> = {},
): ObservedRule {
  return {
    id,
    rank,
    forward: decodeForward(forward),
    active: true,
    match: { type: 'alias', alias: id },
    ...options,
  };
}

/** Returns a live rule that equals `rule(text, forward)`. */
export function liveTwin(text: string, rank: number, forward: string, options: Partial<ObservedRule> = {}) {
  return liveRule(derivedId(text), rank, forward, { match: { type: 'alias', alias: text }, ...options });
}

export function live(domain: string, parts: Partial<ObservedDomain> = {}): ObservedDomain {
  return {
    domain: name(domain),
    notification_email: 'ops@acme.example',
    whitelabel: null,
    createdAt: CREATED,
    readAt: MONOTONIC,
    ...parts,
  };
}

const ACCOUNT: Account = {
  email: 'ops@acme.example',
  locked: false,
  lockReason: null,
  overQuota: false,
  plan: { name: 'paid', domainsLimit: null, aliasesLimit: null, rulesLimit: null },
};

export function observed(
  domains: readonly ObservedDomain[],
  parts: Omit<Partial<Observed>, 'account'> & { readonly account?: Partial<Account> } = {},
): Observed {
  return {
    domains: new Map(domains.map((domain) => [domain.domain, domain])),
    unproven: new Map(),
    ...parts,
    account: { ...ACCOUNT, ...parts.account },
  };
}

export const POLICY: Policy = {
  guards: { maxDeletes: 25, maxDeletePercent: 20, allow: [] },
  allowances: [],
  account: 'ops@acme.example',
  accountRequired: false,
  rotate: [],
  domainDeletes: 'allowed',
};

export function prior(domain: string, parts: Partial<PriorDomain>): PlanInput['prior'] {
  return { ...NO_PRIOR, domains: new Map([[name(domain), { ...NO_PRIOR_DOMAIN, ...parts }]]) };
}

export function plan(
  wanted: Desired,
  found: Observed,
  options: Partial<PlanInput> & { readonly with?: Partial<Policy> } = {},
): Plan {
  const { with: policy, ...rest } = options;
  return makePlan({
    desired: wanted,
    observed: found,
    policy: { ...POLICY, guards: wanted.guards, ...policy },
    prior: NO_PRIOR,
    now: NOW,
    api: { url: 'https://api.example/v4', version: 'v4' },
    ...rest,
  });
}

/** Plans the aliases of one domain. */
export function planAliases(
  section: PresentDomain['aliases'],
  rows: Readonly<Record<string, string>>,
  options: Parameters<typeof plan>[2] = {},
): Plan {
  const wanted = desired([present(ACME, section === undefined ? {} : { aliases: section })]);
  return plan(wanted, observed([live(ACME, { aliases: liveAliases(rows) })]), options);
}

/** Plans the rules of one domain. */
export function planRules(
  entries: readonly DesiredRule[],
  rows: readonly ObservedRule[],
  options: Parameters<typeof plan>[2] & {
    readonly prune?: boolean;
    readonly ignore?: readonly string[];
  } = {},
): Plan {
  const { prune = false, ignore = [], ...rest } = options;
  const wanted = desired([present(ACME, { rules: ruleSection(entries, { prune, ignore }) })]);
  return plan(wanted, observed([live(ACME, { rules: rows })]), rest);
}

/** Plans all domains of a manifest. Returns only changes. */
export function domainPlans(wanted: Desired, found: Observed): readonly DomainPlan[] {
  const own = Map.groupBy(plan(wanted, found).changes, ({ domain }) => domain);
  return Array.from(
    wanted.domains.keys(),
    (domain) => ({ domain, changes: own.get(domain) ?? [], sections: [] }) as unknown as DomainPlan,
  );
}

/** Returns the size of a manifest with this many domains, beginning with ACME. */
export function sizeOf(domains: number, entries: number): ManifestSize {
  const names = Array.from({ length: domains }, (_, index) =>
    index === 0 ? ACME : name(`d${index}.example`),
  );
  return { domains: new Set(names), entries };
}

/** Returns texts such as `+alias sales`, one per change, for tables. */
export function brief({ changes }: Pick<Plan, 'changes'>): readonly string[] {
  const signs = { add: '+', update: '~', move: '^', delete: '-' } as const;
  return changes.map(
    (change) =>
      `${signs[change.action]}${change.kind} ${change.name}${change.conditional ? '?' : ''} ${change.stage} ${change.reason}`,
  );
}

export function codes(result: Pick<Plan, 'warnings'>): readonly string[] {
  return result.warnings.map(({ code }) => code);
}

/** A single change: by default an alias that is updated in stage 1. */
export function change(domain: string, text: string, parts: Partial<Change> = {}): Change {
  const common = { kind: 'alias', action: 'update', domain: name(domain), name: text, id: text, stage: 1 };
  const states = { observed: null, desired: null, fields: [] };
  return { ...common, ...states, conditional: false, reason: 'new', source: null, ...parts } as Change;
}

/** Creates this many aliases with one destination, from `n0` on. */
export function numbered(count: number, forward = 'a@x.example'): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, forward]));
}
