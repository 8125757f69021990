import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { searchIn } from './search.ts';

const SCHEMAS = join(import.meta.dirname, '../../schemas');
const validators = new Map<string, ValidateFunction>();

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws if a command printed a key or password of its environment, or a document that does not match its schema. */
export function checkPrinted({ stdout, stderr, env }: Printed): void {
  const found = searchIn({ where: 'what was printed', text: `${stdout}\n${stderr}` }, secretsOf(env));
  if (found.length > 0) throw new Error(found.join('\n'));
  const document = parseDocument(stdout);
  if (document === null) return;
  const { kind } = document;
  const validate = validatorOf(kind);
  if (!validate(document)) throw new Error(`${kind}: ${JSON.stringify(validate.errors)}`);
}

/** Minimum length of a secret to search for. Shorter ones are words of ordinary output, such as the emulator's key. */
const SHORTEST_SECRET = 10;

function secretsOf(env: Printed['env']): Readonly<Record<string, string>> {
  const isSecret = ([name, value]: readonly [string, string]): boolean =>
    /(KEY|PASSWORD)$/.test(name) && value.length >= SHORTEST_SECRET;
  return Object.fromEntries(
    Object.entries(env)
      .map(([name, value = '']) => [name, value] as const)
      .filter(isSecret),
  );
}

function parseDocument(text: string): { readonly kind: string } | null {
  if (!text.startsWith('{')) return null;
  try {
    const { kind, ...rest } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return typeof kind === 'string' && kind.startsWith('fwdsync/') ? { kind, ...rest } : null;
  } catch {
    return null; // several lines of JSON, or text
  }
}

function validatorOf(kind: string): ValidateFunction {
  const known = validators.get(kind);
  if (known !== undefined) return known;
  const [, name, version] = /^fwdsync\/([\w-]+)@(\d+)$/.exec(kind) ?? [];
  const path = join(SCHEMAS, `${name}.v${version}.schema.json`);
  if (!existsSync(path)) throw new Error(`${kind} has no schema ${path}`);
  const schema = JSON.parse(readFileSync(path, 'utf8')) as object;
  const validate = new Ajv2020({ validateFormats: false, strict: false }).compile(schema);
  validators.set(kind, validate);
  return validate;
}
