import { type DomainName, domainPartOf } from '../../model/names.ts';
import type { Change, GuardFinding, Hold } from '../../model/plan.ts';
import type { DomainPlan } from '../diff/section.ts';
import { domainsLeadingTo, type Forwarder } from '../routes/forwarders.ts';
import {
  canFollow,
  createDelivery,
  isNowhere,
  isTaken,
  outcomesOf,
  outcomesOfMail,
  type SideDelivery,
  type RouteOutcomes,
} from '../routes/outcomes.ts';
import type { Side } from '../routes/sides.ts';
import { readStages, type StagedChanges } from '../routes/staged-sides.ts';
import { readingsOf } from '../routes/tables.ts';
import { compareText } from '../sorting.ts';
import { allowance } from './deletes.ts';
import type { GuardInput } from './input.ts';
import {
  addressesOf,
  allowedAddress,
  deliberateLosses,
  mailOfChanges,
  mayUnroute,
  remainingForwarders,
  type MailAtRisk,
} from './mail-at-risk.ts';

/**
 * Finds mail that loses delivery as a side effect: to addresses that the manifest names or that have an alias, to all
 * others that something takes, and to everything that forwards there, hop by hop, in every domain that was read.
 * Addresses whose own alias is deleted or discards are excluded. If the service's reading of a domain or name, or its
 * order of patterns, is unknown, one reading in which an address loses delivery is enough.
 */
export function guardUnrouted(input: GuardInput): readonly GuardFinding[] {
  return findLosses({ ...input, plans: input.domains }).map((one) => finding(one, input));
}

/** The changes that may remove delivery: those of some domains, with those of others. */
export interface LossInput extends Pick<GuardInput, 'desired' | 'observed'> {
  readonly plans: readonly DomainPlan[];
  /** Returns the changes of other domains. */
  readonly elsewhere?: ((domain: DomainName) => readonly Change[]) | undefined;
}

/** Returns the mail that loses delivery. `all` includes addresses whose own alias or rule is deleted or discards. */
export function findLosses(input: LossInput, which?: 'all'): readonly Loss[] {
  const isHere = addressesOf(input);
  const risky = input.plans.filter(({ changes }) => changes.some((change) => mayUnroute(change, isHere)));
  // Stryker disable next-line ConditionalExpression: it only saves a search through the whole account.
  if (risky.length === 0) return [];
  const causes = new Set(risky.map(({ domain }) => domain));
  const concerned = domainsLeadingTo(causes, input.observed);
  const forwarders = remainingForwarders(concerned, input);
  const isDeliberate = which === 'all' ? null : deliberateLosses(input.plans, input.desired);
  const known = mailOfChanges(risky, input, which);
  const lost = new Map<string, Loss>();
  for (const reading of readingsOfDomains(concerned, input)) {
    for (const mail of [...known, ...losingForwarders(forwarders, reading)]) {
      // If nothing takes the mail by its name, it goes with all other mail, which is compared on its own.
      if (!('to' in mail) && !isTaken(mail, reading)) continue;
      if (isDeliberate?.(mail, reading.before(mail.domain).engine) === true || !reading.loses(mail)) continue;
      const found = lossOf(mail, reading, causes);
      lost.set(found.address, joinLosses(lost.get(found.address), found));
    }
  }
  return [...lost.values()].sort(
    (a, b) => compareText(a.domain, b.domain) || compareText(a.address, b.address),
  );
}

/** Joins two losses of an address into the worst case of all readings. */
function joinLosses(known: Loss | undefined, found: Loss): Loss {
  if (known === undefined) return found;
  const latest = known.isNow && !found.isNow ? known : found;
  return { ...latest, early: known.early || found.early };
}

/** The account before and after the changes in one reading. */
interface AccountReading {
  readonly before: Side;
  readonly after: Side;
  /** The account at any moment of the run. */
  readonly meanwhile: Side;
  readonly loses: (mail: MailAtRisk) => boolean;
  /** True if stage 1 alone takes delivery away. */
  readonly losesBetween: (mail: MailAtRisk) => boolean;
}

/** Yields the account in every reading that is possible for these domains. */
function* readingsOfDomains(
  names: ReadonlySet<DomainName>,
  { desired, observed, plans, elsewhere = () => [] }: LossInput,
): Generator<AccountReading> {
  const byDomain = new Map(plans.map((plan) => [plan.domain, plan]));
  const staged: StagedChanges = {
    changesIn: (domain) => byDomain.get(domain)?.changes ?? elsewhere(domain),
    ignoredIn: (domain) => ownOf(byDomain.get(domain)?.sections ?? []),
  };
  // Stryker disable next-line MethodExpression: readings that only other domains have make no difference here.
  const live = observed.domains.values().filter(({ domain }) => names.has(domain));
  for (const reading of new Set(live.flatMap(readingsOf))) {
    const sides = readStages({ desired, observed }, reading, staged);
    const [before, between, after] = [sides.before, sides.between, sides.after].map((side) => ({
      side,
      delivery: createDelivery(side),
    })) as [SideOfMail, SideOfMail, SideOfMail];
    const loses = createLoss(before, after);
    const meanwhile = createDelivery(sides.meanwhile);
    yield {
      ...sides,
      loses: (mail) => loses(mail) || (meanwhile.delivers(mail) && !after.delivery.delivers(mail)),
      losesBetween: createLoss(before, between),
    };
  }
}

interface SideOfMail {
  readonly side: Side;
  readonly delivery: SideDelivery;
}

/** Returns a function that is true if mail may be delivered before and not after, on any way that it may take. */
function createLoss(before: SideOfMail, after: SideOfMail): (mail: MailAtRisk) => boolean {
  return (mail) => {
    if (before.delivery.delivers(mail) && !after.delivery.delivers(mail)) return true;
    // Stryker disable next-line ConditionalExpression: it only saves following mail on its one way again.
    if (!before.delivery.isUndecided(mail) && !after.delivery.isUndecided(mail)) return false;
    const lost = outcomesIn(after.side, mail).filter(isNowhere);
    return outcomesIn(before.side, mail)
      .filter((outcome) => !isNowhere(outcome))
      .some((outcome) => lost.some((other) => canFollow(outcome, other)));
  };
}

function outcomesIn(side: Side, mail: MailAtRisk): RouteOutcomes {
  return 'to' in mail ? outcomesOfMail(mail, side) : outcomesOf(mail, side);
}

/** Returns the names of items that the service created with the domain. Their routes do not count. */
function ownOf(sections: DomainPlan['sections']): ReadonlySet<string> {
  return new Set(sections.flatMap(({ serviceOwn }) => serviceOwn.map(({ name }) => name)));
}

/** Returns the mail of forwarders with a destination that loses delivery. */
function losingForwarders(
  forwarders: readonly Forwarder[],
  { loses }: AccountReading,
): readonly MailAtRisk[] {
  const isLosing = (to: string): boolean =>
    loses({ domain: domainPartOf(to) as DomainName, to, from: '', subject: '', body: '' });
  // Stryker disable next-line MethodExpression: it only saves following the mail of all forwarders.
  return forwarders.filter(({ forward }) => forward.some(isLosing)).map(({ subject }) => subject);
}

/** Mail that loses delivery. */
export interface Loss {
  readonly domain: DomainName;
  readonly address: string;
  /** True if it is delivered now; false if it would only be delivered during the run. */
  readonly isNow: boolean;
  /** Addresses that it passes on its way. */
  readonly via: readonly string[];
  /** True if stage 1 alone takes delivery away. */
  readonly early: boolean;
  /** Domains on its way that change. */
  readonly causes: readonly DomainName[];
}

function lossOf(
  mail: MailAtRisk,
  { before, after, meanwhile, losesBetween }: AccountReading,
  causes: ReadonlySet<DomainName>,
): Loss {
  const now = outcomesIn(before, mail);
  const isNow = now.some((outcome) => !isNowhere(outcome));
  const delivered = isNow ? now : outcomesIn(meanwhile, mail);
  const passed = [...delivered, ...outcomesIn(after, mail)].flatMap((outcome) => outcome.via);
  const domains = new Set([mail.domain, ...passed.map((address) => domainPartOf(address) as DomainName)]);
  return {
    domain: mail.domain,
    address: allowedAddress(mail),
    isNow,
    via: delivered[0].via,
    early: losesBetween(mail),
    causes: [...domains].filter((domain) => causes.has(domain)),
  };
}

function finding({ domain, address, isNow, via, early, causes }: Loss, { policy }: GuardInput): GuardFinding {
  const who = address.startsWith('*@') ? `every other address of ${domain}` : address;
  const how = via.length === 0 ? '' : ` through ${shortened(via)}`;
  const when = isNow ? `is delivered now${how}` : `would be delivered during the run${how}`;
  const what = 'the entry that delivers it is removed or narrowed, or a discard comes before it';
  return {
    guard: 'unrouted',
    scope: domain,
    limit: 0,
    planned: 1,
    message: `mail to ${who} ${when} and would not be${isNow ? '' : ' afterwards'}: ${what}`,
    ...allowance({ kind: 'unrouted', address }, policy),
    holds: holdOf(causes, early),
    refuses: true,
  };
}

function shortened(via: readonly string[]): string {
  return via.length <= 3 ? via.join(', ') : `${via.slice(0, 2).join(', ')}, …, ${via.at(-1)}`;
}

function holdOf(causes: readonly DomainName[], early: boolean): Hold {
  const [domain, ...others] = causes as readonly [DomainName, ...DomainName[]];
  if (others.length === 0) return { kind: early ? 'domain' : 'domain-deletes', domain };
  return { kind: early ? 'domains' : 'domains-deletes', domains: causes };
}
