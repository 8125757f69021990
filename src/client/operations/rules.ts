import { decodeForward, encodeForward, sameDestinations } from '../../core/model/destinations.ts';
import { sameMatch, type RuleMatch, type Scope, type ObservedRule } from '../../core/model/resources.ts';
import type { Call } from '../http/call.ts';
import type { Client, LookupClient, RuleAddition } from '../client.ts';
import {
  addressable,
  arrayField,
  booleanField,
  DecodeError,
  expectSame,
  numberField,
  objectField,
  objectOf,
  stringField,
  type Json,
} from './decode.ts';
import type { Dialect } from './dialects.ts';
import { readListing } from '../listing.ts';
import { decodeBatch, deletedBatch, sendBatch } from './batch.ts';

type RuleOperations = Pick<
  Client & LookupClient,
  | 'listRules'
  | 'getRule'
  | 'addRule'
  | 'updateRule'
  | 'deleteRule'
  | 'addRules'
  | 'updateRules'
  | 'deleteRules'
>;

/** Rule requests of both versions (v4, v3: Rules). */
export function ruleOperations(call: Call, dialect: Dialect): RuleOperations {
  return { ...singles(call, dialect), ...batches(call, dialect) };
}

type Singles = Pick<RuleOperations, 'listRules' | 'getRule' | 'addRule' | 'updateRule' | 'deleteRule'>;

function singles(call: Call, { endpoints, pageSize, orders }: Dialect): Singles {
  return {
    listRules: (domain) =>
      readListing(call, {
        endpoint: endpoints.listRules,
        params: { domain },
        query: orders.rules,
        field: 'rules',
        pageSize: pageSize.rules,
        decode: decodeRule,
        keyOf,
      }),
    getRule: (domain, id) =>
      // v3 answers with the bare rule, although it wraps everything else.
      call({ endpoint: endpoints.getRule, params: { domain, rule: id } }, (json) =>
        decodeRule(json?.['rule'] ?? json),
      ),
    /** The answer may have another id, because a service that already has the id may choose one. */
    addRule: (domain, rule) =>
      call({ endpoint: endpoints.addRule, params: { domain }, body: additionOf(rule) }, (json) =>
        decodeRule(objectField(json ?? {}, 'rule')),
      ),
    updateRule(domain, { id, ...rule }) {
      const params = { domain, rule: id };
      return call({ endpoint: endpoints.updateRule, params, body: ruleBody(rule) }, (json) => {
        const updated = decodeRule(objectField(json ?? {}, 'rule'));
        expectSame('id', id.toLowerCase(), keyOf(updated));
        return updated;
      });
    },
    deleteRule: (domain, id) =>
      call({ endpoint: endpoints.deleteRule, params: { domain, rule: id } }, () => undefined),
  };
}

function batches(call: Call, { endpoints }: Dialect): Omit<RuleOperations, keyof Singles> {
  return {
    addRules: (domain, items) =>
      sendBatch(call, endpoints.addRules, domain, { rules: items.map(additionOf) }, (json) =>
        decodeBatch(json, {
          field: 'added',
          decode: decodeRule,
          sent: items.map(({ id }) => id?.toLowerCase() ?? ''),
          keyOf,
          matches: (index, rule) => isThat(items[index], rule),
        }),
      ),
    updateRules: (domain, items) =>
      sendBatch(call, endpoints.updateRules, domain, { rules: items.map(ruleBody) }, (json) =>
        decodeBatch(json, {
          field: 'updated',
          decode: decodeRule,
          sent: items.map(({ id }) => id.toLowerCase()),
          keyOf,
        }),
      ),
    deleteRules: (domain, ids) => sendBatch(call, endpoints.deleteRules, domain, { ids }, deletedBatch(ids)),
  };
}

/** Returns the key of a rule. UUIDs are compared without case. */
function keyOf({ id }: ObservedRule): string {
  return id.toLowerCase();
}

function isThat(sent: RuleAddition | undefined, rule: ObservedRule): boolean {
  return (
    sent !== undefined && sameMatch(sent.match, rule.match) && sameDestinations(sent.forward, rule.forward)
  );
}

function additionOf(rule: RuleAddition): Json {
  return { ...ruleBody(rule), type: rule.match.type };
}

/**
 * Returns the body of a rule. `config` is always complete, because the API requires all its fields (v4: Rule, Config by
 * type).
 */
export function ruleBody({ match, forward, id, rank, active }: RuleAddition): Json {
  const { type: _, ...condition } = match;
  return {
    ...(id === undefined ? {} : { id }),
    config: { ...condition, forward: encodeForward(forward) },
    ...(rank === undefined ? {} : { rank }),
    ...(active === undefined ? {} : { active }),
  };
}

/** Decodes a rule (v4: Rule, Config by type; v3: Rule). */
export function decodeRule(value: unknown): ObservedRule {
  const json = objectOf(value, 'rule');
  const config = objectField(json, 'config');
  return {
    id: addressable('rule', stringField(json, 'id')),
    match: decodeMatch(stringField(json, 'type'), config),
    forward: decodeForward(stringField(config, 'forward')),
    rank: numberField(json, 'rank'),
    active: booleanField(json, 'active'),
  };
}

function decodeMatch(type: string, config: Json): RuleMatch {
  if (type === 'alias') return { type, alias: stringField(config, 'alias') };
  if (type === 'cel') return { type, expression: stringField(config, 'expression') };
  if (type !== 'regex')
    throw new DecodeError(`field type is ${JSON.stringify(type)}, which is not a type of rule`);
  return { type, regex: stringField(config, 'regex'), scopes: arrayField(config, 'scopes').map(decodeScope) };
}

const SCOPES: readonly Scope[] = ['sender', 'recipient', 'subject', 'body'];

function decodeScope(value: unknown): Scope {
  const scope = SCOPES.find((candidate) => candidate === value);
  if (scope !== undefined) return scope;
  throw new DecodeError(`field scopes holds ${JSON.stringify(value)}, which is not a scope`);
}
