import { runItems } from '../handlers/batch.ts';
import { hasErrors, readObject, requiredString } from '../http/input.ts';
import { invalid, type Result, type Rule } from '../account/model.ts';
import { success, type Reply } from '../http/protocol.ts';
import type { Context } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { deleteRule } from '../account/store-rules.ts';
import { addRuleItem, refuseBatchAdd, updateRuleItem } from '../v4/rules.ts';
import { readBehavior, type Behavior } from './bulk.ts';
import { renderRule } from './render.ts';

/**
 * Adds, updates or deletes rules. `results` has an entry for each item in the order sent, `errors` a batch failure entry
 * for each that failed; neither fails the request (v3: Rules).
 */
export function bulkRules(context: Context, domain: DomainRecord): Reply {
  const { state } = context;
  const behavior = readBehavior(context, 'rules');
  if (!behavior.ok) return behavior.reply;
  const operation = behavior.value;
  const refused = operation === 'add' ? refuseBatchAdd(state) : undefined;
  if (refused !== undefined) return refused;
  const outcomes = runItems(context, {
    field: 'rules',
    apply: (item) => applyItem(context, domain, item, operation),
    render: (rule) => renderRule(rule, state),
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

function applyItem(context: Context, domain: DomainRecord, item: unknown, behavior: Behavior): Result<Rule> {
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
function removeItem({ state }: Context, domain: DomainRecord, item: unknown): Result<Rule> {
  const reader = readObject(item, ['id', 'type', 'config', 'rank', 'active'], state.switches);
  if (reader === undefined) return invalid('rules', 'Each of the rules must be an object.');
  const id = requiredString(reader, 'id');
  if (hasErrors(reader)) return { ok: false, error: { kind: 'invalid', errors: reader.errors } };
  return deleteRule(state, domain, id);
}
