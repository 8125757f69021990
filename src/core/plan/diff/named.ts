import { differingFields, fieldNames, pickFields, showsFields } from '../../fields/fields.ts';
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

interface NamedSection {
  readonly prune: boolean;
  readonly ignore: readonly string[];
  readonly entries: ReadonlyMap<NameKey, NamedEntry>;
}

/** The parts of a kind's diff that do not follow from its rows. */
interface NamedDiff {
  /** Returns the state that an entry asks for; by default its fields. */
  readonly stateOf?: (entry: NamedEntry) => object;
  /**
   * Returns the reason to send an existing item again, even if it shows the desired state; null means that it is not
   * sent.
   */
  readonly reasonToSend?: (entry: NamedEntry) => Reason | null;
  /** Completes a change and records its consequences. */
  readonly noteChange?: (change: Change, row: NamedRow | undefined, draft: SectionDraft) => Change;
  readonly noteUnchanged?: (entry: NamedEntry, draft: SectionDraft) => void;
}

interface Planning extends NamedDiff {
  readonly facts: KindFacts<SectionKind>;
  readonly context: SectionContext;
  readonly draft: SectionDraft;
}

/** Plans a section whose entries have names. */
export function planNamed(
  facts: KindFacts<SectionKind>,
  section: NamedSection,
  rows: Iterable<NamedRow>,
  context: SectionContext,
  own: NamedDiff = {},
): SectionResult {
  const draft = draftSection(facts.section);
  const found = readLive(section, rows, draft);
  if (!found.ok) return found;
  const { live, carried } = found.value;
  const planning = { ...own, facts, context, draft };
  for (const [key, entry] of section.entries) {
    if (carried.has(key)) continue;
    const row = live.get(key);
    live.delete(key);
    if (entry.state === 'present') planEntry(entry, row, planning);
    else if (row !== undefined) planDelete(row, entry, planning);
  }
  // No entry names what is left.
  for (const [key, row] of live) {
    if (!carried.has(key)) planDelete(row, null, planning);
  }
  return succeed(draft);
}

function planEntry(entry: NamedEntry, row: NamedRow | undefined, planning: Planning): void {
  const { facts, context, stateOf } = planning;
  const desired = stateOf?.(entry) ?? entry;
  if (row !== undefined) return planLive(entry, row, desired, planning);
  const reason = reasonFor(facts, entry.name, signatureOf(facts, desired, context.references), context);
  addWanted({ entry, row, desired, fields: fieldNames(facts.fields, desired), reason }, planning);
}

function planLive(entry: NamedEntry, row: NamedRow, desired: object, planning: Planning): void {
  const { facts, context, draft, reasonToSend, noteUnchanged } = planning;
  const again = reasonToSend?.(entry) ?? null;
  if (again !== null) {
    const fields = fieldNames(facts.fields, desired);
    return addWanted({ entry, row, desired, fields, reason: again }, planning);
  }
  if (showsFields(facts.fields, desired, row)) {
    draft.unchanged += 1;
    return noteUnchanged?.(entry, draft);
  }
  const wanted = signatureOf(facts, desired, context.references);
  const known = { wanted, live: signatureOf(facts, row, context.references) };
  if (isKeptOtherwise(facts, entry.name, known, context)) {
    draft.warnings.push(notKeptWarning(facts.kind, entry, context));
    return;
  }
  const fields = differingFields(facts.fields, desired, row);
  addWanted({ entry, row, desired, fields, reason: reasonFor(facts, entry.name, wanted, context) }, planning);
}

/** The desired change of an item. */
interface Wanted {
  readonly entry: NamedEntry;
  readonly row: NamedRow | undefined;
  readonly desired: object;
  readonly fields: readonly string[];
  readonly reason: Reason;
}

function addWanted({ entry, row, ...wanted }: Wanted, planning: Planning): void {
  const action = row === undefined ? 'add' : 'update';
  const name = row?.name ?? entry.name;
  addChange(row, planning, { ...wanted, ...origin(entry), action, name, stage: 1 });
}

/** Plans a delete: for a tombstone, or without an entry because its section is pruned. */
function planDelete(row: NamedRow, entry: NamedEntry | null, planning: Planning): void {
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

function addChange(
  row: NamedRow | undefined,
  { facts, context, draft, noteChange }: Planning,
  stated: Stated,
): void {
  const change = {
    ...stated,
    kind: facts.kind,
    domain: context.domain,
    id: row?.id ?? null,
    desired: stated.desired === null ? null : pickFields(facts.fields, stated.desired),
    observed: row === undefined ? null : pickFields(facts.fields, row),
    conditional: false,
  };
  // The states belong to the kind. TypeScript cannot express this for all kinds at once.
  const made = change as Change;
  draft.changes.push(noteChange?.(made, row, draft) ?? made);
}

/** Returns a function that is true for names of entries and live items. */
export function isNameIn({ entries }: NamedSection, rows: Iterable<NamedRow>): (text: string) => boolean {
  let live: ReadonlySet<NameKey> | null = null;
  return (text) => {
    live ??= new Set(Array.from(rows, ({ name }) => nameKey(name)));
    return live.has(nameKey(text)) || entries.has(nameKey(text));
  };
}
