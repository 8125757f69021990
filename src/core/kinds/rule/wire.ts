import { decodeFields, encodeFields } from '../../fields/fields.ts';
import { objectField, stringField, type Json } from '../../fields/json.ts';
import type { KindWire, SentItem } from '../wire.ts';
import { RULE, type RuleState } from './fields.ts';

const ENDPOINTS = {
  listRules: { method: 'GET', template: '/domains/:domain/rules' },
  getRule: { method: 'GET', template: '/domains/:domain/rules/:rule' },
  addRule: { method: 'POST', template: '/domains/:domain/rules' },
  addRules: { method: 'POST', template: '/domains/:domain/rules/batch' },
  updateRule: { method: 'PUT', template: '/domains/:domain/rules/:rule' },
  updateRules: { method: 'PUT', template: '/domains/:domain/rules/batch' },
  deleteRule: { method: 'DELETE', template: '/domains/:domain/rules/:rule' },
  deleteRules: { method: 'DELETE', template: '/domains/:domain/rules/batch' },
} as const;

/**
 * The requests about rules (v4, v3: Rules). The answer to an addition may have another id, because the service may
 * replace an id that it already has.
 */
export const RULE_WIRE: KindWire<'rule'> = {
  endpoints: {
    v4: ENDPOINTS,
    v3: { ...ENDPOINTS, bulkRules: { method: 'POST', template: '/domains/:domain/rules/bulk' } },
  },
  list: {
    operation: 'listRules',
    pageSize: { v4: 200, v3: 100 },
    query: { v4: { order: 'rank_asc' }, v3: {} },
  },
  get: 'getRule',
  writes: {
    add: { single: 'addRule', batch: 'addRules' },
    update: { single: 'updateRule', batch: 'updateRules' },
    delete: { single: 'deleteRule', batch: 'deleteRules' },
  },
  segment: { v4: 'rule', v3: 'rule' },
  noun: 'rule',
  decode: (json) => ({
    id: stringField(json, 'id'),
    ...(decodeFields(RULE.fields, { ...json, ...objectField(json, 'config') }) as RuleState),
  }),
  addition: (item) => ({
    ...(item.id === undefined ? {} : { id: item.id }),
    ...ruleBody(item),
    type: item.match?.type,
  }),
  update: ruleBody,
};

/**
 * Returns the body of a rule. `config` is always whole, because the API requires all its fields (v4: Rule, Config by
 * type); rank and activity stand beside it.
 */
function ruleBody(item: SentItem<'rule'>): Json {
  const { match, rank, active, ...config } = encodeFields(RULE.fields, item);
  const { type: _, ...condition } = match as Json;
  return {
    config: { ...condition, ...config },
    ...(rank === undefined ? {} : { rank }),
    ...(active === undefined ? {} : { active }),
  };
}
