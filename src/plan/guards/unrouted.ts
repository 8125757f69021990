import { destinationsOf, isDiscard } from '../../model/destinations.ts';
import { looksLikeRegex, nameKey } from '../../model/names.ts';
import type {
  Desired,
  DesiredAlias,
  DesiredDomain,
  DesiredRule,
  PresentDomain,
} from '../../model/desired.ts';
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
  // Stryker disable next-line ConditionalExpression: only saves going through the whole manifest.
  if (risky.length === 0) return [];
  const named = namedAddresses(input.desired, risky);
  return risky.flatMap((plan) => {
    // Only what is live and stays loses routes by the way.
    const live = input.observed.domains.get(plan.domain) as ObservedDomain;
    const wanted = input.desired.domains.get(plan.domain) as PresentDomain;
    if (!isKnown(live)) return [];
    const mails = mailsTo(live, wanted, named.get(plan.domain) as ReadonlySet<string>);
    return unroutedAddresses(plan, live, mails, input).map((address) => finding(plan, address, input));
  });
}

/** Whether mail that a change's own name does not tell may lose its route by it. */
function mayUnroute(change: Change): boolean {
  if (change.kind === 'rule') {
    return change.observed?.active === true && (change.stage === 2 || endsOrDiscards(change));
  }
  if (change.kind !== 'alias') return false;
  return change.observed !== null && endsOrDiscards(change) && takesOthers(change.name);
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
  plans: readonly DomainPlan[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map<string, Set<string>>(plans.map(({ domain }) => [domain, new Set()]));
  for (const forward of forwardsOf(desired)) {
    for (const destination of destinationsOf(forward)) {
      if (destination.includes('://')) continue;
      named.get(destination.slice(destination.lastIndexOf('@') + 1))?.add(destination);
    }
  }
  return named;
}

/** A domain that is to be absent has neither. */
type Routes = Pick<PresentDomain, 'aliases' | 'rules'> & Pick<DesiredDomain, 'state'>;

function* forwardsOf(desired: Desired): Iterable<string> {
  for (const domain of desired.domains.values()) {
    const { aliases, rules }: Routes = domain;
    if (aliases !== undefined) yield* forwardsIn(aliases.entries.values());
    if (rules !== undefined) yield* forwardsIn(rules.entries);
  }
}

function* forwardsIn(entries: Iterable<DesiredAlias | DesiredRule>): Iterable<string> {
  for (const entry of entries) if (entry.state === 'present') yield entry.forward;
}

/** The mails to try: to every address that is named or has an alias, and those that the manifest expects. */
function mailsTo(live: ObservedDomain, wanted: PresentDomain, named: ReadonlySet<string>): readonly Mail[] {
  const locals = [...(live.aliases ?? []).map(({ name }) => name), ...namesOf(wanted)]
    .filter((name) => !name.includes('*') && !looksLikeRegex(name))
    .map((name) => `${name}@${live.domain}`);
  const addresses = new Map([...locals, ...named].map((address) => [nameKey(address), address]));
  const empty = { from: '', subject: '', body: '' };
  const expected = wanted.expect.filter(({ to }) => nameKey(to).endsWith(`@${live.domain}`));
  return [...[...addresses.values()].map((to) => ({ to, ...empty })), ...expected];
}

function* namesOf({ aliases, rules }: PresentDomain): Iterable<string> {
  if (aliases !== undefined) for (const { name } of aliases.entries.values()) yield name;
  if (rules === undefined) return;
  for (const rule of rules.entries) {
    if (rule.state === 'present' && rule.match.type === 'alias') yield rule.match.alias;
  }
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
  if (live.aliases === undefined) return live;
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
