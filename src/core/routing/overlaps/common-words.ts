import { lazily } from '../lazily.ts';
import { ALPHABET, parsePattern, type PatternTree } from './pattern-tree.ts';

/** A state machine that reads a word character by character and accepts the words that a pattern matches. */
export interface Machine {
  readonly start: States;
}

/** The states that a machine may be in after the characters read so far. */
interface States {
  /** Identifies the states: equal keys mean equal continuations. */
  readonly key: string;
  readonly accepts: boolean;
  /** Characters that can be read next. */
  readonly next: ReadonlySet<string>;
  readonly after: (character: string) => States;
}

/** Limit on the nodes of a machine. Larger patterns, such as `{500}` within `{500}`, are not built. */
const MOST_NODES = 2000;

interface Node {
  readonly number: number;
  readonly characters: ReadonlySet<string>;
  /** Next nodes: after one of the characters, or immediately if there are none. Loops add a node later. */
  readonly following: Node[];
}

/** Returns the machine of a pattern, or null if the pattern is too large or uses unknown syntax. */
export function machineOf(source: string): Machine | null {
  const tree = source.length > MOST_NODES ? null : parsePattern(source);
  const nodes: Node[] = [];
  const create = (following: Node[], characters: ReadonlySet<string> = NONE): Node => {
    const node = { number: nodes.length, characters, following };
    nodes.push(node);
    return node;
  };
  const end = create([]);
  const first = tree === null ? null : build(tree, end, create);
  if (first === null || nodes.length > MOST_NODES) return null;
  const known = new Map<string, States>();
  return { start: statesFrom([first], end, known) };
}

const NONE: ReadonlySet<string> = new Set();

type Create = (following: Node[], characters?: ReadonlySet<string>) => Node;

/** Builds the nodes of a tree before `next`. Returns null if there are too many. */
function build(tree: PatternTree, next: Node, create: Create): Node | null {
  if (next.number > MOST_NODES) return null;
  switch (tree.kind) {
    case 'one-of':
      // An empty class matches nothing, so no node follows.
      return create(tree.characters.size === 0 ? [] : [next], tree.characters);
    case 'either': {
      const firsts = tree.parts.map((part) => build(part, next, create));
      return firsts.includes(null) ? null : create(firsts.filter((first) => first !== null));
    }
    case 'sequence':
      return tree.parts.reduceRight<Node | null>(
        (following, part) => following && build(part, following, create),
        next,
      );
    case 'repeat':
      return buildRepeat(tree, next, create);
  }
}

function buildRepeat(
  { part, least, most }: Extract<PatternTree, { readonly kind: 'repeat' }>,
  next: Node,
  create: Create,
): Node | null {
  let first: Node | null = next;
  if (most === null) {
    const loop: Node = create([next]);
    const again = build(part, loop, create);
    if (again === null) return null;
    loop.following.push(again);
    first = loop;
  }
  for (let count = most ?? least; count > 0; count -= 1) {
    const once: Node | null = build(part, first, create);
    if (once === null) return null;
    first = count > least ? create([once, next]) : once;
  }
  return first;
}

function statesFrom(nodes: readonly Node[], end: Node, known: Map<string, States>): States {
  const reached = new Set<Node>();
  const open = [...nodes];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    if (node.characters.size === 0) open.push(...node.following);
  }
  const reading = [...reached].filter(({ characters }) => characters.size > 0);
  const accepts = reached.has(end);
  const numbers = reading.map(({ number }) => number).sort((a, b) => a - b);
  const key = `${numbers.join()} ${accepts}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const next = new Set(reading.flatMap(({ characters }) => [...characters]));
  const after = new Map<string, () => States>();
  const states: States = {
    key,
    accepts,
    next,
    after(character) {
      const made =
        after.get(character) ??
        lazily(() => {
          const left = reading.filter(({ characters }) => characters.has(character));
          return statesFrom(
            left.flatMap(({ following }) => following),
            end,
            known,
          );
        });
      after.set(character, made);
      return made();
    },
  };
  known.set(key, states);
  return states;
}

/** Number of words to try from one pair of states. The caller may not be able to use the first word. */
const MOST_VISITS = 20;

/** States of two machines after the same word. */
interface Pair {
  readonly word: string;
  readonly a: States;
  readonly b: States;
}

/**
 * Yields words that both machines match, short ones first, but not all of them. `steps` limits the work: it counts down, and
 * the search stops at 0.
 */
export function* commonWords(a: Machine, b: Machine, steps: { left: number }): Generator<string> {
  const visits = new Map<string, number>();
  const open: Pair[] = [{ word: '', a: a.start, b: b.start }];
  // The list grows during this loop, with shorter words first.
  for (const pair of open) {
    if (pair.word !== '' && pair.a.accepts && pair.b.accepts) yield pair.word;
    for (const next of pairsAfter(pair)) {
      if (steps.left <= 0) return;
      steps.left -= 1;
      const key = `${next.a.key}|${next.b.key}`;
      const seen = visits.get(key) ?? 0;
      visits.set(key, seen + 1);
      if (seen < MOST_VISITS) open.push(next);
    }
  }
}

function* pairsAfter({ word, a, b }: Pair): Generator<Pair> {
  for (const character of ALPHABET) {
    if (!a.next.has(character) || !b.next.has(character)) continue;
    yield { word: word + character, a: a.after(character), b: b.after(character) };
  }
}
