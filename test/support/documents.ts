import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const SCHEMAS = join(import.meta.dirname, '../../schemas');
const validators = new Map<string, ValidateFunction>();

/** Throws when a document that a command printed does not match the schema of its kind; other output passes. */
export function checkPrinted(stdout: string): void {
  const document = parseDocument(stdout);
  if (document === null) return;
  const { kind } = document;
  const validate = validatorOf(kind);
  if (!validate(document)) throw new Error(`${kind}: ${JSON.stringify(validate.errors)}`);
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
  const [, name, version] = /^fwdsync\/(\w+)@(\d+)$/.exec(kind) ?? [];
  const path = join(SCHEMAS, `${name}.v${version}.schema.json`);
  if (!existsSync(path)) throw new Error(`${kind} has no schema ${path}`);
  const schema = JSON.parse(readFileSync(path, 'utf8')) as object;
  const validate = new Ajv2020({ validateFormats: false, strict: false }).compile(schema);
  validators.set(kind, validate);
  return validate;
}
