import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import type { DesiredRule } from '../../model/desired.ts';
import { nameKey } from '../../model/names.ts';
import type { ObservedRule } from '../../model/observed.ts';
import type { Adoption, RuleChange } from '../../model/plan.ts';
import { sameMatch, type RuleField, type RuleState } from '../../model/resources.ts';
import { createRuleNamer } from '../write/rule-names.ts';
import { writeForward, type Book } from './book.ts';
import {
  afterColon,
  columnOf,
  endOf,
  findPair,
  inlineAlias,
  startOf,
  scalarText,
  type DraftPlace,
} from './draft.ts';
import { lineBreakOf } from './edits.ts';
import { editEntries } from './entries.ts';
import { flowText, type YamlValue } from './flow.ts';
import { reorder } from './rule-order.ts';
import { appendItems, removeItem, setForward, setValue } from './values.ts';

/** The rules of one domain: what the plan would change, and what is asked for and live. */
export interface RuleInput {
  readonly changes: readonly RuleChange[];
  readonly adoptions: readonly Adoption[];
  readonly desired: readonly DesiredRule[];
  readonly live: readonly ObservedRule[];
}

/** Brings the list of a domain's rules to what is live: first what they say, and once that is right, their order. */
export function editRules(domain: DraftPlace, input: RuleInput, book: Book): void {
  const { draft, document, pair } = domain;
  const owner = isMap(pair.value) ? findPair(pair.value, 'rules') : undefined;
  if (inlineAlias(draft, document, owner?.value)) return;
  const list = isSeq(owner?.value) ? owner.value : null;
  const content = input.changes.filter(({ action, fields }) => action !== 'move' && fields.join() !== 'rank');
  if (content.length > 0)
    editContent({ ...domain, book, list, added: [], removed: new Set(), input }, content);
  else if (list !== null) reorder(draft, list, ranksOf(list, input));
}

function editContent(editing: RuleEditing, changes: readonly RuleChange[]): void {
  const { draft, list, added, removed, book } = editing;
  for (const change of changes) editRule(editing, change);
  if (list === null) {
    if (added.length > 0) editEntries(editing, new Map([['rules', { kind: 'value', value: added }]]), book);
    return;
  }
  for (const item of removed) removeItem(draft, list, item);
  const isEmpty = list.items.length === removed.size;
  if (isEmpty && added.length === 0) emptyList(editing, list);
  else if (list.items.length === 0) fillList(editing, list, added);
  else if (added.length > 0) appendItems(draft, list, added);
}

interface RuleEditing extends DraftPlace {
  readonly book: Book;
  readonly list: YAMLSeq | null;
  /** Items that go to the end of the list. */
  readonly added: { readonly [key: string]: YamlValue }[];
  readonly removed: Set<unknown>;
  readonly input: RuleInput;
}

function editRule(editing: RuleEditing, change: RuleChange): void {
  const item = findRule(editing.list, change);
  const { added, removed } = editing;
  if (change.action === 'add') {
    if (item === null) added.push({ name: change.name, state: 'absent' });
    else removed.add(item);
  } else if (change.observed !== null) takeLive(editing, item, change, change.observed);
}

/** The live rule in the place of what is written; of a template's, beside it. */
function takeLive(editing: RuleEditing, item: YAMLMap | null, change: RuleChange, state: RuleState): void {
  const { added, book, draft } = editing;
  const { action, id, reason } = change;
  if (action !== 'delete') {
    if (item === null) added.push(ruleValue({ name: change.name, id, state }, book));
    else for (const field of change.fields) editField(editing, item, field, state);
    return;
  }
  const name = item === null ? freeName(editing, state) : scalarText(findPair(item, 'name')?.value);
  const value = ruleValue({ name, id, state }, book);
  if (item === null || reason !== 'absent') added.push(value);
  else draft.edits.push({ start: startOf(item), end: endOf(item), text: flowText(value, 'flow') });
}

function findRule(list: YAMLSeq | null, { name, id }: Pick<RuleChange, 'name' | 'id'>): YAMLMap | null {
  const maps = list?.items.filter((item): item is YAMLMap => isMap(item)) ?? [];
  const says = (item: YAMLMap, key: string): string => nameKey(scalarText(findPair(item, key)?.value));
  return (
    maps.find((item) => says(item, 'name') === nameKey(name)) ??
    maps.find((item) => id !== null && says(item, 'id') === nameKey(id)) ??
    null
  );
}

function editField({ draft, book }: RuleEditing, item: YAMLMap, field: RuleField, state: RuleState): void {
  if (field === 'rank') return;
  const surrounding = item.flow === true ? 'flow' : 'block';
  const pair = findPair(item, field);
  if (pair === undefined) {
    const text = `${field}: ${flowText(fieldValue(field, state, book), surrounding)}`;
    const column = columnOf(draft.text, startOf(item));
    const between = item.flow === true ? ', ' : `${lineBreakOf(draft.text)}${' '.repeat(column)}`;
    draft.edits.push({
      start: endOf(item.items.at(-1)),
      end: endOf(item.items.at(-1)),
      text: `${between}${text}`,
    });
    return;
  }
  const slot = { draft, pair, surrounding } as const;
  if (field === 'forward') setForward(slot, state.forward, book);
  else setValue(slot, fieldValue(field, state, book));
}

function fieldValue(field: RuleField, { match, forward, active }: RuleState, book: Book): YamlValue {
  if (field === 'active') return active;
  if (field === 'forward') return writeForward(forward, book);
  const { type: _, ...condition } = match;
  return (condition as Readonly<Record<string, YamlValue>>)[field] ?? '';
}

function ruleValue(
  { name, id, state }: { readonly name: string; readonly id: string | null; readonly state: RuleState },
  book: Book,
): { readonly [key: string]: YamlValue } {
  const { type: _, ...condition } = state.match;
  return {
    name,
    ...(id === null ? {} : { id }),
    ...condition,
    forward: writeForward(state.forward, book),
    ...(state.active ? {} : { active: false }),
  };
}

/** A name that no rule of the domain has. */
function freeName({ input, added }: RuleEditing, { match }: RuleState): string {
  const taken = new Set(input.desired.map(({ name = '' }) => nameKey(name)));
  for (const { name } of added) if (typeof name === 'string') taken.add(nameKey(name));
  const nameOf = createRuleNamer();
  for (;;) {
    const name = nameOf(match);
    if (!taken.has(nameKey(name))) return name;
  }
}

function emptyList(domain: DraftPlace, list: YAMLSeq): void {
  const owner = ownerOf(domain);
  if (list.flow === true) domain.draft.edits.push({ start: startOf(list), end: endOf(list), text: '[]' });
  else {
    const at = afterColon(domain.draft, owner);
    domain.draft.edits.push({ start: at, end: at, text: ' []' });
  }
}

function fillList(domain: DraftPlace, list: YAMLSeq, added: readonly YamlValue[]): void {
  const owner = ownerOf(domain);
  const { text, edits } = domain.draft;
  const indent = `${lineBreakOf(text)}${' '.repeat(columnOf(text, startOf(owner.key)) + 2)}- `;
  const lines = added.map((value) => `${indent}${flowText(value, 'block')}`);
  edits.push({ start: afterColon(domain.draft, owner), end: endOf(list), text: lines.join('') });
}

function ownerOf({ pair }: DraftPlace): NonNullable<ReturnType<typeof findPair>> {
  const owner = isMap(pair.value) ? findPair(pair.value, 'rules') : undefined;
  if (owner === undefined) throw new Error('a list of rules has a key');
  return owner;
}

/** The live rank of each item of the list; null where an item means no live rule. */
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
