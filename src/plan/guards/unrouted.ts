import { destinationsOf, isDiscard } from '../../model/destinations.ts';
import { looksLikeRegex, nameKey } from '../../model/names.ts';
import type { Desired, DesiredAlias, DesiredRule, PresentDomain } from '../../model/desired.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { AliasChange, Change, GuardFinding, RuleChange } from '../../model/plan.ts';
import type { Mail } from '../../routing/route.ts';
import type { DomainPlan } from '../domain.ts';
import { compareText } from '../order.ts';
import { allowance } from './deletes.ts';
import type { GuardInput } from './guards.ts';
import { finalRouter, isKnown, liveRouter, type DomainRouter } from './tables.ts';

/**
 * Addresses that lose delivery by the way: the manifest names them, or they have an alias, and what took their mail was
 * a pattern, a rule or a catch-all that goes or takes less. An address whose own alias is deleted is not among them.
 */
export function guardUnrouted(input: GuardInput): readonly GuardFinding[] {
  const risky = input.domains.filter((plan) => plan.changes.some(mayUnroute));
  if (risky.length === 0) return [];
  const named = namedAddresses(input.desired, new Set(risky.map(({ domain }) => domain)));
  return risky.flatMap((plan) => {
    const live = input.observed.domains.get(plan.domain);
    if (live === undefined || !isKnown(live)) return [];
    const mails = mailsTo(plan, live, input.desired, named.get(plan.domain) ?? []);
    return unroutedAddresses(plan, live, mails, input).map((address) => finding(plan, address, input));
  });
}

/** Whether mail that a change's own name does not tell may lose its route by it. */
function mayUnroute(change: Change): boolean {
  switch (change.kind) {
    case 'rule':
      return change.observed?.active === true && (change.stage === 2 || endsOrDiscards(change));
    case 'alias':
      return change.observed !== null && endsOrDiscards(change) && takesOthers(change.name);
    case 'domain':
    case 'credential':
      return false;
  }
}

function endsOrDiscards({ desired }: AliasChange | RuleChange): boolean {
  return desired === null || isDiscard(desired.forward);
}

function takesOthers(aliasName: string): boolean {
  return aliasName === '*' || looksLikeRegex(aliasName);
}

/** The destinations in the manifest that lie in the given domains, by domain. */
function namedAddresses(
  desired: Desired,
  domains: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  for (const forward of forwardsOf(desired)) {
    for (const destination of forward.includes(',') ? destinationsOf(forward) : [forward]) {
      const host = destination.slice(destination.lastIndexOf('@') + 1);
      if (!domains.has(host) || destination.includes('://')) continue;
      const known = named.get(host);
      if (known === undefined) named.set(host, [destination]);
      else known.push(destination);
    }
  }
  return named;
}

function* forwardsOf(desired: Desired): Iterable<string> {
  for (const domain of desired.domains.values()) {
    if (domain.state === 'absent') continue;
    yield* forwardsIn(domain.aliases?.entries.values() ?? []);
    yield* forwardsIn(domain.rules?.entries ?? []);
  }
}

function* forwardsIn(entries: Iterable<DesiredAlias | DesiredRule>): Iterable<string> {
  for (const entry of entries) if (entry.state === 'present') yield entry.forward;
}

/** The mails to try: to every address that is named or has an alias, and those that the manifest expects. */
function mailsTo(
  { domain }: DomainPlan,
  live: ObservedDomain,
  desired: Desired,
  named: readonly string[],
): readonly Mail[] {
  const entry = desired.domains.get(domain);
  const wanted = entry?.state === 'present' ? entry : undefined;
  const locals = [...(live.aliases ?? []).map(({ name }) => name), ...namesOf(wanted)]
    .filter((name) => !name.includes('*') && !looksLikeRegex(name))
    .map((name) => `${name}@${domain}`);
  const addresses = new Map([...locals, ...named].map((address) => [nameKey(address), address]));
  const empty = { from: '', subject: '', body: '' };
  const expected = (wanted?.expect ?? []).filter(({ to }) => nameKey(to).endsWith(`@${domain}`));
  return [...[...addresses.values()].map((to) => ({ to, ...empty })), ...expected];
}

function namesOf(wanted: PresentDomain | undefined): readonly string[] {
  const aliases = [...(wanted?.aliases?.entries.values() ?? [])].map(({ name }) => name as string);
  const rules = (wanted?.rules?.entries ?? []).flatMap((rule) =>
    rule.state === 'present' && rule.match.type === 'alias' ? [rule.match.alias] : [],
  );
  return [...aliases, ...rules];
}

function unroutedAddresses(
  plan: DomainPlan,
  live: ObservedDomain,
  mails: readonly Mail[],
  { observed }: GuardInput,
): readonly string[] {
  const before = liveRouter(withoutServiceOwn(live, plan), observed.account.email);
  const after = finalRouter(live, plan.changes, observed.account.email);
  const deliberate = new Set<string>(plan.changes.filter(isDeliberate).map(({ name }) => nameKey(name)));
  const lost = mails
    .filter(({ to }) => !deliberate.has(ownName(to)))
    .filter((mail) =>
      (['anywhere', 'whole'] as const).some(
        (anchoring) => delivers(before, mail, anchoring) && !delivers(after, mail, anchoring),
      ),
    )
    .map(({ to }) => nameKey(to));
  return [...new Set(lost)].sort(compareText);
}

/** What the service put there by itself when it made the domain is no route that somebody relies on. */
function withoutServiceOwn(live: ObservedDomain, { sections }: DomainPlan): ObservedDomain {
  const own = new Set(sections.flatMap(({ serviceOwn }) => serviceOwn.map(({ name }) => name)));
  if (own.size === 0 || live.aliases === undefined) return live;
  return { ...live, aliases: live.aliases.filter(({ name }) => !own.has(name)) };
}

/** Its own alias goes or discards: that is what somebody wrote. */
function isDeliberate(change: Change): boolean {
  return change.kind === 'alias' && endsOrDiscards(change);
}

/** `contact+label@` goes to `contact`. */
function ownName(address: string): string {
  const local = nameKey(address.slice(0, address.lastIndexOf('@')));
  return local.split('+')[0] ?? local;
}

function delivers(router: DomainRouter, mail: Mail, anchoring: 'anywhere' | 'whole'): boolean {
  const route = router.route(mail, anchoring);
  return route.kind !== 'refused' && !isDiscard(route.forward);
}

function finding({ domain, changes }: DomainPlan, address: string, { policy }: GuardInput): GuardFinding {
  const early = changes.some((change) => change.stage === 1 && mayUnroute(change));
  return {
    guard: 'unrouted',
    scope: domain,
    limit: 0,
    planned: 1,
    message: `mail to ${address} is delivered now and would not be: what takes it goes or takes less`,
    ...allowance({ kind: 'unrouted', address }, policy),
    holds: early ? { kind: 'domain', domain } : { kind: 'domain-deletes', domain },
    refuses: true,
  };
}
