import { digestFields, type FieldRow, type Fields } from '../../fields/fields.ts';
import type { KindFacts } from '../../kinds/facts.ts';
import type { SectionKind, SectionEntry } from '../../model/kinds.ts';
import { type ShowForward, type YamlValue, forwardDocument } from '../../model/manifest/manifest-document.ts';
import { nameKey, quote, type NameFault, type NameKey } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import type { Origin } from '../../model/resources.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import { entriesOf, textOf, valueOf, type Entry, type Node } from '../read/node.ts';
import { sourceOf } from '../read/text.ts';
import type { Loading } from '../resolve/context.ts';
import { createNameReader } from '../resolve/values/names.ts';
import { editSection, type EntryChange } from '../update/entries.ts';
import {
  mergeBrought,
  type Brought,
  type ItemName,
  type ReadEntries,
  type SectionLanguage,
} from './language.ts';
import type { ProblemLog } from '../problems.ts';
import type { Source } from '../../model/manifest/problem.ts';

interface NamedOptions {
  readonly parseName: (text: string) => Result<string, NameFault>;
  /** The one field that an entry consists of; by default an entry is a map of fields. */
  readonly inline?: string;
  /** True if the fields match the name; if not, the reason is reported. */
  readonly suits?: (entry: Entry, fields: Fields, loading: Loading) => boolean;
}

/** An entry; its fields are further properties. */
interface NamedEntry extends Origin {
  readonly state: 'present' | 'absent';
  readonly name: string;
}

type NamedEntries = ReadonlyMap<NameKey, NamedEntry>;

/** Creates the language of a section whose entries have names, from the rows of its kind. */
export function namedLanguage(facts: KindFacts<SectionKind>, options: NamedOptions): SectionLanguage {
  const rows = Object.entries(facts.fields).filter(([, { derived }]) => derived !== true);
  const kind: NamedKind = { ...options, facts, rows };
  return {
    read: (section, loading) => readEntries(section, loading, kind),
    merge: (own: NamedEntries | null, brought: readonly Brought<NamedEntries>[], _, log) =>
      mergeEntries(own, brought, kind, log),
    digest: (entries: NamedEntries) => {
      // Their order has no meaning. Sorting only texts is much faster than sorting entries.
      return [...entries.keys()].sort().map((key) => digestEntry(entries.get(key) as NamedEntry, kind));
    },
    export: (live: readonly LiveName[], comments, showForward) =>
      exportEntries(live, comments, kind, showForward),
    before: (changes, _, comments, showForward) => entriesBefore(changes, comments, kind, showForward),
    update(editing, changes) {
      const own = changes.filter((change) => change.kind === facts.kind && isWritten(change, kind));
      editSection(editing, facts.section, own, (change) => entryChange(change, kind));
    },
    entryOf: (item, fields, source) => entryOf(item, fields, source, kind),
  };
}

interface NamedKind extends NamedOptions {
  readonly facts: KindFacts;
  /** Rows that a manifest states. */
  readonly rows: readonly (readonly [string, FieldRow])[];
}

interface LiveName {
  readonly name: string;
}

/** Reads entries; those with an error are reported and left out. */
function readEntries(section: Node, loading: Loading, kind: NamedKind): ReadEntries<NamedEntries> {
  const names = createNameReader(kind.parseName, loading.log);
  const entries = new Map<NameKey, NamedEntry>();
  let failed = false;
  for (const entry of entriesOf(section)) {
    const named = names.read(entry.key);
    const value = named === null ? null : readEntry(entry, named.name, loading, kind);
    if (named === null || value === null) failed = true;
    else entries.set(named.key, value);
  }
  return { entries, failed };
}

function readEntry(entry: Entry, name: string, loading: Loading, kind: NamedKind): NamedEntry | null {
  const source = sourceOf(entry.key);
  if (isAbsent(entry.value)) return { state: 'absent', name, source };
  const fields = readFields(entry.value, loading, kind);
  if (fields === null || kind.suits?.(entry, fields, loading) === false) return null;
  return { state: 'present', name, ...fields, source };
}

/** Reads the fields of an entry. Returns null if the schema has reported it, for example for a missing field. */
function readFields(value: Node, loading: Loading, { rows, inline }: NamedKind): Fields | null {
  const fields: Record<string, unknown> = {};
  for (const [name, { codec, optional, fallback }] of rows) {
    const written = name === inline ? value : valueOf(value, name);
    const stated = written === undefined ? fallback : codec.read(written, loading);
    if (stated !== undefined) fields[name] = stated;
    else if (written !== undefined || optional !== true) return null;
  }
  return value.kind === 'map' || inline !== undefined ? fields : null;
}

/** True if a value is exactly `{ state: absent }`. */
function isAbsent(value: Node): boolean {
  return value.kind === 'map' && value.entries.size === 1 && textOf(valueOf(value, 'state')) === 'absent';
}

/** Merges the templates' entries with the domain's own, which override them. */
function mergeEntries(
  own: NamedEntries | null,
  brought: readonly Brought<NamedEntries>[],
  kind: NamedKind,
  log: ProblemLog,
): NamedEntries {
  if (own !== null && brought.length === 0) return own;
  const meaning = (entry: NamedEntry): string => JSON.stringify(digestEntry({ ...entry, name: '' }, kind));
  const same = (a: NamedEntry, b: NamedEntry): boolean => meaning(a) === meaning(b);
  const others = mergeBrought(own ?? new Map(), brought, same, log);
  return new Map([
    ...others.entries().map(([key, { entry, via }]) => [key, { ...entry, via }] as const),
    ...(own ?? []),
  ]);
}

/** Returns an entry's part of a manifest's digest. */
function digestEntry(entry: NamedEntry, { rows, inline }: NamedKind): readonly unknown[] {
  const digests = rows.map(([name, row]) => digestFields({ [name]: row }, entry)[0] ?? null);
  return inline === undefined ? [entry.name, entry.state, ...digests] : [entry.name, ...digests];
}

/**
 * Converts live items into entries by name. A manifest cannot distinguish items that share a name, so none of them is
 * managed.
 */
function exportEntries(
  live: readonly LiveName[],
  comments: string[],
  kind: NamedKind,
  showForward: ShowForward,
): ReadonlyMap<string, YamlValue> {
  const counts = new Map<string, number>();
  for (const { name } of live) counts.set(nameKey(name), (counts.get(nameKey(name)) ?? 0) + 1);
  const distinct = live.filter(({ name }) => {
    if (counts.get(nameKey(name)) === 1) return true;
    comments.push(
      `${kind.facts.kind} ${quote(name)} is not managed: another one differs only in case or Unicode form`,
    );
    return false;
  });
  const sorted = distinct.sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(sorted.map((row) => [row.name, writeFields(row, kind, showForward)]));
}

/** Writes a live item as a manifest does, without default values. */
function writeFields(live: object, { rows, inline }: NamedKind, showForward: ShowForward): YamlValue {
  const fields: Fields = { ...live };
  const written = rows
    .filter(
      ([name, { codec, fallback }]) =>
        !codec.isSecret && fields[name] !== undefined && fields[name] !== fallback,
    )
    .map(([name, { codec }]) => [name, codec.write(fields[name], showForward)] as const);
  return written.find(([name]) => name === inline)?.[1] ?? Object.fromEntries(written);
}

/** Returns items as they were before these changes; added items become absent. */
function entriesBefore(
  changes: readonly Change[],
  comments: string[],
  kind: NamedKind,
  showForward: ShowForward,
): ReadonlyMap<string, YamlValue> | null {
  const secret = secretOf(kind);
  const entries = new Map<string, YamlValue>();
  for (const { name, observed } of changes) {
    if (observed === null) entries.set(name, ABSENT);
    else if (secret === undefined) entries.set(name, writeFields(observed, kind, showForward));
    else comments.push(`Left out: the ${kind.facts.kind} ${quote(name)}, whose ${secret} cannot be read`);
  }
  return entries.size === 0 ? null : entries;
}

const ABSENT = { state: 'absent' } as const;

/** Returns the name of the field that cannot be read back, if there is one. */
function secretOf({ rows }: NamedKind): string | undefined {
  return rows.find(([, { codec }]) => codec.isSecret)?.[0];
}

/** True if a change affects the manifest. Sending a secret again does not. */
function isWritten({ action }: Change, { rows }: NamedKind): boolean {
  return action !== 'update' || rows.some(([, { codec }]) => !codec.isSecret);
}

/**
 * Returns the live state as a change of an entry. An entry from a template is overridden in the domain, because the
 * template may be right elsewhere.
 */
function entryChange({ observed, via }: Change, kind: NamedKind): EntryChange {
  if (observed === null) return via === undefined ? { kind: 'remove' } : { kind: 'value', value: ABSENT };
  const forward = kind.inline === undefined || !('forward' in observed) ? null : observed.forward;
  if (forward !== null) return { kind: 'forward', forward };
  return { kind: 'value', value: writeFields(observed, kind, forwardDocument) };
}

/** Returns the entry for an item as the history has it; `fields: null` means that it did not exist. */
function entryOf(
  { name }: ItemName,
  fields: Fields | null,
  source: Source,
  kind: NamedKind,
): Result<SectionEntry, string> {
  const parsed = kind.parseName(name);
  if (!parsed.ok) return fail(`no ${kind.facts.kind} can have this name: ${parsed.error.message}`);
  const place = { name: parsed.value, source };
  // It is an entry of the kind. TypeScript cannot express this for all kinds at once.
  if (fields === null) return succeed({ ...place, state: 'absent' } as SectionEntry);
  const secret = secretOf(kind);
  if (secret !== undefined) return fail(`its old ${secret} is not kept`);
  return succeed({ ...place, state: 'present', ...fields } as SectionEntry);
}
