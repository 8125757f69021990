import { sameDestinations } from '../../model/destinations.ts';
import type { Change, RuleChange } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import type { RuleState } from './fields.ts';
import { joinMatches } from './steps-parts.ts';
import { ruleSteps } from './steps-parts.ts';
import { matchParts } from '../../fields/condition.ts';

/** An active rule whose condition changes. */
type Passing = RuleChange & { readonly observed: RuleState; readonly desired: RuleState };

/**
 * Returns one rule of each circle in which active rules pass their conditions on. The rule first matches both its old
 * and its new condition, until the others have changed. Only a rule that keeps its destinations is chosen: mail of its
 * old condition then still goes where it went, and mail of its new condition where it will go. Its rank does not
 * matter.
 */
export function rulesToWiden(changes: readonly Change[]): ReadonlySet<Change> {
  const chosen = new Set<Change>();
  for (const own of Map.groupBy(changes.filter(isPassing), ({ domain }) => domain).values()) {
    const takerOf = takersOf(own);
    const visited = new Set<Passing>();
    for (const start of own) {
      const path = new Set<Passing>();
      let at: Passing | undefined = start;
      while (at !== undefined && !visited.has(at)) {
        visited.add(at);
        path.add(at);
        at = takerOf(at);
      }
      if (at === undefined || !path.has(at)) continue;
      const members = [...path];
      const widened = members.slice(members.indexOf(at)).find(canWiden);
      if (widened !== undefined) chosen.add(widened);
    }
  }
  return chosen;
}

/**
 * Puts the rule that takes over a condition in an earlier group than the rule that gives it up. The `widened` rules
 * already match their new conditions.
 */
export function takersFirst<Item extends { readonly change: Change }>(
  items: readonly Item[],
  widened: ReadonlySet<Change>,
): readonly (readonly Item[])[] {
  const byChange = new Map<Change, Item>(items.map((item) => [item.change, item]));
  const takerOf = takersOf(items.map(({ change }) => change).filter(isPassing), widened);
  const groups: Item[][] = [];
  const groupOf = new Map<Item, number>();
  const place = (item: Item): number => {
    const known = groupOf.get(item);
    if (known !== undefined) return known;
    groupOf.set(item, -1); // in a circle without a widened rule, one of them goes first
    const taker = isPassing(item.change) ? takerOf(item.change) : undefined;
    const next = taker === undefined ? undefined : byChange.get(taker);
    const group = next === undefined ? 0 : place(next) + 1;
    groupOf.set(item, group);
    (groups[group] ??= []).push(item);
    return group;
  };
  for (const item of items) place(item);
  return groups;
}

/**
 * Returns a lookup of the rule that must change before another gives up its condition. A rule that already matches its
 * new condition need not.
 */
function takersOf(
  changes: readonly Passing[],
  widened: ReadonlySet<Change> = new Set(),
): (change: Passing) => Passing | undefined {
  const earlier = new Map(changes.map((change) => [change, findEarlierPart(change, changes)]));
  const takers = new Map(
    changes
      .filter((change) => !widened.has(change) && earlier.get(change) === undefined)
      .map((change) => [keyOf(change.desired.match), change]),
  );
  return (change) => earlier.get(change) ?? takers.get(keyOf(change.observed.match));
}

/** Finds the taker of a rule that a killed run left widened. */
function findEarlierPart(change: Passing, changes: readonly Passing[]): Passing | undefined {
  const { observed, desired } = change;
  if (!endsLikeJoined(observed.match)) return undefined;
  const live = keyOf(observed.match);
  return changes.find((other) => {
    const joined = other === change ? null : joinMatches(other.desired.match, desired.match);
    return joined !== null && keyOf(joined) === live;
  });
}

/** True if a condition may be a joined one. This avoids comparing most rules with all others. */
function endsLikeJoined(match: RuleMatch): boolean {
  return matchParts(match)[1]?.endsWith(match.type === 'cel' ? ')' : '))') === true;
}

/**
 * True if a rule can match both conditions. A destination that names groups prevents it, because the groups would be
 * renumbered.
 */
function canWiden({ observed, desired }: Passing): boolean {
  const keeps = sameDestinations(observed.forward, desired.forward);
  const namesGroups = observed.forward.some((destination) => destination.includes('$'));
  return keeps && !namesGroups && joinMatches(observed.match, desired.match) !== null;
}

function isPassing(change: Change): change is Passing {
  if (change.kind !== 'rule' || change.desired?.active !== true) return false;
  return ruleSteps(change).some(({ step }) => step === 'rule-narrowings');
}

function keyOf(match: RuleMatch): string {
  return JSON.stringify(matchParts(match));
}
