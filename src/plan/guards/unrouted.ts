import { isDiscard } from '../../model/destinations.ts';
import { domainPartOf, localPartOf, nameKey, takesOthers } from '../../model/names.ts';
import { forwardsOf, type Desired, type PresentDomain } from '../../model/desired.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { AliasChange, Change, GuardFinding, RuleChange } from '../../model/plan.ts';
import type { Mail } from '../../routing/route.ts';
import type { DomainPlan } from '../diff/section.ts';
import { ANY_OTHER, addressesIn, namesOf } from '../routes/known-addresses.ts';
import { finalRouter, liveRouter, readingsOf, type PlanRouter, type Reading } from '../routes/tables.ts';
import { compareText } from '../sorting.ts';
import { stageOneChanges } from '../withhold.ts';
import { allowance } from './deletes.ts';
import type { GuardInput } from './input.ts';

/**
 * Addresses that lose delivery by the way: the manifest names them, or they have an alias, or they are all the others that
 * something takes. An address whose own alias is deleted or discards is not among them. Where it is not known how the
 * service reads a domain, one reading in which an address loses delivery is enough.
 */
export function guardUnrouted(input: GuardInput): readonly GuardFinding[] {
  const risky = input.domains.filter((plan) => plan.changes.some(mayUnroute));
  // Stryker disable next-line ConditionalExpression: only saves going through the whole manifest.
  if (risky.length === 0) return [];
  const named = namedAddresses(input.desired, risky);
  return risky.flatMap((plan) => {
    const live = input.observed.domains.get(plan.domain);
    if (live === undefined) return [];
    // Only where something is wanted are there changes of aliases and rules.
    const wanted = input.desired.domains.get(plan.domain) as PresentDomain;
    const mails = mailsTo(live, wanted, named.get(plan.domain) as ReadonlySet<string>);
    return unroutedAddresses(plan, live, mails, input).map((lost) => finding(plan, lost, input));
  });
}

/**
 * Whether mail that a change's own name does not tell may lose its route by it: the routes of few domains have to be
 * compared. A live rule may let mail go to one that discards by moving alone; what is new and delivers takes nothing away.
 */
function mayUnroute(change: Change): boolean {
  // Stryker disable next-line ConditionalExpression: only saves time.
  if (change.kind === 'rule') return change.observed !== null || endsOrDiscards(change);
  // Stryker disable next-line ConditionalExpression,LogicalOperator: only saves time.
  return change.kind === 'alias' && endsOrDiscards(change) && takesOthers(change.name);
}

function endsOrDiscards({ desired }: AliasChange | RuleChange): boolean {
  return desired === null || isDiscard(desired.forward);
}

/** The destinations in the manifest that lie in the given domains, by domain. */
function namedAddresses(
  desired: Desired,
  plans: readonly DomainPlan[],
): ReadonlyMap<string, ReadonlySet<string>> {
  return addressesIn(
    plans.values().map(({ domain }) => domain),
    desired.domains.values().flatMap(forwardsOf),
  );
}

/** The mails to try: to every address that is named or has an alias, to any other, and those that the manifest expects. */
function mailsTo(live: ObservedDomain, wanted: PresentDomain, named: ReadonlySet<string>): readonly Mail[] {
  const locals = [ANY_OTHER, ...Array.from(live.aliases ?? [], ({ name }) => name), ...namesOf(wanted)]
    .filter((name) => !takesOthers(name))
    .map((name) => `${name}@${live.domain}`);
  const addresses = new Map([...locals, ...named].map((address) => [nameKey(address), address]));
  const empty = { from: '', subject: '', body: '' };
  const expected = wanted.expect.filter(({ to }) => nameKey(to).endsWith(`@${live.domain}`));
  return [...[...addresses.values()].map((to) => ({ to, ...empty })), ...expected];
}

/** An address that loses delivery, and whether stage 1 alone takes it away. */
interface Lost {
  readonly address: string;
  readonly early: boolean;
}

function unroutedAddresses(
  plan: DomainPlan,
  live: ObservedDomain,
  mails: readonly Mail[],
  { observed }: GuardInput,
): readonly Lost[] {
  const deliberate = new Set<string>(plan.changes.filter(isDeliberate).map(({ name }) => nameKey(name)));
  const tried = mails.filter(({ to }) => !deliberate.has(ownName(to)));
  const lost = new Map<string, Lost>();
  for (const reading of readingsOf(live)) {
    const context = { accountEmail: observed.account.email, reading };
    const before = liveRouter(withoutServiceOwn(live, plan), context);
    const between = finalRouter(live, stageOneChanges(plan.changes), context);
    const after = finalRouter(live, plan.changes, context);
    for (const mail of tried) {
      if (!delivers(before, mail, reading) || delivers(after, mail, reading)) continue;
      const address = shownAddress(mail.to);
      const early = lost.get(address)?.early === true || !delivers(between, mail, reading);
      lost.set(address, { address, early });
    }
  }
  return [...lost.values()].sort((a, b) => compareText(a.address, b.address));
}

function shownAddress(to: string): string {
  const address = nameKey(to);
  return localPartOf(address) === ANY_OTHER ? `*@${domainPartOf(address)}` : address;
}

/** What the service put there by itself when it made the domain is no route that somebody relies on. */
function withoutServiceOwn(live: ObservedDomain, { sections }: DomainPlan): ObservedDomain {
  const own = new Set(sections.flatMap(({ serviceOwn }) => serviceOwn.map(({ name }) => name)));
  if (live.aliases === undefined) return live;
  return { ...live, aliases: [...live.aliases].filter(({ name }) => !own.has(name)) };
}

/** Its own alias goes or discards: that is what somebody wrote. */
function isDeliberate(change: Change): boolean {
  return change.kind === 'alias' && endsOrDiscards(change);
}

/** `contact+label@` goes to `contact`, and any other to `*`. */
function ownName(address: string): string {
  const local = localPartOf(nameKey(address));
  return local === ANY_OTHER ? '*' : (local.split('+')[0] ?? local);
}

function delivers(router: PlanRouter, mail: Mail, { anchoring }: Reading): boolean {
  const route = router.route(mail, anchoring);
  return route.kind !== 'refused' && !isDiscard(route.forward);
}

function finding({ domain }: DomainPlan, { address, early }: Lost, { policy }: GuardInput): GuardFinding {
  const who = address.startsWith('*@') ? `every other address of ${domain}` : address;
  return {
    guard: 'unrouted',
    scope: domain,
    limit: 0,
    planned: 1,
    message: `mail to ${who} is delivered now and would not be: what delivers it is removed or narrowed, or a discard comes before it`,
    ...allowance({ kind: 'unrouted', address }, policy),
    holds: early ? { kind: 'domain', domain } : { kind: 'domain-deletes', domain },
    refuses: true,
  };
}
