import type { CommandLine } from '../model/text/command-line.ts';
import {
  presentEntries,
  type AliasSection,
  type CredentialSection,
  type Desired,
  type DesiredDomain,
  type PresentDomain,
} from '../model/desired.ts';
import { isDiscard } from '../model/destinations.ts';
import { KINDS } from '../kinds/registry.ts';
import { editDistance, nameKey, plural, type DomainName } from '../model/names.ts';
import { unreadRouting, type Observed, type ObservedDomain } from '../model/observed.ts';
import type { FindingCode } from '../model/lint/findings.ts';
import type { Change, Plan, Warning } from '../model/plan.ts';
import { showSource } from '../model/manifest/problem.ts';
import type { ManifestSize } from '../model/prior.ts';
import type { DomainPlan } from './diff/section.ts';
import { sum } from './guards/counting.ts';
import type { Policy } from './policy.ts';
import { compareText } from './sorting.ts';

/** Warns if the account's read-only state makes a domain's entries ineffective. */
export function domainWarnings(
  desired: PresentDomain,
  live: ObservedDomain,
  command: CommandLine,
): readonly Warning[] {
  const warnings: Warning[] = [...readinessWarnings(desired, live, command)];
  const { domain, source } = desired;
  if (live.banned === true) {
    const message = `${domain} is banned by the service: its mail is not forwarded`;
    warnings.push({ code: 'domain-banned', message, hint: 'ask the service why', source });
  }
  const engine = live.routingEngine;
  if (engine === undefined) return warnings;
  const state =
    engine === null
      ? 'routing is disabled'
      : `the domain routes by ${engine === 'alias' ? 'aliases' : 'rules'}`;
  const hint = 'set the routing of the domain in the dashboard; the API cannot';
  if (engine !== 'rules' && activeRules(desired)) {
    const message = `the rules of ${domain} have no effect: ${state}`;
    warnings.push({ code: 'rules-not-active', message, hint, source });
  }
  if (engine !== 'alias' && anyPresent(desired.aliases)) {
    const message = `the aliases of ${domain} have no effect: ${state}${fallbackWords(live)}`;
    warnings.push({ code: 'aliases-not-active', message, hint, source });
  }
  return warnings;
}

/** Warns if missing DNS records make a domain's entries ineffective. */
function readinessWarnings(
  desired: PresentDomain,
  live: ObservedDomain,
  command: CommandLine,
): readonly Warning[] {
  const { domain, source } = desired;
  const warnings: Warning[] = [];
  const verify = command(`verify ${domain}`);
  const hint = `\`${verify}\` asks the service again and prints the records that are missing`;
  if (live.forwardingReady === false && (anyPresent(desired.aliases) || activeRules(desired))) {
    const message = `mail to ${domain} is not forwarded yet: its MX records do not point to the service`;
    warnings.push({ code: 'domain-not-forwarding', message, hint, source });
  }
  if (live.sendReady === false && anyPresent(desired.credentials)) {
    const message = `the credentials of ${domain} cannot send yet: the domain is not ready to send`;
    warnings.push({ code: 'domain-not-sending', message, hint, source });
  }
  return warnings;
}

/** Describes the fallback of mail that no rule takes. The API can only read it. */
function fallbackWords({ routingEngine, rulesFallbackEmail }: ObservedDomain): string {
  if (routingEngine !== 'rules' || rulesFallbackEmail === undefined) return '';
  return rulesFallbackEmail === null
    ? ', and mail that no rule matches is dropped'
    : `, and mail that no rule matches goes to ${rulesFallbackEmail}`;
}

/**
 * True if changes remove routes that other mail may be forwarded to. Nothing forwards to a `*` that the service may
 * create during the run, so conditional changes do not count.
 */
export function takesRoutes({ changes }: Pick<Plan, 'changes'>): boolean {
  return changes.some(
    ({ kind, stage, desired, conditional }) =>
      KINDS[kind].routesMail &&
      !conditional &&
      (stage === 2 || (desired !== null && 'forward' in desired && isDiscard(desired.forward))),
  );
}

/** Warns of the part of the account that was not checked for forwards to removed items. */
export function uncheckedForwards(
  changes: readonly Change[],
  observed: Pick<Observed, 'domains' | 'partial'>,
): readonly Warning[] {
  const unread = unreadRouting(observed).length;
  if (!takesRoutes({ changes }) || (unread === 0 && observed.partial !== true)) return [];
  const which =
    observed.partial === true
      ? 'the other domains of the account'
      : `${plural(unread, 'domain')} of the account`;
  return [
    {
      code: 'forwards-not-checked',
      message: `forwards from ${which} were not checked: mail that they forward to a route that the plan removes would be lost`,
      hint: 'reading them takes more requests than the run; to check them, name their aliases or rules in the manifest',
      source: null,
    },
  ];
}

/** Warns of a `whitelabel` that the account does not have. Skipped if the account's whitelabels are unknown. */
export function whitelabelWarnings({ domains }: Desired, { whitelabels }: Observed): readonly Warning[] {
  if (whitelabels === undefined) return [];
  const known = new Set(whitelabels.map((name) => name.toLowerCase()));
  const hint = known.size === 0 ? 'the account has none' : `the account has ${whitelabels.join(', ')}`;
  return [...domains.values()].flatMap((entry) => {
    const setting = entry.state === 'present' ? entry.settings.whitelabel : undefined;
    if (setting === undefined || setting.value === null || known.has(setting.value.toLowerCase())) return [];
    const message = `${setting.value} is not a whitelabel of the account: ${entry.domain} may not get it`;
    return [
      {
        code: 'unknown-whitelabel',
        message,
        hint,
        source: setting.source,
        subject: { domain: entry.domain },
      },
    ];
  });
}

/**
 * Warns of different clocks. Waits for a rate limit use the service's clock, and the times in its answers are shown
 * unchanged.
 */
function clockWarnings({ skewMs }: Observed): readonly Warning[] {
  if (skewMs === undefined) return [];
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  const message = `the service's clock is ${seconds} s ${side} the clock of this machine`;
  const hint = 'set the clock of this machine; if it is right, the Date header of the answers is wrong';
  return [{ code: 'clock-skew', message, hint, source: null }];
}

/** Returns warnings about the whole account. The API does not document if limits count per account or per domain. */
export function accountWarnings(
  observed: Observed,
  plans: readonly DomainPlan[],
  { size, command }: { readonly size: ManifestSize; readonly command: CommandLine },
): readonly Warning[] {
  const { account } = observed;
  const warnings: Warning[] = [];
  const noChange = plans.every((plan) => plan.changes.length === 0);
  if (account.overQuota) {
    const message = `the account ${account.email} is over its quota: mail may not be forwarded`;
    warnings.push({ code: 'over-quota', message, source: null });
  }
  warnings.push(...clockWarnings(observed));
  if (account.locked && noChange) {
    const why = account.lockReason === null ? '' : `: ${account.lockReason}`;
    warnings.push({
      code: 'account-locked',
      message: `the account ${account.email} is locked${why}`,
      source: null,
    });
  }
  // The size leaves out tombstones; a quick plan leaves out domains that need no check.
  if (size.domains.size === 0 && plans.length === 0) {
    const message = 'the manifest has no domain: nothing is managed';
    warnings.push({ code: 'nothing-managed', message, source: null });
  }
  const { aliasesLimit, rulesLimit } = account.plan;
  warnings.push(
    ...limitWarning('aliases', aliasesLimit ?? 0, plans, command),
    ...limitWarning('rules', rulesLimit ?? 0, plans, command),
  );
  return warnings;
}

function limitWarning(
  section: 'aliases' | 'rules',
  limit: number,
  plans: readonly DomainPlan[],
  command: CommandLine,
): readonly Warning[] {
  // A limit of 0 means unknown or unlimited, never "no room".
  if (limit <= 0) return [];
  const sections = plans.flatMap((plan) => plan.sections).filter((facts) => facts.section === section);
  const live = sum(sections.map((facts) => facts.managed + facts.unmanaged));
  const changes = sections.flatMap((facts) => facts.changes);
  const added = changes.filter((change) => change.action === 'add').length;
  const total = live + added;
  if (added === 0 || total <= limit) return [];
  const message = `${total} ${section} in the domains of the manifest, while the account's plan has a limit of ${limit}, for the account or for each domain: additions may be refused`;
  const hint = `\`${command('account')}\` shows the limits of the account`;
  return [{ code: `${section}-limit`, message, hint, source: null }];
}

/** Findings about the wording of a manifest, which only a person writes. */
const ABOUT_WORDING: ReadonlySet<FindingCode> = new Set([
  'adopted-by-content',
  'default-catch-all',
  'no-longer-managed',
  'similar-destination',
  'similar-domain',
  'unmanaged-rule-first',
]);

/** Keeps the warnings about the account, and about entries and domains that a plan changes. */
export function warningsOfChanges(
  warnings: readonly Warning[],
  changes: readonly Change[],
  { domains }: Desired,
): readonly Warning[] {
  const changed = new Set(
    // Every planned change has a desired domain, present or absent.
    changes.flatMap((change) => placesOf(change, domains.get(change.domain) as DesiredDomain)),
  );
  return warnings.filter(
    ({ code, source }) => !ABOUT_WORDING.has(code) && (source === null || changed.has(showSource(source))),
  );
}

/** Returns the places of a change, its domain and the domain's settings. */
function placesOf({ source }: Change, domain: DesiredDomain): readonly (string | null)[] {
  const settings = domain.state === 'present' ? Object.values(domain.settings) : [];
  const sources = [source, domain.source, ...settings.map((setting) => setting.source)];
  return sources.map((place) => place && showSource(place));
}

function activeRules({ rules }: PresentDomain): boolean {
  return presentEntries(rules).some(({ active }) => active);
}

function anyPresent(section: AliasSection | CredentialSection | undefined): boolean {
  return section !== undefined && [...section.entries.values()].some(({ state }) => state === 'present');
}

/** Warns of credentials in `--rotate` that the manifest does not have. */
export function rotateWarnings(desired: Desired, policy: Policy): readonly Warning[] {
  return policy.rotate.flatMap(({ name, domain }) => {
    const entry = desired.domains.get(domain as DomainName);
    const known = entry?.state === 'present' ? entry.credentials?.entries.get(nameKey(name)) : undefined;
    if (known?.state === 'present') return [];
    const message = `--rotate ${name}@${domain}: the manifest has no such credential`;
    const hint = 'check the spelling of the name';
    return [
      {
        code: 'rotate-unknown',
        message,
        hint,
        source: null,
        subject: { domain: domain as DomainName, entries: [name] },
      },
    ];
  });
}

/** Above this number of comparisons a whole portfolio moves, and typing errors show in other ways. */
const MOST_COMPARISONS = 2_000_000;
const NEAR = 2;

/** Warns of domains to be added whose name is almost that of a live domain, which may be a typing error. */
export function similarDomainWarnings(desired: Desired, observed: Observed): readonly Warning[] {
  const added = [...desired.domains.values()].filter(
    (entry) => entry.state === 'present' && !observed.domains.has(entry.domain),
  );
  if (added.length * observed.domains.size > MOST_COMPARISONS) return [];
  const live = [...observed.domains.keys()].sort(compareText);
  return added.flatMap(({ domain, source }) => {
    const similar = live.find((other) => editDistance(domain, other, NEAR) <= NEAR);
    if (similar === undefined) return [];
    const message = `${domain} would be added, but the account has ${similar}`;
    const hint = 'check the spelling of the name';
    return [{ code: 'similar-domain', message, hint, source, subject: { domain } }];
  });
}
