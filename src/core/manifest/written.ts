import { RECEIVING_SETTINGS } from '../kinds/domain/fields.ts';
import { entriesOf, type Node } from './read/node.ts';

/** Functions that traverse the tree of a document: our own, or that of the YAML library. */
export interface TreeView<N> {
  readonly entriesOf: (node: N | undefined) => Iterable<WrittenEntry<N>>;
  /** Yields the items of a list; nothing for other nodes. */
  readonly itemsOf: (node: N | undefined) => Iterable<N>;
}

export interface WrittenEntry<N> {
  readonly name: string;
  readonly key: N;
  readonly value: N;
}

/** Traverses our own nodes. */
export const NODE_VIEW: TreeView<Node> = {
  *entriesOf(node) {
    for (const { key, value } of entriesOf(node)) yield { name: key.text, key, value };
  },
  itemsOf: (node) => (node?.kind === 'list' ? node.items : []),
};

/** A place in a manifest that holds one destination or a list. */
export interface DestinationSlot<N> {
  readonly kind: 'group' | 'alias' | 'rule' | 'setting' | 'expect';
  /** The name of the group, alias or setting; null for rules and expectations. */
  readonly name: string | null;
  /** The template that the place is in. */
  readonly template: string | null;
  /** The node for problems with the entry: a key, or the item of a list. */
  readonly place: N;
  readonly value: N;
}

/** Yields all places in a document that hold destinations. */
export function* destinationSlots<N>(
  document: N,
  view: TreeView<N>,
): Generator<DestinationSlot<N>, void, undefined> {
  const slots: Slots<N> = { view, template: null };
  for (const { name, value } of view.entriesOf(document)) {
    if (name === 'destinations') yield* namedSlots('group', value, slots);
    if (name === 'defaults') yield* settingSlots(value, slots);
    if (name === 'domains') {
      for (const domain of view.entriesOf(value)) yield* ownerSlots(domain.value, slots);
    }
    if (name === 'templates') {
      for (const template of view.entriesOf(value)) {
        yield* ownerSlots(template.value, { ...slots, template: template.name });
      }
    }
  }
}

interface Slots<N> extends Pick<DestinationSlot<N>, 'template'> {
  readonly view: TreeView<N>;
}

/** Yields the places in a domain or template that hold destinations. */
function* ownerSlots<N>(owner: N, slots: Slots<N>): Generator<DestinationSlot<N>, void, undefined> {
  yield* settingSlots(owner, slots);
  for (const { name, value } of slots.view.entriesOf(owner)) {
    if (name === 'aliases') yield* namedSlots('alias', value, slots);
    if (name === 'rules') yield* listedSlots('rule', value, slots);
    if (name === 'expect') yield* listedSlots('expect', value, slots);
  }
}

function* namedSlots<N>(
  kind: 'group' | 'alias',
  map: N,
  { view, template }: Slots<N>,
): Generator<DestinationSlot<N>, void, undefined> {
  for (const { name, key, value } of view.entriesOf(map)) yield { kind, name, template, place: key, value };
}

function* listedSlots<N>(
  kind: 'rule' | 'expect',
  list: N,
  { view, template }: Slots<N>,
): Generator<DestinationSlot<N>, void, undefined> {
  for (const item of view.itemsOf(list)) {
    for (const { name, value } of view.entriesOf(item)) {
      if (name === 'forward') yield { kind, name: null, template, place: item, value };
    }
  }
}

const DESTINATION_SETTINGS: ReadonlySet<string> = new Set(RECEIVING_SETTINGS);

function* settingSlots<N>(
  owner: N,
  { view, template }: Slots<N>,
): Generator<DestinationSlot<N>, void, undefined> {
  for (const { name, key, value } of view.entriesOf(owner)) {
    if (DESTINATION_SETTINGS.has(name)) yield { kind: 'setting', name, template, place: key, value };
  }
}
