import { ruleDocument, type RuleDocument, type ShowForward } from '../../model/manifest-document.ts';
import type { ObservedRule } from '../../model/observed.ts';
import type { RuleChange } from '../../model/plan.ts';

/**
 * The rules of a domain as they were, each by its id. Where a run moves or deletes one, all live rules are listed in
 * their old order, for a place is told by its neighbours; else only those that change.
 */
export function snapshotRules(
  changes: readonly RuleChange[],
  live: readonly ObservedRule[],
  show: ShowForward,
): readonly RuleDocument[] {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const needsOrder =
    changes.length === 0 ||
    changes.some(({ action, fields }) => action === 'delete' || fields.includes('rank'));
  const listed = live
    .toSorted((a, b) => a.rank - b.rank)
    .filter(({ id }) => needsOrder || byId.has(id))
    .map((rule) => ruleDocument(rule, nameOf(rule, byId.get(rule.id)), show));
  const added = changes.filter(({ action }) => action === 'add');
  return [
    ...listed,
    ...added.map(({ id }): RuleDocument => ({ ...(id === null ? {} : { id }), state: 'absent' })),
  ];
}

/** Names are the manifest's own; a rule that only the account has is told by its id, which no other rule has. */
function nameOf(rule: ObservedRule, change: RuleChange | undefined): string {
  const name = change?.name ?? rule.id;
  return change?.action === 'delete' && name !== rule.id ? `${name} (${rule.id})` : name;
}
