import { isDiscard } from '../../model/destinations.ts';
import { type DomainName, domainPartOf, localPartOf, nameKey, takesOthers } from '../../model/names.ts';
import { forwardsOf } from '../../kinds/sections.ts';
import { presentEntries, type PresentDomain } from '../../model/desired.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { AliasChange, Change, RuleChange } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import type { RuleState } from '../../kinds/rule/fields.ts';
import type { Mail } from '../../routing/route.ts';
import type { DomainPlan } from '../diff/section.ts';
import { mailTakenBy } from '../routes/candidates.ts';
import { changedItem, forwardersAmong, type Forwarder } from '../routes/forwarders.ts';
import { ANY_OTHER, addressesIn, namesOf } from '../routes/known-addresses.ts';
import { conditionOf, type RouteSubject } from '../routes/outcomes.ts';
import { conditionKey, type DomainSide } from '../routes/sides.ts';
import type { GuardInput } from './input.ts';

/** Mail that may lose delivery. */
export type MailAtRisk = { readonly domain: DomainName } & (Mail | RouteSubject);

/** Returns true if an address is in a domain of the account. */
type IsHere = (address: string) => boolean;

export function addressesOf({ observed }: Pick<GuardInput, 'observed'>): IsHere {
  return (address) => observed.domains.has(domainPartOf(address) as DomainName);
}

/** True if a change may remove the route of some mail, other than mail to a name that is deleted or discards. */
export function mayUnroute(change: Change, isHere: IsHere): boolean {
  if (change.kind === 'domain') return change.action === 'delete';
  if (change.kind !== 'alias' && change.kind !== 'rule') return false;
  return endsOrLeadsHere(change, isHere) || mayUnrouteUnnamed(change, isHere);
}

/**
 * True if a change may remove the route of mail that its name does not show. Then the routes of a few domains must be
 * compared. A live rule that only moves may let mail reach a discarding one. A new item that delivers outside of the
 * account removes nothing.
 */
function mayUnrouteUnnamed(change: Change, isHere: IsHere): boolean {
  // Stryker disable next-line ConditionalExpression: only saves time.
  if (change.kind === 'rule') return change.observed !== null || endsOrLeadsHere(change, isHere);
  // Stryker disable next-line ConditionalExpression,LogicalOperator: only saves time.
  return change.kind === 'alias' && endsOrLeadsHere(change, isHere) && takesOthers(change.name);
}

function endsOrLeadsHere(change: AliasChange | RuleChange, isHere: IsHere): boolean {
  return endsOrDiscards(change) || leadsHere(change, isHere);
}

/** True if the item is deleted or discards. The loss of its mail is then intended. */
function endsOrDiscards({ desired }: AliasChange | RuleChange): boolean {
  return desired === null || isDiscard(desired.forward);
}

function leadsHere({ desired }: AliasChange | RuleChange, isHere: IsHere): boolean {
  return desired?.forward.some(isHere) === true;
}

/**
 * Returns mail to every named address of the domains whose routes must be compared, and the mail of changes that
 * forward within the account. `all` adds the mail of every change.
 */
export function mailOfChanges(
  plans: readonly DomainPlan[],
  input: Pick<GuardInput, 'desired' | 'observed'>,
  which: 'all' | undefined,
): readonly MailAtRisk[] {
  const isHere = addressesOf(input);
  const isConcerned = (change: AliasChange | RuleChange): boolean =>
    which === 'all' || leadsHere(change, isHere);
  return [
    ...mailOfDomains(plans, input, isHere),
    ...plans.flatMap(({ changes }) => changes.flatMap((change) => mailOfChange(change, isConcerned))),
  ];
}

function mailOfDomains(
  plans: readonly DomainPlan[],
  { desired, observed }: Pick<GuardInput, 'desired' | 'observed'>,
  isHere: IsHere,
): readonly MailAtRisk[] {
  const compared = plans.filter(({ changes }) => changes.some((change) => mayUnrouteUnnamed(change, isHere)));
  // Stryker disable next-line ConditionalExpression: it only saves a search through the whole manifest.
  if (compared.length === 0) return [];
  const named = addressesIn(
    compared.values().map(({ domain }) => domain),
    desired.domains.values().flatMap(forwardsOf),
  );
  return compared.flatMap(({ domain, changes }) => {
    const live = observed.domains.get(domain);
    if (live === undefined) return [];
    // A domain with changes of aliases or rules is present in the manifest.
    const wanted = desired.domains.get(domain) as PresentDomain;
    return [
      ...mailsTo(live, wanted, named.get(domain) as ReadonlySet<string>),
      ...mailOfOtherRules(live, changes),
    ];
  });
}

/**
 * Returns the mail of the active rules that stay as they are. When others move, mail may reach these rules and end
 * there.
 */
function mailOfOtherRules(
  { domain, rules }: ObservedDomain,
  changes: readonly Change[],
): readonly RouteSubject[] {
  const changed = new Set(changes.map(changedItem));
  const others = rules?.filter(({ id, active }) => active && !changed.has(`${domain} rule ${id}`)) ?? [];
  return others.map(({ id, match }) => mailTakenBy({ kind: 'rule', name: id, match }, domain));
}

/**
 * Returns the mail to try: to every address that is named or has an alias, to any other, and the mail that the
 * manifest expects.
 */
function mailsTo(
  { domain, aliases }: ObservedDomain,
  wanted: PresentDomain,
  named: ReadonlySet<string>,
): readonly MailAtRisk[] {
  const locals = [ANY_OTHER, ...Array.from(aliases ?? [], ({ name }) => name), ...namesOf(wanted)]
    .filter((name) => !takesOthers(name))
    .map((name) => `${name}@${domain}`);
  const addresses = new Map([...locals, ...named].map((address) => [nameKey(address), address]));
  const expected = wanted.expect.filter(({ to }) => nameKey(to).endsWith(`@${domain}`));
  return [
    ...Array.from(addresses.values(), (to) => ({ domain, to, from: '', subject: '', body: '' })),
    ...expected.map((mail) => ({ ...mail, domain, to: `${localPartOf(mail.to)}@${domain}` })),
  ];
}

function mailOfChange(
  change: Change,
  isConcerned: (change: AliasChange | RuleChange) => boolean,
): readonly RouteSubject[] {
  if ((change.kind !== 'alias' && change.kind !== 'rule') || !isConcerned(change)) return [];
  const { domain, name } = change;
  if (change.kind === 'alias') return [mailTakenBy({ kind: 'alias', name }, domain)];
  return [mailTakenBy({ kind: 'rule', name, match: matchOf(change) }, domain)];
}

/** Returns the condition that a changed rule has now, or that of a new rule. */
function matchOf({ observed, desired }: RuleChange): RuleMatch {
  const { match } = (observed ?? desired) as RuleState;
  return match;
}

/** Returns the items of these domains that forward, without those that are deleted or discard. */
export function remainingForwarders(
  domains: ReadonlySet<DomainName>,
  { observed, plans }: Pick<GuardInput, 'observed'> & { readonly plans: readonly DomainPlan[] },
): readonly Forwarder[] {
  const changes = plans.flatMap((plan) => plan.changes);
  const ending = changes.filter(isEnding);
  const gone = changes.filter(({ kind, action }) => kind === 'domain' && action === 'delete');
  const items = new Set<string | null>(ending.map(changedItem));
  const names = new Set(gone.map(({ domain }) => domain));
  return forwardersAmong(domains, observed).filter(
    ({ subject, item }) => !names.has(subject.domain) && !items.has(item),
  );
}

function isEnding(change: Change): change is AliasChange | RuleChange {
  return (change.kind === 'alias' || change.kind === 'rule') && endsOrDiscards(change);
}

/**
 * Returns a function that is true for intended losses. If aliases route, these are addresses whose own alias is
 * deleted or discards. If rules route, these are conditions whose own rule is deleted or discards, now or after a
 * change.
 */
export function deliberateLosses(
  plans: readonly DomainPlan[],
  { domains }: GuardInput['desired'],
): (mail: MailAtRisk, engine: DomainSide['engine']) => boolean {
  const rules = plans.flatMap(({ domain }) => {
    // A tombstone has none.
    const { rules: wanted } = domains.get(domain) as PresentDomain;
    return presentEntries(wanted)
      .filter((rule) => rule.active)
      .map(({ match, forward }) => ({ own: conditionIn(domain, match), discards: isDiscard(forward) }));
  });
  const [discarding, delivering] = [true, false].map(
    (discards) => new Set(rules.filter((rule) => rule.discards === discards).map(({ own }) => own)),
  ) as [Set<string>, Set<string>];
  const ending = plans.flatMap(({ changes }) => changes.filter(isEnding).map(ownMail));
  // A rule may be deleted because another takes its place.
  const own = discarding.union(new Set(ending).difference(delivering));
  return (mail, engine) => {
    if (engine === 'rules') {
      // Stryker disable next-line ConditionalExpression,LogicalOperator: other mail has no condition to be found.
      const isOfCondition = 'kind' in mail && (mail.kind === 'condition' || mail.kind === 'pattern');
      return isOfCondition && own.has(conditionIn(mail.domain, conditionOf(mail)));
    }
    const address = addressOf(mail);
    return address !== null && own.has(`${ownName(address)}@${mail.domain}`);
  };
}

function ownMail(change: AliasChange | RuleChange): string {
  const { domain } = change;
  return change.kind === 'alias' ? `${nameKey(change.name)}@${domain}` : conditionIn(domain, matchOf(change));
}

function conditionIn(domain: DomainName, match: RuleMatch): string {
  return `${domain} ${conditionKey(match)}`;
}

/** Returns the name that takes an address: `contact+label@` goes to `contact`, any other to `*`. */
function ownName(address: string): string {
  const local = localPartOf(nameKey(address));
  return local === ANY_OTHER ? '*' : (local.split('+')[0] ?? local);
}

/** Returns the address that mail is sent to; null if only a pattern or a condition describes the mail. */
function addressOf(mail: MailAtRisk): string | null {
  if ('to' in mail) return mail.to;
  if (mail.kind === 'address') return mail.address;
  return mail.kind === 'others' ? `${ANY_OTHER}@${mail.domain}` : null;
}

/** Returns the mail's address in an allowance. Mail that only a condition describes may have any address. */
export function allowedAddress(mail: MailAtRisk): string {
  const named = 'kind' in mail && mail.kind === 'pattern' ? mail.name : ANY_OTHER;
  const address = nameKey(addressOf(mail) ?? `${named}@${mail.domain}`);
  return localPartOf(address) === ANY_OTHER ? `*@${mail.domain}` : address;
}
