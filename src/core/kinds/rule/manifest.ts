import { sameDestinations, type Destination } from '../../model/destinations.ts';
import { ruleDocument, createRuleNamer, rulesBefore } from './manifest-live.ts';
import type { ShowForward } from '../../model/manifest/manifest-document.ts';
import { findInvisible, quote, type DomainName } from '../../model/names.ts';
import type { Source } from '../../model/manifest/problem.ts';
import { sameMatch, type RuleMatch, type RuleType, type Origin } from '../../model/resources.ts';
import { type DesiredRule, type ObservedRule, type RuleDocument, type RuleState, RULE } from './fields.ts';
import type { ProblemLog } from '../../manifest/problems.ts';
import type { Loading } from '../../manifest/resolve/context.ts';
import {
  mergeBrought,
  type Brought,
  type ReadEntries,
  type SectionLanguage,
  type ItemName,
} from '../../manifest/sections/language.ts';
import { changesOf } from '../../manifest/update/entries.ts';
import { editRules } from './manifest-update.ts';
import {
  booleanOf,
  isNull,
  itemsOf,
  textOf,
  valueOf,
  type MapNode,
  type Node,
} from '../../manifest/read/node.ts';
import { readMatch } from '../../manifest/resolve/values/rule-match.ts';
import { sourceOf } from '../../manifest/read/text.ts';
import { succeed, type Result, fail } from '../../model/result.ts';
import { type Fields, digestFields } from '../../fields/fields.ts';
import { isUuid } from '../../model/item-key.ts';
import type { RuleChange } from '../../model/plan.ts';
import { beginHash } from '../../model/text/hash.ts';

/** A rule as written. It has no domain yet, so no derived id. */
export type RuleDraft =
  | {
      readonly state: 'present';
      readonly name: string;
      readonly id: string | null;
      readonly match: RuleMatch;
      readonly forward: readonly Destination[];
      readonly active: boolean;
      readonly source: Source;
    }
  | {
      readonly state: 'absent';
      readonly name: string | null;
      readonly id: string | null;
      readonly source: Source;
    };

interface Identity {
  readonly name: string | null;
  readonly id: string | null;
}

export const RULE_LANGUAGE: SectionLanguage = {
  entryOf: ruleEntry,
  read: readRules,
  merge: mergeRules,
  digest: (rules: readonly DesiredRule[]) => rules.map(digestOfRule),
  export: exportRules,
  before: (changes, live, _, showForward) =>
    rulesBefore(changes as readonly RuleChange[], live.rules ?? [], showForward),
  update({ place, book, desired, live, adoptions }, changes) {
    const own = changesOf('rule', changes);
    const entries = desired?.state === 'present' ? (desired.rules?.entries ?? []) : [];
    const input = { changes: own, adoptions, desired: entries, live: live?.rules ?? [] };
    if (own.length > 0) editRules(place, input, book);
  },
};

function readRules(section: Node, loading: Loading): ReadEntries<readonly RuleDraft[]> {
  const entries: RuleDraft[] = [];
  const names = new Map<string, Node>();
  let failed = false;
  for (const node of section.kind === 'list' ? itemsOf(section) : []) {
    const draft = node.kind === 'map' ? readRule(node, loading) : null;
    if (draft === null || isTaken(draft, node, names, loading)) failed = true;
    else entries.push(draft);
  }
  return { entries, failed };
}

/** Merges rules: the templates' in the order of `use`, then the domain's own. */
function mergeRules(
  own: readonly RuleDraft[] | null,
  brought: readonly Brought<readonly RuleDraft[]>[],
  domain: DomainName,
  log: ProblemLog,
): readonly DesiredRule[] {
  const keyed = brought.map(({ entries, via }) => ({
    entries: entries.map((draft) => [keyOf(draft), draft] as const),
    via,
  }));
  const merged = mergeBrought(new Set(own?.map(keyOf)), keyed, sameDraft, log);
  return [
    ...[...merged.values()].map(({ entry, via }) => bindRule(entry, domain, via)),
    ...(own ?? []).map((draft) => bindRule(draft, domain, undefined)),
  ];
}

function keyOf({ name, id }: RuleDraft): string {
  return name === null ? `id ${id}` : `name ${name.toLowerCase()}`;
}

function sameDraft(a: RuleDraft, b: RuleDraft): boolean {
  if (a.state !== 'present' || b.state !== 'present') return a.state === b.state && a.id === b.id;
  if (a.id !== b.id || a.active !== b.active) return false;
  return sameMatch(a.match, b.match) && sameDestinations(a.forward, b.forward);
}

/** Binds a rule to a domain and adds its derived ids. */
function bindRule(draft: RuleDraft, domain: DomainName, via: Source | undefined): DesiredRule {
  const origin: Origin = { source: draft.source, ...(via === undefined ? {} : { via }) };
  const derivedIds = draft.name === null ? [] : derivedRuleIds(domain, draft.name);
  if (draft.state === 'absent') {
    return {
      ...origin,
      state: 'absent',
      ...(draft.name === null ? {} : { name: draft.name }),
      ...(draft.id === null ? {} : { id: draft.id }),
      derivedIds,
    };
  }
  const { name, match, forward, active } = draft;
  const id = draft.id ?? deriveRuleId(domain, match.type, name);
  const idIsWritten = draft.id !== null;
  return { ...origin, state: 'present', name, id, idIsWritten, derivedIds, match, forward, active };
}

function readRule(node: MapNode, loading: Loading): RuleDraft | null {
  const identity = readIdentity(node, loading);
  if (node.entries.has('state')) return identity === null ? null : readAbsent(node, identity, loading);
  if (!node.entries.has('name')) reportNoName(node, loading);
  const match = readMatch(node, loading.log);
  const forward = readForward(node, loading);
  const written = valueOf(node, 'active');
  const active = written === undefined ? true : booleanOf(written);
  if (match === null || forward === null || active === undefined) return null;
  if (identity === null || identity.name === null) return null;
  const { name, id } = identity;
  return { state: 'present', name, id, match, forward, active, source: sourceOf(node) };
}

/** Reads `name` and `id`, each null if it is not written. Returns null if one of them is wrong. */
function readIdentity(node: MapNode, loading: Loading): Identity | null {
  const name = valueOf(node, 'name');
  const id = valueOf(node, 'id');
  const readableName = name === undefined ? null : readName(name, loading);
  const readableId = id === undefined ? null : readId(id, loading);
  if (readableName === undefined || readableId === undefined) return null;
  return { name: readableName, id: readableId };
}

function readAbsent(node: MapNode, { name, id }: Identity, { log }: Loading): RuleDraft | null {
  if (textOf(valueOf(node, 'state')) !== 'absent') return null;
  const other = [...node.entries.values()].find(({ key }) => !['state', 'name', 'id'].includes(key.text));
  if (other !== undefined) {
    log.report('absent-with-other-keys', other.key, {
      message: `${quote(other.key.text)} cannot be combined with \`state: absent\``,
      hint: 'identify the rule by `name` or `id`, and remove everything else',
    });
    return null;
  }
  if (name === null && id === null) {
    const hint = 'add `name:` or `id:` of the rule';
    log.report('missing-key', node, { message: 'the entry does not say which rule must be absent', hint });
    return null;
  }
  return { state: 'absent', name, id, source: sourceOf(node) };
}

function readName(written: Node, { log }: Loading): string | undefined {
  const name = textOf(written)?.normalize('NFC');
  if (name === undefined || name === '') return undefined;
  const invisible = findInvisible(name.replaceAll(' ', ''));
  if (invisible === null && name.trim() === name && name.length <= 150) return name;
  log.report(invisible === null ? 'invalid-name' : 'invalid-character', written, {
    message: `${quote(name)} cannot be the name of a rule`,
    hint: 'use up to 150 visible characters, without spaces at either end',
  });
  return undefined;
}

function readId(written: Node, { log }: Loading): string | undefined {
  const id = textOf(written)?.toLowerCase();
  if (id === undefined || id === '') return undefined;
  if (isUuid(id)) return id;
  log.report('invalid-id', written, {
    message: `${quote(id)} is not a UUID`,
    hint: 'copy the id of the rule from an export of the account, or leave the key out',
  });
  return undefined;
}

function readForward(node: MapNode, loading: Loading): readonly Destination[] | null {
  const written = valueOf(node, 'forward');
  if (written !== undefined) return isNull(written) ? null : loading.destinations.resolve(written);
  loading.log.report('missing-key', node, {
    message: 'the rule does not say where its mail goes',
    hint: 'add `forward:` with a destination, or `forward: discard`',
  });
  return null;
}

function reportNoName(node: MapNode, { log }: Loading): void {
  const message = 'the rule has no name';
  log.report('missing-key', node, { message, hint: 'add `name:`, unique in its domain' });
}

function isTaken(draft: RuleDraft, node: Node, names: Map<string, Node>, { log }: Loading): boolean {
  if (draft.name === null) return false;
  const key = draft.name.toLowerCase();
  const first = names.get(key);
  names.set(key, first ?? node);
  if (first === undefined) return false;
  log.report('duplicate-name', node, {
    message: `two rules are named ${quote(draft.name)}`,
    hint: 'rename one of them',
    related: first,
  });
  return true;
}

const NAMESPACE = Buffer.from('f08e279e4efa5fb590dd5c029db5aa4a', 'hex');

/** Returns the UUID version 5 (RFC 9562: 5.5) of a rule without a written id. `name` is in NFC. */
function deriveRuleId(domain: DomainName, type: RuleType, name: string): string {
  const bytes = beginHash('sha1').update(NAMESPACE).update(`${domain}\n${type}\n${name}`, 'utf8').digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns the ids that a rule of this name would have, one per type. They identify a rule whose type changed. */
function derivedRuleIds(domain: DomainName, name: string): readonly string[] {
  return (['alias', 'regex', 'cel'] as const).map((type) => deriveRuleId(domain, type, name));
}

/** Rows that a manifest states. */
const { rank: _, ...STATED } = RULE.fields;

function digestOfRule(rule: DesiredRule): unknown {
  if (rule.state === 'absent') return ['absent', rule.name ?? null, rule.id ?? null];
  return [rule.name, rule.id, ...digestFields(STATED, rule)];
}

function exportRules(
  live: readonly ObservedRule[],
  comments: string[],
  showForward: ShowForward,
): readonly RuleDocument[] {
  const nameOf = createRuleNamer();
  const sorted = [...live].sort((a, b) => a.rank - b.rank);
  return sorted.flatMap((rule, index) => {
    const name = nameOf(rule.match);
    if (rule.rank !== sorted[index - 1]?.rank) return [ruleDocument(rule, name, showForward)];
    // A list has an order, so listing both would decide it.
    comments.push(`rule ${rule.id} (${name}) is not managed: it has the rank of another rule, ${rule.rank}`);
    return [];
  });
}

/** Returns a rule of the history as an entry. The history identifies rules only by id. */
function ruleEntry(
  { name, id }: ItemName,
  fields: Fields | null,
  source: Source,
): Result<DesiredRule, string> {
  if (id === null) return fail('its id is not known');
  const place = { name, id, derivedIds: [], source };
  if (fields === null) return succeed({ ...place, state: 'absent' });
  return succeed({ ...place, state: 'present', idIsWritten: true, ...(fields as RuleState) });
}
