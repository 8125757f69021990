import { checkForward } from './fields.ts';
import { invalid, notFound, ok, type StoreResult, type Rule, type RuleConfig } from './model.ts';
import {
  clearIndex,
  compareUnits,
  createIndex,
  insertInto,
  readPage,
  removeFrom,
  type Page,
} from '../index/sorted.ts';
import { takeSequence, type DomainRecord, type RuleTable, type State } from './state.ts';
import { checkRoom } from './store-limits.ts';
import type { Switches } from './switches.ts';

export type RuleOrder = 'rank_asc' | 'rank_desc' | 'created_asc' | 'created_desc';

export interface RuleQuery {
  /** Substring of any text of the configuration, without case. */
  readonly query?: string | undefined;
  readonly order: RuleOrder;
  readonly offset: number;
  readonly limit: number;
}

export interface NewRule {
  readonly id?: string | undefined;
  readonly config: RuleConfig;
  readonly rank?: number | undefined;
  readonly active?: boolean | undefined;
}

export interface RuleFields {
  readonly config?: RuleConfig | undefined;
  readonly rank?: number | undefined;
  readonly active?: boolean | undefined;
}

export function createRuleTable(switches: Switches): RuleTable {
  return {
    byId: new Map(),
    inRankOrder: createIndex(
      (a, b) => compareNumbers(a.rank, b.rank) || compareEqualRanks(a, b, switches),
      ruleText,
    ),
    inCreatedOrder: createIndex((a, b) => a.createdAt - b.createdAt || a.sequence - b.sequence, ruleText),
  };
}

export function listRules(domain: DomainRecord, query: RuleQuery): Page<Rule> {
  const { inRankOrder, inCreatedOrder } = domain.rules;
  return readPage(query.order.startsWith('rank') ? inRankOrder : inCreatedOrder, {
    offset: query.offset,
    limit: query.limit,
    direction: query.order.endsWith('_asc') ? 'ascending' : 'descending',
    containing: query.query?.toLowerCase(),
  });
}

/** All rules in the order of evaluation. */
export function rulesInOrder(domain: DomainRecord): readonly Rule[] {
  return domain.rules.inRankOrder.items;
}

export function findRule(domain: DomainRecord, id: string): StoreResult<Rule> {
  const rule = domain.rules.byId.get(id.toLowerCase());
  return rule === undefined ? notFound('rule') : ok(rule);
}

/** Adds a rule; what happens with an id that exists is the switch `existingRuleId`. */
export function addRule(state: State, domain: DomainRecord, fields: NewRule): StoreResult<Rule> {
  const config = checkConfig(state, domain, fields.config);
  if (!config.ok) return config;
  const checked = { ...fields, config: config.value };
  const holder = fields.id === undefined ? undefined : findHolder(state, domain, fields.id);
  return fields.id === undefined || holder === undefined
    ? createRule(state, domain, checked)
    : addExistingRule(state, domain, { ...checked, id: fields.id, holder });
}

function addExistingRule(
  state: State,
  domain: DomainRecord,
  fields: NewRule & { readonly id: string; readonly holder: DomainRecord },
): StoreResult<Rule> {
  switch (state.switches.existingRuleId) {
    case 'refuse':
      return invalid('id', `A rule with the id "${fields.id}" exists already.`);
    case 'success':
      return findRule(fields.holder, fields.id);
    case 'overwrite':
      return updateRule(state, fields.holder, fields.id, {
        config: fields.config,
        rank: fields.rank,
        active: fields.active ?? true,
      });
    case 'second':
      return createRule(state, domain, { ...fields, id: undefined });
  }
}

function createRule(state: State, domain: DomainRecord, fields: NewRule): StoreResult<Rule> {
  const room = checkRoom(state, domain, 'rule');
  if (!room.ok) return room;
  const now = state.environment.now();
  return ok(
    insertRule(state, domain, {
      id: fields.id ?? state.environment.randomId(),
      config: fields.config,
      rank: fields.rank,
      active: fields.active ?? true,
      createdAt: now,
      updatedAt: now,
    }),
  );
}

/** Puts a rule in place without any check. */
export function insertRule(
  state: State,
  domain: DomainRecord,
  fields: {
    readonly id: string;
    readonly config: RuleConfig;
    readonly rank: number | undefined;
    readonly active: boolean;
    readonly createdAt: number;
    readonly updatedAt: number;
  },
): Rule {
  const rule: Rule = {
    ...fields,
    rank: roundRank(fields.rank ?? nextRank(domain), state.switches),
    sequence: takeSequence(state),
  };
  const key = rule.id.toLowerCase();
  domain.rules.byId.set(key, rule);
  const holders = state.ruleHolders.get(key) ?? new Set();
  state.ruleHolders.set(key, holders.add(domain));
  insertInto(domain.rules.inRankOrder, rule);
  insertInto(domain.rules.inCreatedOrder, rule);
  state.ruleCount += 1;
  return rule;
}

/** The type of a rule cannot change: the caller checks the configuration against it. */
export function updateRule(
  state: State,
  domain: DomainRecord,
  id: string,
  fields: RuleFields,
): StoreResult<Rule> {
  const found = findRule(domain, id);
  if (!found.ok) return found;
  const rule = found.value;
  if (fields.config !== undefined) {
    const config = checkConfig(state, domain, fields.config);
    if (!config.ok) return config;
    rule.config = config.value;
  }
  if (fields.rank !== undefined) {
    removeFrom(domain.rules.inRankOrder, rule);
    rule.rank = roundRank(fields.rank, state.switches);
    insertInto(domain.rules.inRankOrder, rule);
  }
  rule.active = fields.active ?? rule.active;
  rule.updatedAt = state.environment.now();
  return found;
}

export function deleteRule(state: State, domain: DomainRecord, id: string): StoreResult<Rule> {
  const found = findRule(domain, id);
  if (!found.ok) return found;
  domain.rules.byId.delete(id.toLowerCase());
  releaseRuleIds(state, domain, [id.toLowerCase()]);
  removeFrom(domain.rules.inRankOrder, found.value);
  removeFrom(domain.rules.inCreatedOrder, found.value);
  state.ruleCount -= 1;
  return found;
}

/** Gives the number of rules removed. */
export function deleteAllRules(state: State, domain: DomainRecord): number {
  const count = domain.rules.byId.size;
  releaseRuleIds(state, domain, domain.rules.byId.keys());
  domain.rules.byId.clear();
  clearIndex(domain.rules.inRankOrder);
  clearIndex(domain.rules.inCreatedOrder);
  state.ruleCount -= count;
  return count;
}

function findHolder(state: State, domain: DomainRecord, id: string): DomainRecord | undefined {
  const key = id.toLowerCase();
  if (domain.rules.byId.has(key)) return domain;
  if (state.switches.ruleIdScope === 'domain') return undefined;
  return state.ruleHolders.get(key)?.values().next().value;
}

/** Says that the domain has no rules of these ids any more. */
function releaseRuleIds(state: State, domain: DomainRecord, keys: Iterable<string>): void {
  for (const key of keys) {
    const holders = state.ruleHolders.get(key);
    holders?.delete(domain);
    if (holders?.size === 0) state.ruleHolders.delete(key);
  }
}

function checkConfig(state: State, domain: DomainRecord, config: RuleConfig): StoreResult<RuleConfig> {
  const forward = checkForward(config.forward, domain.name, state.switches);
  return forward.ok ? ok({ ...config, forward: forward.value }) : forward;
}

function nextRank(domain: DomainRecord): number {
  const last = domain.rules.inRankOrder.items.at(-1);
  return last === undefined ? 1 : last.rank + 1;
}

function roundRank(rank: number, switches: Switches): number {
  return switches.rankDigits === 'all' ? rank : Number(rank.toFixed(switches.rankDigits));
}

function compareNumbers(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function compareEqualRanks(a: Rule, b: Rule, switches: Switches): number {
  switch (switches.equalRanks) {
    case 'created':
      return a.sequence - b.sequence;
    case 'created-reversed':
      return b.sequence - a.sequence;
    case 'id':
      return compareUnits(a.id, b.id);
  }
}

function ruleText(rule: Rule): string {
  return Object.values(rule.config).flat().concat(rule.id).join('\n');
}
