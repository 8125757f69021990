import { LIMITS } from '../../core/model/endpoints.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { ObservedRule } from '../../core/kinds/rule/fields.ts';
import type { Call } from '../http/call.ts';
import type { Answer } from '../client.ts';
import {
  arrayField,
  booleanField,
  idField,
  objectOf,
  stringField,
  type Json,
} from '../../core/fields/json.ts';
import type { SentItem } from '../../core/kinds/wire.ts';
import { endpointOf } from '../../core/kinds/endpoints.ts';
import { RULE_WIRE } from '../../core/kinds/rule/wire.ts';
import { ALIAS_WIRE } from '../../core/kinds/alias/wire.ts';

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
  addAliases(domain: DomainName, aliases: readonly SentItem<'alias'>[]): Answer<BulkAliases>;
  updateAliases(domain: DomainName, aliases: readonly SentItem<'alias'>[]): Answer<BulkAliases>;
  deleteAliases(domain: DomainName, names: readonly string[]): Answer<BulkAliases>;
  addRules(domain: DomainName, rules: readonly SentItem<'rule'>[]): Answer<BulkRules>;
  updateRules(domain: DomainName, rules: readonly SentItem<'rule'>[]): Answer<BulkRules>;
  deleteRules(domain: DomainName, ids: readonly string[]): Answer<BulkRules>;
}

type Behavior = 'add' | 'update' | 'delete';

/** Creates the bulk requests (v3: Aliases, Rules). An item that fails does not fail the request. */
export function bulkOperations(call: Call): BulkClient {
  const aliases = (domain: DomainName, behavior: Behavior, items: readonly object[]): Answer<BulkAliases> => {
    assertFits(items);
    const body = { aliases: items, behavior };
    return call(
      { endpoint: endpointOf('v3', 'bulkAliases'), params: { domain }, body, successFlag: 'ignored' },
      decodeAliases,
    );
  };
  const rules = (domain: DomainName, behavior: Behavior, items: readonly object[]): Answer<BulkRules> => {
    assertFits(items);
    const body = { rules: items, behavior };
    return call(
      { endpoint: endpointOf('v3', 'bulkRules'), params: { domain }, body, successFlag: 'ignored' },
      decodeResults,
    );
  };
  const ruleUpdate = (rule: SentItem<'rule'>): object => ({ id: rule.id, ...RULE_WIRE.update(rule) });
  const alias = (item: SentItem<'alias'>): object => ALIAS_WIRE.addition(item);
  const rule = (item: SentItem<'rule'>): object => RULE_WIRE.addition(item);
  return {
    addAliases: (domain, items) => aliases(domain, 'add', items.map(alias)),
    updateAliases: (domain, items) => aliases(domain, 'update', items.map(alias)),
    deleteAliases: (domain, names) => aliases(domain, 'delete', names.map(named)),
    addRules: (domain, items) => rules(domain, 'add', items.map(rule)),
    updateRules: (domain, items) => rules(domain, 'update', items.map(ruleUpdate)),
    deleteRules: (domain, ids) => rules(domain, 'delete', ids.map(identified)),
  };
}

function named(alias: string): object {
  return { alias };
}

function identified(id: string): object {
  return { id };
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
  return { name: stringField(json, 'alias'), id: hasId ? idField(json) : null };
}

function decodeResults(json: Json | null): BulkRules {
  return arrayField(json ?? {}, 'results').map((row) => {
    const result = objectOf(row, 'an entry of results');
    const rule = result['rule'] ?? null;
    return {
      success: booleanField(result, 'success'),
      rule: rule === null ? null : RULE_WIRE.decode(objectOf(rule, 'rule')),
    };
  });
}
