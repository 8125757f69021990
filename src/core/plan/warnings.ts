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

/** What the account's read-only state keeps a domain's entries from doing. */
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

/** What DNS keeps a domain's entries from doing. */
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

/** Where mail goes that no rule takes; the API can only read it. */
function fallbackWords({ routingEngine, rulesFallbackEmail }: ObservedDomain): string {
  if (routingEngine !== 'rules' || rulesFallbackEmail === undefined) return '';
  return rulesFallbackEmail === null
    ? ', and mail that no rule matches is dropped'
    : `, and mail that no rule matches goes to ${rulesFallbackEmail}`;
}

/** True if changes take away where other mail may be forwarded. Nothing forwards to what the service may make on the way. */
export function takesRoutes({ changes }: Pick<Plan, 'changes'>): boolean {
  return changes.some(
    ({ kind, stage, desired, conditional }) =>
      KINDS[kind].routesMail &&
      !conditional &&
      (stage === 2 || (desired !== null && 'forward' in desired && isDiscard(desired.forward))),
  );
}

/** Says how much of the account was not asked for forwards to what the plan takes away. */
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
      message: `forwards from ${which} were not checked: mail that they forward to what the plan takes away would be lost`,
      hint: 'reading them takes more requests than the run; name their aliases, or rules, in the manifest to have them checked',
      source: null,
    },
  ];
}

/** `whitelabel` of which the account knows nothing; only where the account's own are known. */
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

/** Waits for a rate limit are worked out from the service's clock, and times in its answers are shown as they come. */
function clockWarnings({ skewMs }: Observed): readonly Warning[] {
  if (skewMs === undefined) return [];
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  const message = `the service's clock is ${seconds} s ${side} the clock of this machine`;
  const hint = 'set the clock of this machine; if it is right, the Date header of the answers is wrong';
  return [{ code: 'clock-skew', message, hint, source: null }];
}

/** What holds of the account as a whole. Whether the limits count per account or per domain is stated nowhere. */
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
  // The size leaves out domains that are to be deleted, a quick plan those that need no look.
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

/** What a person should write otherwise. */
const ABOUT_WORDING: ReadonlySet<FindingCode> = new Set([
  'adopted-by-content',
  'default-catch-all',
  'no-longer-managed',
  'similar-domain',
  'unmanaged-rule-first',
]);

/** Those about the account, and about entries and domains that a plan changes. */
export function warningsOfChanges(
  warnings: readonly Warning[],
  changes: readonly Change[],
  { domains }: Desired,
): readonly Warning[] {
  const changed = new Set(
    // What is planned is desired, if only to be absent.
    changes.flatMap((change) => placesOf(change, domains.get(change.domain) as DesiredDomain)),
  );
  return warnings.filter(
    ({ code, source }) => !ABOUT_WORDING.has(code) && (source === null || changed.has(showSource(source))),
  );
}

/** Where a change, its domain and the settings of that are written. */
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

/** What is asked to be sent again but is in no manifest. */
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

/** Above so many comparisons it is a move of a whole portfolio, in which a slip of the pen is found otherwise. */
const MOST_COMPARISONS = 2_000_000;
const NEAR = 2;

/** Domains that would be added although a live one is called almost the same: perhaps a slip of the pen. */
export function similarDomainWarnings(desired: Desired, observed: Observed): readonly Warning[] {
  const added = [...desired.domains.values()].filter(
    (entry) => entry.state === 'present' && !observed.domains.has(entry.domain),
  );
  if (added.length * observed.domains.size > MOST_COMPARISONS) return [];
  const live = [...observed.domains.keys()].sort(compareText);
  return added.flatMap(({ domain, source }) => {
    const similar = live.find((other) => editDistance(domain, other, NEAR) <= NEAR);
    if (similar === undefined) return [];
    const message = `${domain} would be added, while the account has ${similar}`;
    const hint = 'check the spelling of the name';
    return [{ code: 'similar-domain', message, hint, source, subject: { domain } }];
  });
}
