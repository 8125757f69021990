import { differingFields, fieldNames, pickFields } from '../../fields/fields.ts';
import { signatureOf, type KindFacts } from '../../kinds/facts.ts';
import type { SectionKind } from '../../model/kinds.ts';
import { nameKey, type NameKey } from '../../model/names.ts';
import type { Change, Reason } from '../../model/plan.ts';
import type { Origin } from '../../model/resources.ts';
import { succeed } from '../../model/result.ts';
import { isKeptOtherwise, reasonFor } from './item-memory.ts';
import {
  draftSection,
  notKeptWarning,
  origin,
  readLive,
  type SectionContext,
  type SectionDraft,
  type SectionResult,
} from './section.ts';

/** An entry of a section whose entries have names. */
interface NamedEntry extends Origin {
  readonly state: 'present' | 'absent';
  readonly name: string;
}

/** A live item that has a name. */
interface NamedRow {
  readonly name: string;
  readonly id?: string;
}

interface NamedSection<Entry> {
  readonly prune: boolean;
  readonly ignore: readonly string[];
  readonly entries: ReadonlyMap<NameKey, Entry>;
}

type Present<Entry> = Extract<Entry, { readonly state: 'present' }>;

/** What the rows of a kind cannot say of its difference. */
interface NamedDiff<Entry extends NamedEntry, Row extends NamedRow> {
  /** The state that an entry asks for; by default its fields. */
  readonly stateOf?: (entry: Present<Entry>) => object;
  /** Why an item that is there is sent again, although nothing shows that it differs; null means that it is not. */
  readonly reasonToSend?: (entry: Present<Entry>) => Reason | null;
  /** Completes a change, and notes what follows from it. */
  readonly noteChange?: (change: Change, row: Row | undefined, draft: SectionDraft) => Change;
  readonly noteUnchanged?: (entry: Present<Entry>, draft: SectionDraft) => void;
}

interface Planning<Entry extends NamedEntry, Row extends NamedRow> {
  readonly facts: KindFacts<SectionKind>;
  readonly context: SectionContext;
  readonly draft: SectionDraft;
  readonly own: NamedDiff<Entry, Row>;
}

/** The difference of a section whose entries have names. */
export function planNamed<Entry extends NamedEntry, Row extends NamedRow>(
  facts: KindFacts<SectionKind>,
  {
    section,
    live: rows,
    context,
  }: {
    readonly section: NamedSection<Entry>;
    readonly live: Iterable<Row>;
    readonly context: SectionContext;
  },
  own: NamedDiff<Entry, Row> = {},
): SectionResult {
  const draft = draftSection(facts.section);
  const found = readLive(section, rows, draft);
  if (!found.ok) return found;
  const { live, carried } = found.value;
  const planning = { facts, context, draft, own };
  for (const [key, entry] of section.entries) {
    if (!carried.has(key)) planEntry(entry, live.get(key), planning);
  }
  for (const [key, row] of live) {
    if (!carried.has(key) && !section.entries.has(key)) planDelete(row, null, planning);
  }
  return succeed(draft);
}

function planEntry<Entry extends NamedEntry, Row extends NamedRow>(
  entry: Entry,
  row: Row | undefined,
  planning: Planning<Entry, Row>,
): void {
  const { facts, draft, own } = planning;
  if (entry.state === 'absent') {
    if (row !== undefined) planDelete(row, entry, planning);
    return;
  }
  const present = entry as unknown as Present<Entry>;
  const desired = own.stateOf?.(present) ?? pickFields(facts.fields, entry);
  const all = fieldNames(facts.fields, desired);
  const again = row === undefined ? null : (own.reasonToSend?.(present) ?? null);
  if (again !== null) return addWanted({ entry, row, desired, fields: all, reason: again }, planning);
  const fields = row === undefined ? all : differingFields(facts.fields, desired, row);
  if (row === undefined || fields.length > 0)
    return planDifference({ entry, row, desired, fields }, planning);
  draft.unchanged += 1;
  own.noteUnchanged?.(present, draft);
}

/** What an entry wants of an item. */
interface Wanted<Entry extends NamedEntry, Row extends NamedRow> {
  readonly entry: Entry;
  readonly row: Row | undefined;
  readonly desired: object;
  readonly fields: readonly string[];
}

function planDifference<Entry extends NamedEntry, Row extends NamedRow>(
  wanted: Wanted<Entry, Row>,
  planning: Planning<Entry, Row>,
): void {
  const { entry, row, desired } = wanted;
  const { facts, context, draft } = planning;
  const text = signatureOf(facts, desired, context.references);
  const live = row === undefined ? null : signatureOf(facts, row, context.references);
  if (isKeptOtherwise(facts, entry.name, { wanted: text, live }, context))
    draft.warnings.push(notKeptWarning(facts.kind, entry, context));
  else addWanted({ ...wanted, reason: reasonFor(facts, entry.name, text, context) }, planning);
}

function addWanted<Entry extends NamedEntry, Row extends NamedRow>(
  { entry, row, ...wanted }: Wanted<Entry, Row> & { readonly reason: Reason },
  planning: Planning<Entry, Row>,
): void {
  addChange(row, planning, {
    ...wanted,
    ...origin(entry),
    action: row === undefined ? 'add' : 'update',
    name: row?.name ?? entry.name,
    stage: 1,
  });
}

/** Because an entry says so, or, without one, because its section is pruned. */
function planDelete<Entry extends NamedEntry, Row extends NamedRow>(
  row: Row,
  entry: Entry | null,
  planning: Planning<Entry, Row>,
): void {
  addChange(row, planning, {
    ...(entry === null ? { source: null } : origin(entry)),
    action: 'delete',
    name: row.name,
    desired: null,
    fields: [],
    stage: 2,
    reason: entry === null ? 'prune' : 'absent',
  });
}

type Stated = Pick<Change, 'action' | 'name' | 'fields' | 'stage' | 'reason' | 'source' | 'via'> & {
  readonly desired: object | null;
};

function addChange<Entry extends NamedEntry, Row extends NamedRow>(
  row: Row | undefined,
  { facts, context, draft, own }: Planning<Entry, Row>,
  stated: Stated,
): void {
  const change = {
    ...stated,
    kind: facts.kind,
    domain: context.domain,
    id: row?.id ?? null,
    observed: row === undefined ? null : pickFields(facts.fields, row),
    conditional: false,
  };
  // The states are those of the kind, which a type cannot say of all kinds at once.
  const made = change as Change;
  draft.changes.push(own.noteChange?.(made, row, draft) ?? made);
}

/** Returns what tells whether a name is that of an entry or of a live item. */
export function isNameIn(
  { entries }: NamedSection<unknown>,
  live: Iterable<NamedRow>,
): (text: string) => boolean {
  let rows: ReadonlySet<NameKey> | null = null;
  return (text) => {
    rows ??= new Set(Array.from(live, ({ name }) => nameKey(name)));
    return rows.has(nameKey(text)) || entries.has(nameKey(text));
  };
}
