import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import schema from '../../../../schemas/plan.v1.schema.json' with { type: 'json' };

/** A plan without one of these was edited. */
const SEALS = ['checksum', 'seal'];

let compiled: ValidateFunction | undefined;

/**
 * Where a value is not as the published schema of a plan says, such as `changes[3].name`; null: it fits. Hashes are for
 * who compares them, and fields that are not known are left alone: a newer fwdsync may have written them.
 */
export function planFault(value: unknown): string | null {
  compiled ??= new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, meta: false })
    .removeKeyword('pattern')
    .compile({ ...schema, required: schema.required.filter((name) => !SEALS.includes(name)) });
  if (compiled(value)) return null;
  const { instancePath = '', params = {} } = compiled.errors?.[0] ?? {};
  const missing = 'missingProperty' in params ? `/${String(params['missingProperty'])}` : '';
  return `${instancePath}${missing}`
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
}
