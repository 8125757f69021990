import type { Desired } from '../../model/desired.ts';
import { normaliseDestination, type Destination } from '../../model/destinations.ts';
import type { Source } from '../../model/manifest/problem.ts';
import { readableDocuments } from '../domain-names.ts';
import { createProblemLog } from '../problems.ts';
import { itemsOf, type Node } from '../read/node.ts';
import { sourceOf, type ManifestText } from '../read/text.ts';
import { readReference } from '../resolve/values/references.ts';
import { destinationSlots, NODE_VIEW, type DestinationSlot } from '../written.ts';

/** A group or template of an entry, a reference in it, or an address that its mail passes. */
export interface WhoVia {
  readonly kind: 'group' | 'template' | 'reference' | 'address';
  readonly name: string;
}

/** The written form of an entry's way to a destination. */
export interface WrittenWay {
  readonly via: readonly WhoVia[];
  readonly sources: readonly Source[];
}

export interface WrittenIndex {
  /** Returns the written form of the entry at a place. */
  readonly get: (source: Source) => WrittenWay;
}

interface IndexInput {
  readonly entries: readonly { readonly source: Source; readonly pattern: string | null }[];
  readonly references: Desired['references'];
  /** True if mail to a destination goes on to the wanted one. */
  readonly leadsOn: (destination: Destination, pattern: string | null) => boolean;
}

/** Indexes the texts of manifests: finds, by place, how entries write their destinations. */
export function createWrittenIndex(texts: readonly ManifestText[], input: IndexInput): WrittenIndex {
  const patterns = new Map(input.entries.map(({ source, pattern }) => [sourceKey(source), pattern]));
  const log = createProblemLog();
  const slots = new Map<string, DestinationSlot<Node>>();
  const groups = new Map<string, Node>();
  for (const document of texts.flatMap((text) => readableDocuments(text, log))) {
    for (const slot of destinationSlots(document, NODE_VIEW)) {
      if (slot.kind === 'group' && slot.name !== null) groups.set(slot.name, slot.value);
      const key = sourceKey(sourceOf(slot.place));
      if (patterns.has(key)) slots.set(key, slot);
    }
  }
  const read = createReader(groups, input);
  return {
    get(source) {
      const key = sourceKey(source);
      const slot = slots.get(key);
      if (slot === undefined) return NOTHING;
      const template: readonly WhoVia[] =
        slot.template === null ? [] : [{ kind: 'template', name: slot.template }];
      const { via, sources } = read(slot.value, patterns.get(key) ?? null);
      return { via: [...template, ...via], sources };
    },
  };
}

const NOTHING: WrittenWay = { via: [], sources: [] };

type ReadWritten = (value: Node, pattern: string | null) => WrittenWay;

/** Creates a reader that reads each group once per pattern, because many entries may name it. */
function createReader(groups: ReadonlyMap<string, Node>, { references, leadsOn }: IndexInput): ReadWritten {
  const values = Map.groupBy(references.keys(), (value) => references.get(value)?.shown ?? '');
  const known = new Map<string, WrittenWay>();
  const read: ReadWritten = (value, pattern) => {
    const found = itemsOf(value).map((item) => readItem(item, pattern));
    return { via: found.flatMap(({ via }) => via), sources: found.flatMap(({ sources }) => sources) };
  };
  function readItem(item: Node, pattern: string | null): WrittenWay {
    if (item.kind !== 'text') return readReferenced(item, pattern);
    const group = groups.get(item.text);
    if (group !== undefined) return readGroup(item.text, group, pattern);
    const leads = leadsOn(normaliseDestination(item.text), pattern);
    return leads ? { via: [], sources: [sourceOf(item)] } : NOTHING;
  }
  function readReferenced(item: Node, pattern: string | null): WrittenWay {
    const shown = readReference(item, {})?.shown ?? '';
    const leads = (values.get(shown) ?? []).some((value) => leadsOn(value as Destination, pattern));
    return leads ? { via: [{ kind: 'reference', name: shown }], sources: [sourceOf(item)] } : NOTHING;
  }
  function readGroup(name: string, group: Node, pattern: string | null): WrittenWay {
    const key = `${name}\n${pattern}`;
    const within = known.get(key) ?? read(group, pattern);
    known.set(key, within);
    return within.sources.length === 0
      ? NOTHING
      : { via: [{ kind: 'group', name }, ...within.via], sources: within.sources };
  }
  return read;
}

function sourceKey({ file, line, column }: Source): string {
  return `${line}:${column} ${file}`;
}
