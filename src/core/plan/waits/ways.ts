import type { Destination } from '../../model/destinations.ts';
import { domainPartOf, type DomainName } from '../../model/names.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import type { AliasChange, Change, RuleChange } from '../../model/plan.ts';
import { changedItem, forwardersIn, type Forwarder } from '../routes/forwarders.ts';
import type { DomainSide, Side, Sides } from '../routes/sides.ts';
import { isWide } from './beside.ts';
import {
  addressesAmong,
  isDelivered,
  mailTo,
  nextOf,
  onlyWith,
  takersAt,
  waysBack,
  withDelivery,
  type DeliveringSide,
} from './mail.ts';
import { endingRules, rulesInTheWay, type Delivers, type RulesInTheWay } from './rule-order.ts';

/** Changes at the addresses that another change's mail reaches, hop by hop, from its own address on. */
export interface PassedChanges {
  /** Changes that must come first: the mail reaches them afterwards and is not delivered there before them. */
  readonly ready: readonly Change[];
  /** Changes that the mail reaches next afterwards. */
  readonly ahead: readonly Change[];
  /** Changes that must come later: the mail reaches them before and is not delivered there after them. */
  readonly needed: readonly Change[];
}

const NONE: PassedChanges = { ready: [], ahead: [], needed: [] };

/** The effect of a plan's changes on mail on its way. */
export interface Ways {
  /** Follows the mail of a change. */
  readonly passedBy: (change: Change) => PassedChanges;
  /**
   * Follows the mail of an unchanged forwarder to several addresses, each of which delivers only before or only after.
   * Returns the changes that begin to deliver it, and those that end it.
   */
  readonly exchangedBy: (forwarder: Forwarder) => {
    readonly come: readonly Change[];
    readonly go: readonly Change[];
  };
}

/** Creates the ways of a plan; `own` holds its changes by domain. */
export function openWays(
  { before, after }: Sides,
  own: ReadonlyMap<DomainName, readonly Change[]>,
  observed: Observed,
): Ways {
  const sides = [withDelivery(before), withDelivery(after)] as const;
  const items: Items = new Map(
    own.values().flatMap((changes) => changes.map((change) => [changedItem(change), change])),
  );
  const changesOf = openFinder(own, items);
  const changesAt = (address: string): readonly Change[] =>
    [before, after].flatMap((side) => changesOf(address, side));
  return {
    passedBy: openPassed(sides, {
      own,
      changesOf,
      changesAt,
      startsOf: openStarts(sides, { items, observed }),
    }),
    exchangedBy({ item, forward }) {
      const [now, then] = sides;
      const isKept = (to: string): boolean => isDelivered([to], now) && isDelivered([to], then);
      if (items.has(item) || forward.some(isKept)) return NO_EXCHANGE;
      const starts = addressesAmong(forward);
      return {
        come: onlyWith(then, now, starts).flatMap(changesAt),
        go: onlyWith(now, then, starts).flatMap(changesAt),
      };
    },
  };
}

const NO_EXCHANGE = { come: [], go: [] };

/** The account before and after the changes. */
type BothSides = readonly [DeliveringSide, DeliveringSide];

interface Finders {
  readonly own: ReadonlyMap<DomainName, readonly Change[]>;
  /** Returns the changes at an address on one side. */
  readonly changesOf: (address: string, side: Side) => readonly Change[];
  /** Returns the changes at an address on either side. */
  readonly changesAt: (address: string) => readonly Change[];
  readonly startsOf: (change: Change) => Starts | null;
}

function openPassed(
  [now, then]: BothSides,
  { own, changesOf, changesAt, startsOf }: Finders,
): Ways['passedBy'] {
  const delivers: Delivers = ({ forward }, when) => isDelivered(forward, when === 'observed' ? now : then);
  const rulesBeside = (change: Change, { address }: Starts): RulesInTheWay => {
    if (change.kind !== 'rule') return NONE;
    // It holds at least this change.
    const others = own.get(change.domain) as readonly Change[];
    return rulesInTheWay(change, address === null ? null : mailTo(address), { others, delivers });
  };
  const endersAt = (address: string): readonly Change[] => {
    const { domain, ...mail } = mailTo(address);
    const changes = own.get(domain);
    if (changes === undefined || now.side(domain).engine !== 'rules') return [];
    return endingRules(changes, mail, delivers);
  };
  const isDead = ({ desired }: Change): boolean => !isDelivered(forwardOf(desired), then);
  return (change) => {
    const starts = startsOf(change);
    if (starts === null) return NONE;
    const takersOn = ({ side }: DeliveringSide): readonly Change[] =>
      starts.address === null ? [] : changesOf(starts.address, side);
    const isStart = (to: string): boolean => changesAt(to).includes(change);
    const next = starts.after.filter((to) => then.delivers(mailTo(to)));
    const last = starts.before.filter((to) => now.delivers(mailTo(to)));
    const back = waysBack(next, { there: then, back: now }, isStart);
    const forth = waysBack(last, { there: now, back: then }, isStart);
    // Such an address delivers on the other side only through the change itself: its other destinations decide.
    const branches = (round: readonly string[], { side }: DeliveringSide): readonly string[] =>
      round.flatMap((to) => nextOf(to, side));
    const rules = rulesBeside(change, starts);
    return {
      ready: [
        ...[...onlyWith(then, now, [...starts.after, ...branches(back, then)]), ...back].flatMap(changesAt),
        ...(letsGo(change) ? takersOn(then) : []),
        ...rules.ready,
      ],
      ahead: next.filter((to) => !starts.before.includes(to)).flatMap(changesAt),
      needed: [
        ...onlyWith(now, then, [...starts.before, ...branches(forth, now)]).flatMap((address) => [
          ...changesAt(address),
          ...endersAt(address),
        ]),
        ...(change.action === 'add' ? takersOn(now).filter(isDead) : []),
        ...rules.needed,
      ],
    };
  };
}

/** Changes by `changedItem`; none by null. */
type Items = ReadonlyMap<string | null, Change>;

/** Returns a function that finds the changes of the entries that take mail to an address on one side. */
function openFinder(
  own: ReadonlyMap<DomainName, readonly Change[]>,
  items: Items,
): (address: string, side: Side) => readonly Change[] {
  return (address, side) => {
    const domain = domainPartOf(address) as DomainName;
    const itself = own.get(domain)?.find(({ kind, action }) => kind === 'domain' && action !== 'update');
    const named = takersAt(address, side).flatMap(({ item }) => items.get(`${domain} ${item}`) ?? []);
    return itself === undefined ? named : [itself, ...named];
  };
}

/** The next addresses of a change's mail, before and after. */
interface Starts {
  /** The address that the mail is sent to; null means several addresses. */
  readonly address: string | null;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Returns a function that finds the next addresses of a change's mail. It returns null if the change affects no mail,
 * or only mail to its own address that is not delivered before or after.
 */
function openStarts(
  [now, then]: BothSides,
  { items, observed }: { readonly items: Items; readonly observed: Observed },
): (change: Change) => Starts | null {
  const othersOf = openOthers(items, observed);
  return (change) => {
    if (!isRoutedBy(now.side(change.domain).engine, change)) return null;
    const address = addressOf(change);
    if (address === null) {
      const others = (when: 'before' | 'after'): readonly string[] => othersOf(change, when);
      const [before, after] = [forwardOf(change.observed), forwardOf(change.desired)];
      return {
        address,
        before: addressesAmong(takesMore(change) ? [...before, ...others('before')] : before),
        after: addressesAmong(letsGo(change) ? [...after, ...others('after')] : after),
      };
    }
    const mail = mailTo(address);
    if (!now.delivers(mail) || !then.delivers(mail)) return null;
    return { address, before: nextOf(address, now.side), after: nextOf(address, then.side) };
  };
}

const ENGINES: Partial<Record<Change['kind'], DomainSide['engine']>> = { alias: 'aliases', rule: 'rules' };

function isRoutedBy(engine: DomainSide['engine'], change: Change): change is AliasChange | RuleChange {
  return ENGINES[change.kind] === engine;
}

/** True if other entries of the domain may take mail that an entry took before. */
function letsGo({ action, fields }: Change): boolean {
  return action === 'delete' || (action !== 'add' && fields.some((field) => field !== 'forward'));
}

/** True if an entry may take mail that other entries of the domain took before. */
function takesMore({ action, fields }: Change): boolean {
  return action === 'add' || fields.some((field) => field !== 'forward');
}

/** Returns the address whose mail a change affects; null if there are several. */
function addressOf({ kind, name, domain, ...change }: AliasChange | RuleChange): string | null {
  const names = kind === 'alias' ? [name] : [change.observed, change.desired].map(namedBy);
  const [first, second = first] = names.filter((one) => one !== undefined);
  return first === undefined || first !== second || isWide(first) ? null : `${first}@${domain}`;
}

function namedBy(state: AliasChange['observed'] | RuleChange['observed']): string | undefined {
  if (state === null || !('match' in state)) return undefined;
  return state.match.type === 'alias' ? state.match.alias : '*';
}

/** Returns the destinations of an entry that takes mail. */
export function forwardOf(state: Change['observed']): readonly Destination[] {
  if (state === null || !('forward' in state)) return [];
  return 'active' in state && !state.active ? [] : state.forward;
}

/**
 * Returns a function that finds the destinations of all entries of a domain that take mail to several addresses.
 */
function openOthers(
  items: Items,
  { account, domains }: Observed,
): (change: AliasChange | RuleChange, when: 'before' | 'after') => readonly string[] {
  const wide = new Map<DomainName, readonly Forwarder[]>();
  return (change, when) => {
    const { domain, kind } = change;
    const found =
      wide.get(domain) ??
      // Only a live domain has an engine before the changes.
      forwardersIn(domains.get(domain) as ObservedDomain, account).filter(
        ({ subject }) => subject.kind !== 'address',
      );
    wide.set(domain, found);
    const isAlias = kind === 'alias';
    return found
      .filter(({ item }) => (item?.startsWith(`${domain} alias `) ?? false) === isAlias)
      .flatMap(({ item, forward }) => {
        const changed = when === 'after' ? items.get(item) : undefined;
        return [...(changed === undefined ? forward : forwardOf(changed.desired))];
      });
  };
}
