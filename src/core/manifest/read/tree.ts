import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  type Alias,
  type Pair,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { quote } from '../../model/names.ts';
import { reportForbiddenEscape } from './decode.ts';
import type { Entry, Node, TextNode } from './node.ts';
import type { ProblemLog } from '../problems.ts';
import type { Place, SourceText } from './text.ts';

/** The most nested levels of maps and lists. */
export const MAX_NESTING = 32;
/** The most nodes that YAML aliases may add to one document. */
const MAX_EXPANSION = 500_000;

interface Anchored {
  readonly node: Node;
  /** Number of nodes within it, aliases expanded, and of levels below it. */
  readonly size: number;
  readonly height: number;
}

interface Growth {
  readonly source: SourceText;
  readonly log: ProblemLog;
  readonly anchors: Map<string, Anchored>;
  nodes: number;
  expanded: number;
  deepest: number;
  failed: boolean;
}

/**
 * Turns the YAML library's result into our tree. It checks duplicate keys in linear time, refuses tags, and expands
 * aliases within a limit. Expansions are shared and cost no memory. Returns null if the document cannot be used.
 */
export function createTree(contents: unknown, source: SourceText, log: ProblemLog): Node | null {
  const growth: Growth = {
    source,
    log,
    anchors: new Map(),
    nodes: 0,
    expanded: 0,
    deepest: 0,
    failed: false,
  };
  const node = grow(contents as ParsedNode, 0, growth);
  return growth.failed ? null : node;
}

function grow(parsed: ParsedNode, level: number, growth: Growth): Node {
  if (isAlias(parsed)) return expand(parsed, level, growth);
  reportTag(parsed, growth);
  if (parsed.anchor === undefined) return growValue(parsed, level, growth);
  const { nodes, deepest } = growth;
  growth.deepest = level;
  const node = growValue(parsed, level, growth);
  const anchored = { node, size: growth.nodes - nodes, height: growth.deepest - level };
  growth.anchors.set(parsed.anchor, anchored);
  growth.deepest = Math.max(deepest, growth.deepest);
  return node;
}

function growValue(parsed: Exclude<ParsedNode, Alias.Parsed>, level: number, growth: Growth): Node {
  growth.nodes += 1;
  growth.deepest = Math.max(growth.deepest, level);
  if (isScalar(parsed)) return growText(parsed, growth);
  const place = placeOf(parsed, growth);
  if (isMap(parsed)) return { kind: 'map', ...place, entries: growEntries(parsed, level, growth) };
  const items: Node[] = [];
  for (const item of parsed.items) {
    if (isPair(item)) reportKey(place, growth);
    else items.push(grow(item, level + 1, growth));
  }
  return { kind: 'list', ...place, items };
}

function growText(parsed: Scalar, growth: Growth): TextNode {
  const text = typeof parsed.value === 'string' ? parsed.value : '';
  const plain = parsed.type === 'PLAIN';
  const node: TextNode = { kind: 'text', ...placeOf(parsed, growth), text, plain };
  if (parsed.type === 'QUOTE_DOUBLE') reportForbiddenEscape(node, growth.log);
  return node;
}

function growEntries(map: YAMLMap, level: number, growth: Growth): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const pair of map.items as Pair<ParsedNode, ParsedNode | null>[]) {
    const key = growKey(pair.key, map, growth);
    const value = growPairValue(pair, key, level, growth);
    if (key === null || isMergeKey(key, growth)) continue;
    const first = entries.get(key.text);
    if (first === undefined) entries.set(key.text, { key, value });
    else reportDuplicate(key, first.key, growth);
  }
  return entries;
}

function growKey(parsed: ParsedNode | null, map: YAMLMap, growth: Growth): TextNode | null {
  if (parsed === null || !isScalar(parsed)) {
    reportKey(placeOf(parsed ?? map, growth), growth);
    return null;
  }
  const key = grow(parsed, 0, growth);
  return key.kind === 'text' ? key : null;
}

function growPairValue(
  pair: Pair<ParsedNode, ParsedNode | null>,
  key: TextNode | null,
  level: number,
  growth: Growth,
): Node {
  if (pair.value !== null) return grow(pair.value, level + 1, growth);
  const place = key ?? placeOf(pair.key, growth);
  return { kind: 'text', within: place.within, offset: place.offset, text: '', plain: true };
}

function expand(alias: Alias.Parsed, level: number, growth: Growth): Node {
  const place = placeOf(alias, growth);
  const anchored = growth.anchors.get(alias.source);
  if (anchored === undefined) {
    growth.failed = true;
    growth.log.report('unknown-anchor', place, {
      message: `*${alias.source} refers to an anchor that is not defined before it`,
      hint: 'put a name that begins with * in quotes; otherwise define the anchor first',
    });
    return { kind: 'text', ...place, text: '', plain: false };
  }
  growth.nodes += anchored.size;
  growth.expanded += anchored.size;
  growth.deepest = Math.max(growth.deepest, level + anchored.height);
  const deep = level + anchored.height > MAX_NESTING;
  if (!growth.failed && (deep || growth.expanded > MAX_EXPANSION)) {
    growth.failed = true;
    growth.log.report('too-many-aliases', place, {
      message: `YAML aliases expand to more than ${deep ? `${MAX_NESTING} levels` : `${MAX_EXPANSION} values`}`,
      hint: 'use templates and destinations to share entries between domains',
    });
  }
  return anchored.node;
}

function placeOf(parsed: { range?: readonly number[] | null | undefined }, growth: Growth): Place {
  return { within: growth.source, offset: parsed.range?.[0] ?? 0 };
}

function reportTag(
  parsed: { tag?: string | undefined; range?: readonly number[] | null },
  growth: Growth,
): void {
  if (parsed.tag === undefined) return;
  growth.log.report('unsupported-yaml', placeOf(parsed, growth), {
    message: `the YAML tag ${quote(parsed.tag)} is not allowed`,
    hint: 'delete the tag; text in quotes is always text',
  });
}

function reportKey(place: Place, growth: Growth): void {
  growth.log.report('syntax', place, {
    message: 'a key must be one text, not a list or a map',
    hint: 'put a pattern such as [a-z]+ or {a|b} in quotes',
  });
}

function reportDuplicate(key: TextNode, first: TextNode, growth: Growth): void {
  growth.log.report('duplicate-key', key, {
    message: `duplicate key ${quote(key.text)}`,
    hint: 'keep one of the two',
    related: first,
  });
}

function isMergeKey(key: TextNode, growth: Growth): boolean {
  if (!key.plain || key.text !== '<<') return false;
  growth.log.report('merge-key', key, {
    message: 'merge keys (<<) are not part of YAML 1.2',
    hint: 'use templates to share entries between domains',
  });
  return true;
}
