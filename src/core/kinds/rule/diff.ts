import { idKey } from '../../model/item-key.ts';
import { presentEntries, type RuleSection } from '../../model/desired.ts';
import { quote } from '../../model/names.ts';
import type { Reason, RuleChange } from '../../model/plan.ts';
import { differingFields, fieldNames } from '../../fields/fields.ts';
import { signatureOf } from '../facts.ts';
import { RULE, type RuleState, type PresentRule, type ObservedRule } from './fields.ts';
import { succeed } from '../../model/result.ts';
import { assignRanks } from './diff-ranks.ts';
import { matchRules, type RuleMatching } from './diff-matching.ts';
import { stageOf } from './steps-parts.ts';
import {
  draftSection,
  notKeptWarning,
  origin,
  type SectionContext,
  type SectionDraft,
  type SectionResult,
} from '../../plan/diff/section.ts';
import { isKeptOtherwise, reasonFor } from '../../plan/diff/item-memory.ts';

/** Plans the changes of a domain's rules: matches entries with live rules, compares them and orders them. */
export function planRules(
  section: RuleSection,
  observed: readonly ObservedRule[],
  context: SectionContext,
): SectionResult {
  const matching = matchRules(section, observed, context);
  if (!matching.ok) return matching;
  const draft = draftSection('rules');
  const carried = planDeletes(section, observed, matching.value, context, draft);
  const present = presentEntries(section);
  const ranks = ranksOf(present, carried, matching.value, context);
  for (const [position, entry] of present.entries()) {
    const rule = matching.value.matched.get(entry);
    const place: Place = { rank: ranks[position] ?? 0, after: present[position - 1]?.name ?? null };
    if (rule === undefined) {
      planAddition(entry, place, matching.value, context, draft);
      continue;
    }
    planUpdate(entry, rule, place, context, draft);
  }
  for (const [entry, rule] of matching.value.adopted) adopt(entry, rule, context, draft);
  warnOfUnmanaged(present, ranks, carried, context, draft);
  return succeed(draft);
}

/**
 * Returns the ranks of the entries. If every entry states its rank (an undo does), these are used, even if two are
 * equal. Otherwise they follow from the order of the entries.
 */
function ranksOf(
  present: readonly PresentRule[],
  carried: readonly ObservedRule[],
  { matched }: RuleMatching,
  { rankDigits }: SectionContext,
): readonly number[] {
  const stated = present.flatMap(({ rank }) => rank ?? []);
  if (stated.length === present.length) return stated;
  return assignRanks({
    wanted: present.map((entry) => matched.get(entry)?.rank ?? null),
    fixed: carried.map((rule) => rule.rank),
    digits: rankDigits,
  });
}

/** The place of a rule in the final order. */
interface Place {
  readonly rank: number;
  readonly after: string | null;
}

/** Deletes unwanted, replaced and pruned rules. Returns the live rules that stay unmanaged. */
function planDeletes(
  section: RuleSection,
  observed: readonly ObservedRule[],
  matching: RuleMatching,
  context: SectionContext,
  draft: SectionDraft,
): readonly ObservedRule[] {
  const ignored = new Set(section.ignore.map(idKey));
  const kept = new Set(matching.matched.values());
  const carried: ObservedRule[] = [];
  for (const rule of observed) {
    if (!ignored.has(idKey(rule.id))) draft.live += 1;
    const doomed = kept.has(rule) ? null : deletionOf(rule, section, matching, ignored, context);
    if (doomed !== null) draft.changes.push(doomed);
    else if (!kept.has(rule)) carried.push(rule);
  }
  draft.unmanaged = carried.length;
  draft.managed = observed.length - carried.length;
  return carried;
}

function deletionOf(
  rule: ObservedRule,
  section: RuleSection,
  matching: RuleMatching,
  ignored: ReadonlySet<string>,
  { domain }: SectionContext,
): RuleChange | null {
  const unwanted = matching.unwanted.get(rule);
  const replacement = matching.replaced.get(rule);
  const entry = unwanted ?? replacement;
  const pruned = section.prune && !ignored.has(idKey(rule.id));
  if (entry === undefined && !pruned) return null;
  return {
    ...(entry === undefined ? { source: null } : origin(entry)),
    kind: 'rule',
    action: 'delete',
    domain,
    name: entry?.name ?? rule.id,
    id: rule.id,
    observed: observedState(rule),
    desired: null,
    fields: [],
    stage: 2,
    conditional: false,
    reason: deleteReason(unwanted, replacement),
    after: null,
  };
}

function deleteReason(unwanted: object | undefined, replacement: object | undefined): Reason {
  if (unwanted !== undefined) return 'absent';
  return replacement === undefined ? 'prune' : 'type-change';
}

function planAddition(
  entry: PresentRule,
  { rank, after }: Place,
  matching: RuleMatching,
  context: SectionContext,
  draft: SectionDraft,
): void {
  const content = contentOf(entry);
  const wanted = signatureOf(RULE, content, context.references);
  const desired = { ...content, rank };
  draft.changes.push({
    ...origin(entry),
    kind: 'rule',
    action: 'add',
    domain: context.domain,
    name: entry.name,
    id: entry.id,
    observed: null,
    desired,
    fields: inOrder(fieldNames(RULE.fields, desired)),
    stage: 1,
    conditional: false,
    reason: matching.replacing.has(entry) ? 'type-change' : reasonFor(RULE, entry.name, wanted, context),
    after,
  });
}

function planUpdate(
  entry: PresentRule,
  rule: ObservedRule,
  { rank, after }: Place,
  context: SectionContext,
  draft: SectionDraft,
): void {
  const content = contentOf(entry);
  const wanted = signatureOf(RULE, content, context.references);
  const differing = inOrder(differingFields(RULE.fields, content, rule));
  const live = signatureOf(RULE, rule, context.references);
  const notKept = isKeptOtherwise(RULE, entry.name, { wanted, live }, context);
  if (notKept) draft.warnings.push(notKeptWarning('rule', entry, context));
  const moved = Object.is(rank, rule.rank) ? [] : ['rank'];
  const fields = notKept ? moved : [...differing, ...moved];
  if (fields.length === 0) {
    draft.unchanged += notKept ? 0 : 1;
    return;
  }
  const isMove = fields.length === moved.length;
  const observed = observedState(rule);
  const desired = { ...(isMove ? observed : content), rank };
  draft.changes.push({
    ...origin(entry),
    kind: 'rule',
    action: isMove ? 'move' : 'update',
    domain: context.domain,
    name: entry.name,
    id: rule.id,
    observed,
    desired,
    fields,
    stage: stageOf({ observed, desired, fields }),
    conditional: false,
    reason: isMove ? 'reorder' : reasonFor(RULE, entry.name, wanted, context),
    after,
  });
}

/** Sorts fields into a fixed order: destinations first. */
function inOrder(fields: readonly string[]): readonly string[] {
  return fields.toSorted((a, b) => Number(b === 'forward') - Number(a === 'forward'));
}

function contentOf({ match, forward, active }: Omit<RuleState, 'rank'>): Omit<RuleState, 'rank'> {
  return { match, forward, active };
}

function observedState({ match, forward, rank, active }: ObservedRule): RuleState {
  return { match, forward: forward, active, rank };
}

/**
 * Records a rule adopted by its content. The rule itself does not change; the state directory must remember its entry.
 */
function adopt(
  entry: PresentRule,
  rule: ObservedRule,
  { domain }: SectionContext,
  draft: SectionDraft,
): void {
  draft.adoptions.push({ domain, name: entry.name, id: rule.id });
  draft.warnings.push({
    code: 'adopted-by-content',
    subject: { entries: [entry.name] },
    message: `rule ${quote(entry.name)} of ${domain} was recognised only by its content: it is the live rule ${rule.id}`,
    hint: `add to it the line id: ${rule.id}`,
    source: entry.source,
  });
}

/** Warns of unmanaged rules that are evaluated before a managed one and may take its mail. */
function warnOfUnmanaged(
  present: readonly PresentRule[],
  ranks: readonly number[],
  carried: readonly ObservedRule[],
  { domain }: SectionContext,
  draft: SectionDraft,
): void {
  const last = Math.max(
    ...present.map(({ active }, position) => (active ? (ranks[position] ?? 0) : -Infinity)),
  );
  for (const rule of carried) {
    if (!rule.active || !(rule.rank < last)) continue;
    draft.warnings.push({
      code: 'unmanaged-rule-first',
      subject: { entries: [rule.id] },
      message: `the live rule ${quote(rule.id)} of ${domain} is not managed and comes before a managed rule, whose mail it may match`,
      hint: 'name it in the manifest, prune the rules, or move it in the dashboard',
      source: null,
    });
  }
}
