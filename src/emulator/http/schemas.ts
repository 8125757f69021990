import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import accounts from '../../../schemas/emulator-accounts.v1.schema.json' with { type: 'json' };
import control from '../../../schemas/emulator-control.v1.schema.json' with { type: 'json' };
import faults from '../../../schemas/emulator-faults.v1.schema.json' with { type: 'json' };
import state from '../../../schemas/emulator-state.v1.schema.json' with { type: 'json' };

/** A schema in `schemas/`, or a definition of the control interface, that JSON from outside is checked against. */
export type Subject =
  | 'state'
  | 'accounts'
  | 'faults'
  | 'message'
  | 'clock'
  | 'dns'
  | 'limits'
  | 'switches'
  | 'failures';

export interface SchemaProblem {
  /** JSON path, such as `$.domains[3].aliases[0].forward`. */
  readonly path: string;
  readonly message: string;
}

const MAX_PROBLEMS = 20;

/** Returns the problems of a value, at most 20, in order of position. An empty list means that it matches its schema. */
export function problemsOf(subject: Subject, value: unknown): readonly SchemaProblem[] {
  const validate = validatorOf(subject);
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .slice(0, MAX_PROBLEMS)
    .map(describe);
}

let ajv: Ajv2020 | undefined;

const ROOTS = { state, accounts, faults };

/** Compiles a validator on first use, because most emulators need none. */
function validatorOf(subject: Subject): ValidateFunction {
  ajv ??= createAjv();
  const root = subject in ROOTS ? ROOTS[subject as keyof typeof ROOTS] : null;
  const validate = ajv.getSchema(root?.$id ?? `${control.$id}#/$defs/${subject}`);
  if (validate === undefined) throw new Error(`there is no schema of ${subject}`);
  return validate;
}

function createAjv(): Ajv2020 {
  const created = new Ajv2020({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    discriminator: true,
    validateSchema: false,
    meta: false,
  });
  created.addKeyword({ keyword: 'moment', schemaType: 'boolean', validate: isMoment, errors: false });
  created.addKeyword({
    keyword: 'regularExpression',
    type: 'string',
    schemaType: 'boolean',
    validate: isRegularExpression,
    errors: false,
  });
  created.addKeyword({
    keyword: 'uniqueFields',
    type: 'array',
    schemaType: 'object',
    validate: uniqueFields,
    errors: true,
  });
  return created.addSchema([state, accounts, faults, control]);
}

/** True for epoch milliseconds or a text that can be parsed as a time. */
function isMoment(_schema: boolean, value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return true;
  return !Number.isNaN(new Date(value).getTime());
}

function isRegularExpression(_schema: boolean, source: string): boolean {
  try {
    void new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

/**
 * True if no two items of a list share a value, in the same field of these or in two different ones. Case counts only in
 * fields marked `exact`.
 */
function uniqueFields(
  fields: Readonly<Record<string, 'exact' | 'any-case'>>,
  items: readonly unknown[],
): boolean {
  const owners = new Map<unknown, number>();
  const errors = items.flatMap((item, index) =>
    Object.entries(fields).flatMap(([field, letterCase]) => {
      const value = (item as Readonly<Record<string, unknown>> | null)?.[field];
      if (value === undefined) return [];
      const key = letterCase === 'any-case' && typeof value === 'string' ? value.toLowerCase() : value;
      const owner = owners.get(key) ?? index;
      owners.set(key, owner);
      return owner === index ? [] : [{ keyword: 'uniqueFields', params: { index, key, owner } }];
    }),
  );
  uniqueFields.errors = errors;
  return errors.length === 0;
}
uniqueFields.errors = [] as Partial<ErrorObject>[];

/** Describes an error of ajv. `parentSchema` is present because ajv runs with `verbose`. */
function describe(error: ErrorObject): SchemaProblem {
  const { instancePath, keyword, params, parentSchema } = error;
  const path = `$${instancePath.split('/').slice(1).map(pathStep).join('')}`;
  switch (keyword) {
    case 'required':
      return { path: path + pathStep(params['missingProperty']), message: 'is missing' };
    case 'additionalProperties': {
      const { properties } = parentSchema as { properties: object };
      const message = `is unknown; known fields: ${Object.keys(properties).join(', ')}`;
      return { path: path + pathStep(params['additionalProperty']), message };
    }
    case 'discriminator':
      return describeTag(path, params, parentSchema as Tagged);
    case 'uniqueFields':
      return {
        path: `${path}[${params['index']}]`,
        message: `has ${JSON.stringify(params['key'])}, like item ${params['owner']}`,
      };
    default:
      return {
        path,
        message: `must ${REQUIREMENTS[keyword]?.(error) ?? `be ${params['comparison']} ${params['limit']}`}`,
      };
  }
}

const REQUIREMENTS: Readonly<Record<string, (error: ErrorObject) => string>> = {
  enum: ({ params }) => beOneOf(params['allowedValues']),
  type: ({ params, data }) => `be ${nounOf(params['type'], data)}`,
  moment: () => 'be an ISO 8601 time or epoch milliseconds',
  regularExpression: () => 'be a regular expression',
  minLength: () => 'not be empty',
  pattern: ({ params }) => `match ${params['pattern']}`,
};

interface Tagged {
  readonly oneOf: readonly { readonly properties: Readonly<Record<string, { readonly const?: string }>> }[];
}

function describeTag(path: string, params: ErrorObject['params'], { oneOf }: Tagged): SchemaProblem {
  const tag = String(params['tag']);
  const words = oneOf.map(({ properties }) => properties[tag]?.const);
  return {
    path: path + pathStep(tag),
    message: params['tagValue'] === undefined ? 'is missing' : `must ${beOneOf(words)}`,
  };
}

function beOneOf(values: readonly unknown[]): string {
  return `be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function nounOf(types: string | readonly string[], data: unknown): string {
  const wanted = [types].flat().filter((type) => data !== null || type !== 'null');
  return wanted.map((type) => NOUNS[type]).join(' or ');
}

/** Converts a segment of a JSON pointer to a step of a JSON path. */
function pathStep(escaped: string): string {
  const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
  if (/^\d+$/.test(name)) return `[${name}]`;
  return /^[a-z_]\w*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
