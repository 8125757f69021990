import { itemKey } from '../../kinds/item-key.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change, Waits } from '../../model/plan.ts';
import { nodesOnCycles } from '../../routing/cycles.ts';
import { addedBeside } from '../waits/beside.ts';
import { overtakingChanges } from './dependencies.ts';

/** A change with the number of its step. Such changes are in the order in which they are sent. */
export interface OrderedChange {
  readonly change: Change;
  readonly step: number;
}

/** A dependency of a node. With `later` the node goes in a later part; otherwise the order of the steps is enough. */
interface Edge<Node> {
  readonly first: Node;
  readonly later: boolean;
}

/**
 * Returns the part of stage 1 of each change, counted from 0. The changes of a domain go together, after those of all
 * domains that they wait for. If domains wait for each other in a circle, each of their changes goes by itself.
 */
export function partsOfStageOne(ordered: readonly OrderedChange[], waits: Waits): (change: Change) => number {
  const edgesOf = edgesAmong(ordered, waits);
  const domains = Map.groupBy(ordered, ({ change }) => change.domain);
  const graph = new Map(
    [...domains].map(([domain, own]) => [
      domain,
      new Set(
        own.flatMap(({ change }) =>
          edgesOf(change).flatMap(({ first, later }) => (later ? [first.domain] : [])),
        ),
      ),
    ]),
  );
  const circles = nodesOnCycles(graph);
  const nodeOf = (change: Change): Change | DomainName =>
    circles.has(change.domain) ? change : change.domain;
  const alone = ordered.filter(({ change }) => circles.has(change.domain));
  const withSteps = addSteps(alone, edgesOf);
  const partOf = longestWays<Change | DomainName>((node) => {
    const changes = typeof node === 'string' ? (domains.get(node) ?? []).map(({ change }) => change) : [node];
    return changes
      .flatMap(withSteps)
      .map(({ first, later }) => ({ first: nodeOf(first), later }))
      .filter(({ first }) => first !== node);
  });
  return (change) => partOf(nodeOf(change));
}

/**
 * Returns the part of stage 2 of each change, counted from 0. Routes that others forward to until their own stage 2,
 * and deletes of domains, go last.
 */
export function partsOfStageTwo(ordered: readonly OrderedChange[], waits: Waits): (change: Change) => number {
  const late = overtakingChanges(ordered.map(({ change }) => change));
  const edgesOf = edgesAmong(ordered, waits);
  const least = (change: Change): number => Number(late.has(change) || change.kind === 'domain');
  const alone = longestWays<Change>(edgesOf, least);
  const split = [...Map.groupBy(ordered, ({ change }) => change.domain).values()].filter(
    (own) => new Set(own.map(({ change }) => alone(change))).size > 1,
  );
  return longestWays<Change>(addSteps(split.flat(), edgesOf), least);
}

type EdgesOf = (change: Change) => readonly Edge<Change>[];

/** Adds the order of the steps, unless it makes a circle with the dependencies. */
function addSteps(ordered: readonly OrderedChange[], edgesOf: EdgesOf): EdgesOf {
  const beside = besideIn(ordered);
  if (beside.size === 0) return edgesOf;
  const circles = nodesOnCycles(
    new Map(
      ordered.map(({ change }) => {
        const firsts = [...edgesOf(change), ...(beside.get(change) ?? [])].map(({ first }) => first);
        return [change, new Set(firsts)];
      }),
    ),
  );
  return (change) => {
    const steps = (beside.get(change) ?? []).filter(
      ({ first }) => !circles.has(change) || !circles.has(first),
    );
    return [...edgesOf(change), ...steps];
  };
}

/** Returns a function from a change to its dependencies in the same stage. */
function edgesAmong(ordered: readonly OrderedChange[], waits: Waits): EdgesOf {
  if (waits.size === 0) return () => [];
  const places = new Map<
    string,
    { readonly change: Change; readonly begins: number; readonly ends: number }
  >();
  for (const [ends, { change }] of ordered.entries()) {
    const item = itemKey(change);
    places.set(item, { change, begins: places.get(item)?.begins ?? ends, ends });
  }
  return (change) => {
    const own = places.get(itemKey(change));
    return [...(waits.get(itemKey(change))?.keys() ?? [])].flatMap((other) => {
      const first = places.get(itemKey(other));
      if (first === undefined || own === undefined) return [];
      const isInOrder = other.domain === change.domain && first.ends < own.begins;
      return [{ first: first.change, later: !isInOrder }];
    });
  };
}

/**
 * Returns the changes that must keep the order of the steps if a domain's changes go separately: rules, and some
 * aliases.
 */
function besideIn(ordered: readonly OrderedChange[]): ReadonlyMap<Change, readonly Edge<Change>[]> {
  const found = new Map<Change, readonly Edge<Change>[]>();
  const note = (change: Change, firsts: Iterable<Change>): void => {
    found.set(
      change,
      [...firsts].map((first) => ({ first, later: false })),
    );
  };
  for (const own of Map.groupBy(ordered, ({ change }) => change.domain).values()) {
    for (const [change, firsts] of addedBeside(own.map(({ change }) => change))) note(change, firsts);
    const rules = own.filter(({ change }) => change.kind === 'rule');
    const steps = [...Map.groupBy(rules, ({ step }) => step).values()];
    for (const [index, step] of steps.entries()) {
      const before = steps[index - 1]?.map(({ change }) => change) ?? [];
      for (const { change } of step) note(change, before);
    }
  }
  return found;
}

/**
 * Returns a function that counts the longest way through a node's dependencies. Nodes of a circle do not wait for each
 * other.
 */
function longestWays<Node>(
  edgesOf: (node: Node) => readonly Edge<Node>[],
  least: (node: Node) => number = () => 0,
): (node: Node) => number {
  const known = new Map<Node, number>();
  const lengthOf = (node: Node): number => {
    const length = known.get(node);
    if (length !== undefined) return length;
    known.set(node, least(node));
    const lengths = edgesOf(node).map(({ first, later }) => lengthOf(first) + Number(later));
    const found = Math.max(least(node), ...lengths);
    known.set(node, found);
    return found;
  };
  return lengthOf;
}
