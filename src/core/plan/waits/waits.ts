import { DISCARD, isDiscard } from '../../model/destinations.ts';
import { itemKey } from '../../kinds/item-key.ts';
import { KINDS } from '../../kinds/registry.ts';
import { domainPartOf, type DomainName } from '../../model/names.ts';
import type { Observed } from '../../model/observed.ts';
import type { Change, WaitReason, Waits } from '../../model/plan.ts';
import { nodesOnCycles } from '../../routing/cycles.ts';
import { changeEach } from '../diff/domain.ts';
import type { DomainPlan } from '../diff/section.ts';
import { finalAliases, liveAliases } from '../routes/aliases.ts';
import { domainsLeadingTo, forwardersAmong } from '../routes/forwarders.ts';
import { forwardsTo } from '../routes/candidates.ts';
import type { RoutesInput } from '../routes/sides.ts';
import { readStages } from '../routes/staged-sides.ts';
import { isKnown, readingsOf } from '../routes/tables.ts';
import { addedBeside, isWide, matchedBeside } from './beside.ts';
import { addedInFront, endingBehind, type MayBeSilent } from './rule-order.ts';
import { forwardOf, openWays, type PassedChanges, type Ways } from './ways.ts';

interface WaitsInput extends Pick<RoutesInput, 'desired'> {
  readonly observed: Observed;
}

/**
 * Finds the changes that must wait for others. Mail that passes several entries must be delivered at every moment if
 * it is delivered before and after the run. It is led to an address only after it is delivered there. An address
 * delivers until all mail that stays delivered is led away. Mail is followed hop by hop, also through entries that do
 * not change and domains that are not managed. A change that waits for one of stage 2 belongs to stage 2.
 */
export function planWaits(
  plans: readonly DomainPlan[],
  input: WaitsInput,
): { readonly domains: readonly DomainPlan[]; readonly waits: Waits } {
  const found = findWaits(
    plans.flatMap(({ changes }) => changes),
    input,
  );
  const late = changesLate(found);
  const placed = (change: Change): Change => late.get(change) ?? change;
  return {
    domains: plans.map((plan) => changeEach(plan, placed)),
    waits: new Map(
      [...found].map(([change, firsts]) => [
        itemKey(change),
        new Map([...firsts].map(([first, why]) => [placed(first), why])),
      ]),
    ),
  };
}

type Found = Map<Change, Map<Change, WaitReason>>;

function changesLate(found: Found): ReadonlyMap<Change, Change> {
  const late = new Map<Change, Change>();
  let size: number;
  do {
    size = late.size;
    for (const [change, firsts] of found) {
      const isLate = firsts.keys().some((first) => first.stage === 2 || late.has(first));
      if (isLate) late.set(change, { ...change, stage: 2 });
    }
  } while (size !== late.size);
  return late;
}

function findWaits(changes: readonly Change[], input: WaitsInput): Found {
  // Stryker disable next-line MethodExpression: it only saves a search through the whole account.
  const routed = changes.filter(({ kind }) => KINDS[kind].routesMail);
  const own = Map.groupBy(routed, ({ domain }) => domain);
  const notes: Notes = { needed: new Map(), ahead: new Map(), careful: new Map() };
  noteWays(own, input, notes);
  const waiting = new Set(
    Object.values(notes).flatMap((found) => [...found.keys()].map(({ domain }) => domain)),
  );
  const beside: Found = new Map();
  for (const changed of own) noteBeside(changed, waiting.has(changed[0]), input, beside);
  const found: Found = new Map();
  for (const more of [notes.needed, notes.careful, beside, notes.ahead]) addWithoutCircles(found, more);
  return found;
}

interface Notes {
  /** Waits that prevent lost mail. */
  readonly needed: Found;
  /** Waits that prevent mail from going where it should never go. */
  readonly ahead: Found;
  /** Waits that prevent lost mail if domains whose routing was not read refuse it. */
  readonly careful: Found;
}

function noteWays(own: ReadonlyMap<DomainName, readonly Change[]>, input: WaitsInput, notes: Notes): void {
  const passing = [...own]
    .filter(([domain, changed]) => passesOn(domain, changed, input))
    .flatMap(([, changed]) => changed);
  // Stryker disable next-line ConditionalExpression: it only saves a search through the whole account.
  if (passing.length === 0 && !own.values().some((changed) => changed.some(mayEndRoute))) return;
  const leading = domainsLeadingTo(new Set(own.keys()), input.observed);
  // Only one of several destinations can begin to deliver when another one ends.
  // Stryker disable next-line MethodExpression,ConditionalExpression,EqualityOperator: it only saves following all mail.
  const forwarders = forwardersAmong(leading, input.observed).filter(({ forward }) => forward.length > 1);
  const live = [...input.observed.domains.values()];
  const readings = [...new Set(live.flatMap(readingsOf))];
  // Stryker disable next-line MethodExpression,BooleanLiteral: it only saves following all mail once more.
  const unsure = readings.filter((reading) => live.some((domain) => !isKnown(domain, reading)));
  const careful = unsure.map((reading) => ({ ...reading, refusesUnread: true }) as const);
  const groups = [
    [readings, notes],
    [careful, { needed: notes.careful, ahead: new Map() }],
  ] as const;
  for (const [group, found] of groups) {
    for (const reading of group) {
      const sides = readStages(input, reading, {
        changesIn: (domain) => own.get(domain) ?? [],
        ignoredIn: () => NO_NAMES,
      });
      const ways = openWays(sides, own, input.observed);
      for (const forwarder of forwarders) noteExchange(ways.exchangedBy(forwarder), found);
      for (const change of passing) notePassed(change, ways.passedBy(change), found);
    }
  }
}

function noteExchange(
  { come, go }: ReturnType<Ways['exchangedBy']>,
  { needed }: Pick<Notes, 'needed'>,
): void {
  for (const change of go) for (const first of come) note(needed, change, first, 'leads-there');
}

function notePassed(
  change: Change,
  passed: PassedChanges,
  { needed, ahead }: Pick<Notes, 'needed' | 'ahead'>,
): void {
  for (const first of passed.ready) note(needed, change, first, 'leads-there');
  for (const later of passed.needed) note(needed, later, change, 'led-away');
  for (const first of passed.ahead.filter(isAhead)) note(ahead, change, first, 'leads-there');
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * True if mail to the domain is, or will be, forwarded to a domain of the account, or if one of its rules discards.
 */
function passesOn(
  domain: DomainName,
  changes: readonly Change[],
  { observed: { account, domains }, desired }: WaitsInput,
): boolean {
  const live = domains.get(domain);
  // Mail to a new domain was not delivered before.
  // Stryker disable next-line BooleanLiteral: it only saves a search through the whole account.
  if (live === undefined) return false;
  const isHere = (host: string): boolean =>
    domains.has(host as DomainName) || desired.domains.has(host as DomainName);
  const planned = changes.flatMap(({ desired: state }) => forwardOf(state));
  const rules = [
    ...changes.flatMap(({ kind, desired: state }) => (kind === 'rule' && state ? [state] : [])),
    ...(live.rules ?? []),
  ];
  if (rules.some(({ forward }) => isDiscard(forward))) return true;
  return planned.some((to) => isHere(domainPartOf(to))) || forwardsTo(live, account).values().some(isHere);
}

function mayEndRoute({ stage, desired }: Change): boolean {
  return stage === 2 || isDiscard(forwardOf(desired));
}

function isAhead({ stage, action }: Change): boolean {
  return stage === 1 && action !== 'move';
}

function note(found: Found, change: Change, first: Change, why: WaitReason): void {
  if (change === first || found.get(change)?.has(first)) return;
  found.set(change, (found.get(change) ?? new Map()).set(first, why));
}

/**
 * Notes the order of entries of a domain that match some of the same mail. Aliases and new rules beside waiting ones
 * keep their order. An alias, or a rule that delivers nothing, ends only after the ending entries that would match its
 * mail next. Otherwise those would deliver that mail for a moment, or until the next run. That run's plan would then
 * show a loss that this plan does not show. A pattern that delivers does not wait. Nor does one that delivers nothing
 * if another pattern goes on to deliver: it could take that one's mail until it is deleted, too.
 */
function noteBeside(
  [domain, changes]: readonly [DomainName, readonly Change[]],
  isWaiting: boolean,
  { observed: { domains } }: WaitsInput,
  beside: Found,
): void {
  const isInside = (to: string): boolean => to === DISCARD || domains.has(domainPartOf(to) as DomainName);
  const mayBeSilent: MayBeSilent = (state) => state === null || state.forward.every(isInside);
  const aliases = changes.filter((change) => change.kind === 'alias');
  const patternDelivers = (): boolean =>
    [...finalAliases(liveAliases(domains.get(domain)), aliases)].some(
      (alias) => isWide(alias.name) && !mayBeSilent(alias),
    );
  const deleted = aliases.filter(({ action }) => action === 'delete');
  const added = aliases.filter(({ action }) => action === 'add');
  const concerned = deleted.filter(
    ({ name, observed }) => !isWide(name) || (mayBeSilent(observed) && !patternDelivers()),
  );
  const ending = aliases.filter(({ action, desired }) => action !== 'add' && mayBeSilent(desired));
  const inOrder = isWaiting
    ? [...addedBeside(aliases), ...matchedBeside(deleted, added), ...addedInFront(changes)]
    : [];
  for (const [change, firsts] of [
    ...inOrder,
    ...matchedBeside(concerned, ending),
    ...endingBehind(changes, mayBeSilent),
  ]) {
    for (const first of firsts) note(beside, change, first, 'beside');
  }
}

/** Adds waits that make no circle. Changes that wait for each other in a circle do not wait. */
function addWithoutCircles(found: Found, more: Found): void {
  const graph = new Map<Change, ReadonlySet<Change>>();
  for (const [change, firsts] of [...found, ...more]) {
    graph.set(change, new Set(graph.get(change)).union(firsts));
  }
  const circles = nodesOnCycles(graph);
  for (const [change, firsts] of more) {
    for (const [first, why] of firsts) {
      if (!circles.has(change) || !circles.has(first)) note(found, change, first, why);
    }
  }
}
