import {
  ifGiven,
  isBodyObject,
  oneOf,
  optionalField,
  problem,
  readFields,
  requiredText,
  type BodyObject,
  type Field,
} from './body.ts';
import { found, invalid, invalidFields, ok, type Checked } from '../checked.ts';
import { flagField, forwardField } from './fields.ts';
import type { ItemKind } from './kind.ts';
import type { Rule, RuleConfig, RuleKind, RuleScope } from '../model.ts';
import { checkRoom, countInAccount, takeSequence, type DomainRecord, type State } from '../state.ts';
import type { Switches } from '../switches.ts';
import { byCreation, compareUnits, createTable } from '../table.ts';

export const RULE_KIND: ItemKind<Rule> = {
  noun: 'rule',
  plural: 'rules',
  tableOf: (domain) => domain.rules,
  find: (domain, id) => found(domain.rules.get(id), 'rule'),
  add: addRule,
  update: updateRule,
  neededOnUpdate: (switches) => switches.ruleConfigOnUpdate,
  // No document says so, unlike for aliases.
  batchCreateNeedsPlan: ({ freeBatchCreate }) => freeBatchCreate === 'refuse-all',
};

const TYPES: readonly RuleKind[] = ['alias', 'regex', 'cel'];
const SCOPES: readonly RuleScope[] = ['sender', 'recipient', 'subject', 'body'];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

const RANK_AND_ACTIVE = {
  rank: optionalField(isNumber, 'a number'),
  active: flagField,
};

interface RuleFields {
  readonly config: RuleConfig;
  readonly rank?: number | undefined;
  readonly active?: boolean | undefined;
}

export function createRules(switches: Switches): DomainRecord['rules'] {
  return createTable<Rule, 'id', 'rank' | 'created'>({
    keys: { id: ({ id }) => id },
    letterCase: 'any',
    orders: {
      rank: (a, b) => Math.sign(a.rank - b.rank) || compareEqualRanks(a, b, switches),
      created: byCreation,
    },
    textOf: ({ config, id }) => Object.values(config).flat().concat(id).join('\n'),
  });
}

/** Adds a rule. The switch `existingRuleId` decides what happens if the id exists. The error names every invalid field. */
function addRule(state: State, domain: DomainRecord, body: BodyObject): Checked<Rule> {
  const { switches } = state;
  const type = TYPES.find((known) => known === body['type']);
  const shape = {
    type: typeField,
    id: optionalField(isUuid, 'a UUID'),
    ...RANK_AND_ACTIVE,
    // Without a type, the configuration cannot be checked.
    config: type === undefined ? ok : configField(type, switches),
  };
  const fields = readFields(body, shape, switches.unknownFields);
  if (!fields.ok) return fields;
  const config = withForward(state, domain, fields.value.config as RuleConfig);
  if (!config.ok) return config;
  const { id, rank, active } = fields.value;
  const rule = { id, rank, active, config: config.value };
  const holder = id === undefined ? undefined : findHolder(state, domain, id);
  const existing = holder?.rules.get(id ?? '');
  return holder === undefined || existing === undefined
    ? createRule(state, domain, rule)
    : addExisting(state, domain, rule, { holder, existing });
}

function addExisting(
  state: State,
  domain: DomainRecord,
  rule: RuleFields,
  { holder, existing }: { readonly holder: DomainRecord; readonly existing: Rule },
): Checked<Rule> {
  switch (state.switches.existingRuleId) {
    case 'refuse':
      return invalid('id', `A rule with the id "${existing.id}" exists already.`);
    case 'success':
      return ok(existing);
    case 'overwrite':
      return ok(changeRule(state, holder, existing, { ...rule, active: rule.active ?? true }));
    case 'second':
      return createRule(state, domain, { ...rule, id: undefined });
  }
}

function createRule(
  state: State,
  domain: DomainRecord,
  fields: RuleFields & { readonly id?: string | undefined },
): Checked<Rule> {
  const isPerAccount = state.switches.rulesLimitPer === 'account';
  const used = isPerAccount ? countInAccount(state, 'rules') : domain.rules.size;
  const room = checkRoom('rule', { limit: state.account.plan.rules_limit, used, noun: 'rules' });
  if (!room.ok) return room;
  const now = state.environment.now();
  const id = fields.id ?? state.environment.randomId();
  return ok(insertRule(state, domain, { ...fields, id, created_at: now, updated_at: now }));
}

/** Inserts a rule without any check. A rule without a rank comes last. */
export function insertRule(
  state: State,
  domain: DomainRecord,
  fields: RuleFields & Pick<Rule, 'id' | 'created_at' | 'updated_at'>,
): Rule {
  const last = domain.rules.inOrder('rank').at(-1);
  const rule: Rule = {
    ...fields,
    rank: roundRank(fields.rank ?? (last === undefined ? 1 : last.rank + 1), state.switches),
    active: fields.active ?? true,
    sequence: takeSequence(state),
  };
  domain.rules.insert(rule);
  return rule;
}

/** Updates a rule. Its type cannot change, so the configuration must match the type. */
function updateRule(
  state: State,
  { domain, item }: { readonly domain: DomainRecord; readonly item: Rule },
  body: BodyObject,
  needed: 'required' | 'optional',
): Checked<Rule> {
  const config = configField(item.config.type, state.switches);
  const shape = { ...RANK_AND_ACTIVE, config: needed === 'required' ? config : ifGiven(config) };
  const fields = readFields(body, shape, state.switches.unknownFields);
  if (!fields.ok) return fields;
  const { config: stated, ...rest } = fields.value;
  const checked = stated === undefined ? ok(item.config) : withForward(state, domain, stated);
  return checked.ok ? ok(changeRule(state, domain, item, { ...rest, config: checked.value })) : checked;
}

function changeRule(state: State, domain: DomainRecord, rule: Rule, fields: RuleFields): Rule {
  domain.rules.move(rule, () => {
    rule.config = fields.config;
    rule.rank = fields.rank === undefined ? rule.rank : roundRank(fields.rank, state.switches);
  });
  rule.active = fields.active ?? rule.active;
  rule.updated_at = state.environment.now();
  return rule;
}

/** Returns the domain in which the id counts as existing. */
function findHolder(state: State, domain: DomainRecord, id: string): DomainRecord | undefined {
  const others = state.switches.ruleIdScope === 'account' ? state.domains.values() : [];
  return [domain, ...others].find(({ rules }) => rules.get(id) !== undefined);
}

const typeField: Field<RuleKind> = (value, name) => {
  const text = requiredText(value, name);
  if (!text.ok) return text;
  const type = TYPES.find((known) => known === text.value);
  return type === undefined ? problem(`The ${name} must be one of ${TYPES.join(', ')}.`) : ok(type);
};

const CONFIG_FIELDS = {
  alias: { alias: requiredText, forward: requiredText },
  regex: { regex: requiredText, scopes: scopesField, forward: requiredText },
  cel: { expression: requiredText, forward: requiredText },
};

/** Returns the field of a configuration. Errors in its own fields are reported for the whole configuration. */
function configField(type: RuleKind, { unknownFields }: Switches): Field<RuleConfig> {
  return (value, name) => {
    if (!isBodyObject(value)) {
      return problem(`The ${name} ${value === undefined ? 'is required' : 'must be an object'}.`);
    }
    const fields = readFields<Readonly<Record<string, Field<unknown>>>>(
      value,
      CONFIG_FIELDS[type],
      unknownFields,
    );
    if (!fields.ok) return problem(...Object.values(fields.error.errors).flat());
    return ok({ type, ...fields.value } as RuleConfig);
  };
}

function scopesField(value: unknown, name: string): Checked<readonly RuleScope[], readonly string[]> {
  if (value === undefined) return problem(`The ${name} are required.`);
  if (!Array.isArray(value) || value.length === 0) {
    return problem(`The ${name} must be an array with at least one entry.`);
  }
  return value.every(oneOf(SCOPES))
    ? ok(value)
    : problem(`The ${name} must each be one of ${SCOPES.join(', ')}.`);
}

/** Returns the configuration with its forward in stored form. */
function withForward(state: State, domain: DomainRecord, config: RuleConfig): Checked<RuleConfig> {
  const forward = forwardField(domain.name, state.switches)(config.forward, 'forward');
  return forward.ok ? ok({ ...config, forward: forward.value }) : invalidFields({ forward: forward.error });
}

function roundRank(rank: number, { rankDigits }: Switches): number {
  return rankDigits === 'all' ? rank : Number(rank.toFixed(rankDigits));
}

function compareEqualRanks(a: Rule, b: Rule, { equalRanks }: Switches): number {
  switch (equalRanks) {
    case 'created':
      return a.sequence - b.sequence;
    case 'created-reversed':
      return b.sequence - a.sequence;
    case 'id':
      return compareUnits(a.id, b.id);
  }
}
