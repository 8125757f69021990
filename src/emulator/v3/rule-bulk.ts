import { runItems } from '../handlers/batch.ts';
import { hasErrors, readObject, requiredString } from '../http/input.ts';
import { invalid, type StoreResult, type Rule } from '../account/model.ts';
import { success, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { deleteRule } from '../account/store-rules.ts';
import { addRuleItem, refuseRuleBatch, updateRuleItem } from '../v4/rules.ts';
import { readBehavior, type Behavior } from './bulk.ts';
import { renderV3Rule } from './render.ts';

/**
 * Adds, updates or deletes rules. `results` has an entry for each item in the order sent, `errors` a batch failure entry
 * for each that failed; neither fails the request (v3: Rules).
 */
export function bulkRules(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { state } = context;
  const behavior = readBehavior(context, 'rules');
  if (!behavior.ok) return behavior.reply;
  const operation = behavior.value;
  const refused = operation === 'add' ? refuseRuleBatch(state) : undefined;
  if (refused !== undefined) return refused;
  const outcomes = runItems(context, {
    field: 'rules',
    apply: (item) => applyItem(context, domain, item, operation),
    render: (rule) => renderV3Rule(rule, state),
  });
  if (!outcomes.ok) return outcomes.reply;
  return success({
    errors: outcomes.value.filter((outcome) => !outcome.ok).map((outcome) => outcome.failure),
    results: outcomes.value.map((outcome) => ({
      operation,
      rule: outcome.ok ? outcome.value : null,
      success: outcome.ok,
    })),
  });
}

function applyItem(
  context: RequestContext,
  domain: DomainRecord,
  item: unknown,
  behavior: Behavior,
): StoreResult<Rule> {
  switch (behavior) {
    case 'add':
      return addRuleItem(context, domain, item);
    case 'update':
      return updateRuleItem(context, domain, item, 'required');
    case 'delete':
      return removeItem(context, domain, item);
  }
}

/** Only the `id` is needed; what else a rule has may be there. */
function removeItem({ state }: RequestContext, domain: DomainRecord, item: unknown): StoreResult<Rule> {
  const reader = readObject(item, ['id', 'type', 'config', 'rank', 'active'], state.switches);
  if (reader === undefined) return invalid('rules', 'Each of the rules must be an object.');
  const id = requiredString(reader, 'id');
  if (hasErrors(reader)) return { ok: false, error: { kind: 'invalid', errors: reader.errors } };
  return deleteRule(state, domain, id);
}
