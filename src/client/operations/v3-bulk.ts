import { ENDPOINTS, LIMITS } from '../../core/model/endpoints.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { ObservedRule } from '../../core/model/resources.ts';
import type { Call } from '../http/call.ts';
import type { AliasAddition, Answer, RuleAddition, RuleUpdate } from '../client.ts';
import { arrayField, booleanField, idField, objectOf, stringField, type Json } from './decode.ts';
import { aliasBody } from './aliases.ts';
import { decodeRule, ruleBody } from './rules.ts';

/** An alias by its name, with its id if the answer has one. */
export interface BulkAlias {
  readonly name: string;
  readonly id: string | null;
}

export interface BulkAliases {
  readonly done: readonly BulkAlias[];
  readonly failed: readonly BulkAlias[];
}

/** The result of each rule, in the order sent. `rule` is null if the rule failed or the service shows none. */
export type BulkRules = readonly { readonly success: boolean; readonly rule: ObservedRule | null }[];

/**
 * The bulk endpoints of v3, which address aliases by name. The reconciler uses the batch endpoints instead: both versions
 * have them, and they say why an item failed.
 */
export interface BulkClient {
  addAliases(domain: DomainName, aliases: readonly AliasAddition[]): Answer<BulkAliases>;
  updateAliases(domain: DomainName, aliases: readonly AliasAddition[]): Answer<BulkAliases>;
  deleteAliases(domain: DomainName, names: readonly string[]): Answer<BulkAliases>;
  addRules(domain: DomainName, rules: readonly RuleAddition[]): Answer<BulkRules>;
  updateRules(domain: DomainName, rules: readonly RuleUpdate[]): Answer<BulkRules>;
  deleteRules(domain: DomainName, ids: readonly string[]): Answer<BulkRules>;
}

type Behavior = 'add' | 'update' | 'delete';

/** Creates the bulk requests (v3: Aliases, Rules). An item that fails does not fail the request. */
export function bulkOperations(call: Call): BulkClient {
  const aliases = (domain: DomainName, behavior: Behavior, items: readonly object[]): Answer<BulkAliases> => {
    assertFits(items);
    const body = { aliases: items, behavior };
    return call(
      { endpoint: ENDPOINTS.v3.bulkAliases, params: { domain }, body, successFlag: 'ignored' },
      decodeAliases,
    );
  };
  const rules = (domain: DomainName, behavior: Behavior, items: readonly object[]): Answer<BulkRules> => {
    assertFits(items);
    const body = { rules: items, behavior };
    return call(
      { endpoint: ENDPOINTS.v3.bulkRules, params: { domain }, body, successFlag: 'ignored' },
      decodeResults,
    );
  };
  return {
    addAliases: (domain, items) => aliases(domain, 'add', items.map(aliasBody)),
    updateAliases: (domain, items) => aliases(domain, 'update', items.map(aliasBody)),
    deleteAliases: (domain, names) =>
      aliases(
        domain,
        'delete',
        names.map((alias) => ({ alias })),
      ),
    addRules: (domain, items) =>
      rules(
        domain,
        'add',
        items.map((rule) => ({ ...ruleBody(rule), type: rule.match.type })),
      ),
    updateRules: (domain, items) => rules(domain, 'update', items.map(ruleBody)),
    deleteRules: (domain, ids) =>
      rules(
        domain,
        'delete',
        ids.map((id) => ({ id })),
      ),
  };
}

function assertFits(items: readonly unknown[]): void {
  if (items.length > LIMITS.batchItems)
    throw new Error(`a bulk request of ${items.length} items is over ${LIMITS.batchItems}`);
}

/** Decodes `added` and `updated`, or `deleted`, if they are present. */
function decodeAliases(json: Json | null): BulkAliases {
  const body = json ?? {};
  const done = ['added', 'updated', 'deleted'].filter((field) => body[field] !== undefined);
  return {
    done: done.flatMap((field) => arrayField(body, field).map(decodeAlias)),
    failed: arrayField(body, 'failed').map(decodeAlias),
  };
}

function decodeAlias(row: unknown): BulkAlias {
  const json = objectOf(row, 'an alias');
  const hasId = json['id'] !== undefined && json['id'] !== null;
  return { name: stringField(json, 'alias'), id: hasId ? idField(json, 'id') : null };
}

function decodeResults(json: Json | null): BulkRules {
  return arrayField(json ?? {}, 'results').map((row) => {
    const result = objectOf(row, 'an entry of results');
    const rule = result['rule'] ?? null;
    return { success: booleanField(result, 'success'), rule: rule === null ? null : decodeRule(rule) };
  });
}
