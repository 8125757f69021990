import {
  fieldOf,
  hasErrors,
  note,
  optionalBoolean,
  optionalNumber,
  readObject,
  requiredString,
  type FieldReader,
} from '../http/input.ts';
import type { StoreResult, RuleConfig, RuleScope, RuleKind } from '../account/model.ts';
import type { NewRule, RuleFields } from '../account/store-rules.ts';
import type { Switches } from '../account/switches.ts';

const TYPES: readonly RuleKind[] = ['alias', 'regex', 'cel'];
const SCOPES: readonly RuleScope[] = ['sender', 'recipient', 'subject', 'body'];
const CONFIG_FIELDS: Readonly<Record<RuleKind, readonly string[]>> = {
  alias: ['alias', 'forward'],
  regex: ['regex', 'scopes', 'forward'],
  cel: ['expression', 'forward'],
};
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const NEW_RULE_FIELDS = ['type', 'config', 'rank', 'active', 'id'] as const;
export const RULE_UPDATE_FIELDS = ['config', 'rank', 'active'] as const;

/** The fields of a rule to add (v4: Rules); errors name every field that is wrong. */
export function readNewRule(reader: FieldReader, switches: Switches): StoreResult<NewRule> {
  const type = readType(reader);
  const id = readId(reader);
  const rank = optionalNumber(reader, 'rank');
  const active = optionalBoolean(reader, 'active');
  const config = type === undefined ? undefined : readConfig(reader, type, switches);
  if (config === undefined || hasErrors(reader)) {
    return { ok: false, error: { kind: 'invalid', errors: reader.errors } };
  }
  return { ok: true, value: { id, config, rank, active } };
}

/** The fields of an update; the configuration must suit the type that the rule has. */
export function readRuleUpdate(
  reader: FieldReader,
  options: {
    readonly type: RuleKind;
    readonly config: 'required' | 'optional';
    readonly switches: Switches;
  },
): StoreResult<RuleFields> {
  const rank = optionalNumber(reader, 'rank');
  const active = optionalBoolean(reader, 'active');
  const left = options.config === 'optional' && fieldOf(reader, 'config') === undefined;
  const config = left ? undefined : readConfig(reader, options.type, options.switches);
  if (hasErrors(reader)) return { ok: false, error: { kind: 'invalid', errors: reader.errors } };
  return { ok: true, value: { config, rank, active } };
}

function readType(reader: FieldReader): RuleKind | undefined {
  const text = requiredString(reader, 'type');
  const type = TYPES.find((candidate) => candidate === text);
  if (type === undefined && text !== '') note(reader, 'type', `must be one of ${TYPES.join(', ')}`);
  return type;
}

function readId(reader: FieldReader): string | undefined {
  const id = fieldOf(reader, 'id');
  if (id === undefined) return undefined;
  if (typeof id === 'string' && UUID.test(id)) return id;
  note(reader, 'id', 'must be a UUID');
  return undefined;
}

/** Errors of the configuration are noted under `config`. */
function readConfig(reader: FieldReader, type: RuleKind, switches: Switches): RuleConfig | undefined {
  const value = fieldOf(reader, 'config');
  const fields = readObject(value, CONFIG_FIELDS[type], switches);
  if (fields === undefined) {
    note(reader, 'config', value === undefined ? 'is required' : 'must be an object');
    return undefined;
  }
  const config = readConfigFields(fields, type);
  const problems = Object.values(fields.errors).flat();
  if (problems.length > 0) reader.errors['config'] = problems;
  return config;
}

function readConfigFields(fields: FieldReader, type: RuleKind): RuleConfig {
  switch (type) {
    case 'alias':
      return {
        type,
        alias: requiredString(fields, 'alias'),
        forward: requiredString(fields, 'forward'),
      };
    case 'regex':
      return {
        type,
        regex: requiredString(fields, 'regex'),
        scopes: readScopes(fields),
        forward: requiredString(fields, 'forward'),
      };
    case 'cel':
      return {
        type,
        expression: requiredString(fields, 'expression'),
        forward: requiredString(fields, 'forward'),
      };
  }
}

function readScopes(fields: FieldReader): readonly RuleScope[] {
  const value = fieldOf(fields, 'scopes');
  if (!Array.isArray(value) || value.length === 0) {
    note(fields, 'scopes', value === undefined ? 'are required' : 'must be an array with at least one entry');
    return [];
  }
  const scopes = value.filter((scope): scope is RuleScope => SCOPES.some((known) => known === scope));
  if (scopes.length < value.length) note(fields, 'scopes', `must each be one of ${SCOPES.join(', ')}`);
  return scopes;
}
