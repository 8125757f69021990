import {
  isAlias,
  isScalar,
  isSeq,
  type Alias,
  type Document,
  type Node,
  type Scalar,
  type YAMLSeq,
} from 'yaml';
import { destinationSlots } from '../written.ts';
import { resolved, yamlView } from './yaml-view.ts';

/** The old destination and its replacement. */
export interface ReplaceTerms {
  readonly isFrom: (text: string) => boolean;
  readonly isTo: (text: string) => boolean;
  /** The new destination; null means that the old one is removed. */
  readonly to: string | null;
  /** False if a manifest's text certainly does not contain the old destination. */
  readonly mayBeIn: (text: string) => boolean;
}

/** The changes to the destinations of a document. */
export interface ReplacementPlan {
  /** The values at all places of destinations. */
  readonly slots: ReadonlySet<Node>;
  /** Nodes that are written at these places, and the YAML aliases there. */
  readonly own: ReadonlySet<Node>;
  readonly aliases: ReadonlySet<Alias>;
  /** Old destinations as written. */
  readonly found: ReadonlySet<Node>;
  readonly edited: ReadonlySet<Scalar>;
  readonly removed: ReadonlyMap<Node, ListPlace>;
  /** Old destinations to remove that are the only ones. */
  readonly only: ReadonlySet<Node>;
}

export interface ListPlace {
  readonly list: YAMLSeq<Node>;
  readonly index: number;
}

type GrowingPlan = {
  readonly [Field in keyof ReplacementPlan]: ReplacementPlan[Field] extends ReadonlySet<infer Item>
    ? Set<Item>
    : Map<Node, ListPlace>;
};

interface Planning {
  readonly document: Document.Parsed;
  readonly terms: ReplaceTerms;
  /** Nodes that YAML aliases refer to. */
  readonly shared: ReadonlySet<unknown>;
  readonly plan: GrowingPlan;
}

export function planReplacement(
  document: Document.Parsed,
  aliases: readonly Alias.Parsed[],
  terms: ReplaceTerms,
): ReplacementPlan {
  const shared = new Set(aliases.map((alias) => resolved(document, alias)));
  const plan: GrowingPlan = {
    slots: new Set(),
    own: new Set(),
    aliases: new Set(),
    found: new Set(),
    edited: new Set(),
    removed: new Map(),
    only: new Set(),
  };
  for (const { value } of destinationSlots(document.contents as Node, yamlView(document))) {
    if (plan.slots.has(value)) continue;
    plan.slots.add(value);
    planSlot({ document, terms, shared, plan }, value);
  }
  return plan;
}

function planSlot(planning: Planning, value: Node): void {
  const { document, terms, plan } = planning;
  noteOwner(value, plan);
  if (isSeq<Node>(value)) return planList(planning, value);
  const node = resolved(document, value);
  if (!isScalar(node) || !terms.isFrom(String(node.value))) return;
  plan.found.add(value);
  if (terms.to === null) plan.only.add(value);
  else if (isScalar(value)) plan.edited.add(value);
}

function noteOwner(node: Node, plan: GrowingPlan): void {
  if (isAlias(node)) plan.aliases.add(node);
  else plan.own.add(node);
}

interface ListItem {
  readonly item: Node;
  readonly index: number;
  readonly text: string;
}

function planList({ document, terms, shared, plan }: Planning, list: YAMLSeq<Node>): void {
  const items = list.items.map((item, index): ListItem => {
    noteOwner(item, plan);
    const node = resolved(document, item);
    return { item, index, text: isScalar(node) ? String(node.value) : '' };
  });
  const old = items.filter(({ text }) => terms.isFrom(text));
  const [first] = old;
  if (first === undefined) return;
  for (const { item } of old) plan.found.add(item);
  if (terms.to === null && old.length === items.length) {
    plan.only.add(first.item);
    return;
  }
  const { kept, removed } =
    terms.to === null ? { kept: [], removed: old } : merged(items, old, terms, shared);
  for (const { item } of kept) if (isScalar(item)) plan.edited.add(item);
  for (const { item, index } of removed) plan.removed.set(item, { list, index });
}

/** Returns the items of a list that get the new text, and those to remove because the list then has it twice. */
function merged(
  items: readonly ListItem[],
  old: readonly ListItem[],
  { isTo }: ReplaceTerms,
  shared: Planning['shared'],
): { readonly kept: readonly ListItem[]; readonly removed: readonly ListItem[] } {
  const present = items.filter(({ text }) => isTo(text));
  // The target of a YAML alias must stay, or the alias would have none.
  const bound = old.filter(({ item }) => shared.has(item));
  const others = present.filter(({ item }) => !shared.has(item));
  if (bound.length > 0)
    return { kept: bound, removed: [...old, ...others].filter((one) => !bound.includes(one)) };
  return present.length > 0 ? { kept: [], removed: old } : { kept: old.slice(0, 1), removed: old.slice(1) };
}
