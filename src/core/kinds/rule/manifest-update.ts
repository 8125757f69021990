import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { ruleDocument } from './manifest-live.ts';
import { nameKey } from '../../model/names.ts';
import type { Adoption, RuleChange } from '../../model/plan.ts';
import { sameMatch } from '../../model/resources.ts';
import type { RuleState, DesiredRule, ObservedRule } from './fields.ts';
import { createRuleNamer } from './manifest-live.ts';
import { writeForward, type Book } from '../../manifest/update/written-destinations.ts';
import { editItems, newListItem } from '../../manifest/update/collections.ts';
import {
  endOf,
  findPair,
  inlineAlias,
  placeWithin,
  startOf,
  scalarText,
  type Draft,
  type DraftPlace,
} from '../../manifest/update/draft.ts';
import { editEntries, editMap, type EntryChange, type EntryChanges } from '../../manifest/update/entries.ts';
import { flowText } from '../../manifest/update/value-text.ts';
import type { YamlValue } from '../../model/manifest/manifest-document.ts';
import { reorder } from '../../manifest/update/rule-order.ts';

/** The rules of one domain: planned changes, desired entries and live rules. */
export interface RuleInput {
  readonly changes: readonly RuleChange[];
  readonly adoptions: readonly Adoption[];
  readonly desired: readonly DesiredRule[];
  readonly live: readonly ObservedRule[];
}

/** Edits the list of a domain's rules to match the live state: first their fields; once these match, their order. */
export function editRules(domain: DraftPlace, input: RuleInput, book: Book): void {
  const { draft, document } = domain;
  const owner = placeWithin(domain, 'rules');
  const written = owner?.pair.value;
  if (inlineAlias(draft, document, written)) return;
  const list = isSeq(written) ? written : null;
  const content = input.changes.filter(({ action, fields }) => action !== 'move' && fields.join() !== 'rank');
  if (content.length === 0) {
    if (list !== null) reorder(draft, list, ranksOf(list, input));
    return;
  }
  const editing: RuleEditing = { draft, book, list, added: [], removed: new Set(), input };
  for (const change of content) editRule(editing, change);
  const { added, removed } = editing;
  if (list !== null) editItems(draft, list, { removed, added: added.map(newListItem) }, owner);
  else if (added.length > 0) editEntries(domain, new Map([['rules', { kind: 'value', value: added }]]), book);
}

interface NewRule {
  readonly [key: string]: YamlValue;
}

interface RuleEditing {
  readonly draft: Draft;
  readonly book: Book;
  readonly list: YAMLSeq | null;
  /** Items to append to the list. */
  readonly added: NewRule[];
  readonly removed: Set<unknown>;
  readonly input: RuleInput;
}

function editRule(editing: RuleEditing, change: RuleChange): void {
  const item = findRule(editing.list, change);
  const { added, removed } = editing;
  if (change.action === 'add') {
    if (item === null) added.push({ name: change.name, state: 'absent' });
    else removed.add(item);
  } else if (change.observed !== null) writeLive(editing, item, change, change.observed);
}

/**
 * Writes the live rule in place of the written one. If a template defines the rule, appends it to the domain's list.
 */
function writeLive(editing: RuleEditing, item: YAMLMap | null, change: RuleChange, state: RuleState): void {
  const { added, book, draft } = editing;
  const { action, id, reason } = change;
  if (action !== 'delete') {
    if (item === null) added.push(ruleValue(editing, change.name, state, id));
    else editMap(draft, item, { changes: fieldChanges(change.fields, state), book, owner: null });
    return;
  }
  const name = item === null ? freeName(editing, state) : scalarText(findPair(item, 'name')?.value);
  const value = ruleValue(editing, name, state, id);
  if (item === null || reason !== 'absent') added.push(value);
  else draft.edits.push({ start: startOf(item), end: endOf(item), text: flowText(value, 'flow') });
}

function findRule(list: YAMLSeq | null, { name, id }: Pick<RuleChange, 'name' | 'id'>): YAMLMap | null {
  const maps = list?.items.filter((item): item is YAMLMap => isMap(item)) ?? [];
  const textOf = (item: YAMLMap, key: string): string => nameKey(scalarText(findPair(item, key)?.value));
  return (
    maps.find((item) => textOf(item, 'name') === nameKey(name)) ??
    maps.find((item) => id !== null && textOf(item, 'id') === nameKey(id)) ??
    null
  );
}

function fieldChanges(fields: readonly string[], { match, forward, active }: RuleState): EntryChanges {
  const { type: _, ...condition } = match;
  const values: Readonly<Partial<Record<string, YamlValue>>> = { ...condition, active };
  const changes = fields.flatMap((field): readonly (readonly [string, EntryChange])[] => {
    if (field === 'forward') return [[field, { kind: 'forward', forward }]];
    const value = values[field];
    return value === undefined ? [] : [[field, { kind: 'value', value }]];
  });
  return new Map(changes);
}

function ruleValue({ book }: RuleEditing, name: string, state: RuleState, id: string | null): NewRule {
  return { ...ruleDocument({ ...state, id }, name, (forward) => writeForward(forward, book)) };
}

/** Returns a name that no rule of the domain has. */
function freeName({ input, added }: RuleEditing, { match }: RuleState): string {
  const taken = new Set(input.desired.map(({ name = '' }) => nameKey(name)));
  for (const { name } of added) if (typeof name === 'string') taken.add(nameKey(name));
  const nameOf = createRuleNamer();
  for (;;) {
    const name = nameOf(match);
    if (!taken.has(nameKey(name))) return name;
  }
}

/** Returns the live rank of each item of the list; null if an item has no live rule. */
function ranksOf(list: YAMLSeq, input: RuleInput): readonly (number | null)[] {
  return list.items.map((item) => {
    const name = nameKey(isMap(item) ? scalarText(findPair(item, 'name')?.value) : '');
    return liveRule(name, input)?.rank ?? null;
  });
}

function liveRule(name: string, { changes, adoptions, desired, live }: RuleInput): ObservedRule | undefined {
  const rule = desired.find((entry) => nameKey(entry.name ?? '') === name);
  const known = [...changes, ...adoptions].find((entry) => nameKey(entry.name) === name);
  const ids = new Set([known?.id, rule?.id, ...(rule?.derivedIds ?? [])].map((id) => id?.toLowerCase()));
  const match = rule?.state === 'present' ? rule.match : null;
  return (
    live.find(({ id }) => ids.has(id.toLowerCase())) ??
    live.find((candidate) => match !== null && sameMatch(candidate.match, match))
  );
}
