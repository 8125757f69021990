import type { Place } from './text.ts';

/**
 * A manifest's text as a tree. Every scalar is text, as written; its key decides if `true` is a word or a boolean.
 * Keys are held in Maps, so that `__proto__` is a name like any other.
 */
export type Node = MapNode | ListNode | TextNode;

export interface MapNode extends Place {
  readonly kind: 'map';
  /** Entries by the text of the key, in the order of the text. */
  readonly entries: ReadonlyMap<string, Entry>;
}

export interface ListNode extends Place {
  readonly kind: 'list';
  readonly items: readonly Node[];
}

export interface TextNode extends Place {
  readonly kind: 'text';
  readonly text: string;
  /** True if the scalar has no quotes and is not a block scalar. */
  readonly plain: boolean;
}

export interface Entry {
  readonly key: TextNode;
  readonly value: Node;
}

/** Returns the value of a key; undefined if the node is not a map or does not have the key. */
export function valueOf(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

/** Returns the text of a scalar that is not null; undefined for anything else. */
export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'text' && !isNull(node) ? node.text : undefined;
}

export function entriesOf(node: Node | undefined): Iterable<Entry> {
  return node?.kind === 'map' ? node.entries.values() : [];
}

/** Returns the items of a list, or a single value as a list of one. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  if (node === undefined) return [];
  return node.kind === 'list' ? node.items : [node];
}

/** True if a value was left blank or is the word null (YAML 1.2: 10.3.2 Tag Resolution). */
export function isNull(node: Node): boolean {
  if (node.kind !== 'text' || !node.plain || node.text.length > 4) return false;
  return /^(?:|~|null|Null|NULL)$/.test(node.text);
}

/** Returns a boolean as YAML 1.2 writes it; undefined for anything else. */
export function booleanOf(node: Node | undefined): boolean | undefined {
  if (node?.kind !== 'text' || !node.plain) return undefined;
  if (/^(?:true|True|TRUE)$/.test(node.text)) return true;
  return /^(?:false|False|FALSE)$/.test(node.text) ? false : undefined;
}

/** Returns a decimal number; undefined for anything else. */
export function numberOf(node: Node | undefined): number | undefined {
  if (node?.kind !== 'text' || !node.plain) return undefined;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(node.text) ? Number(node.text) : undefined;
}
