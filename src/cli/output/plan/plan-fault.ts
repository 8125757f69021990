import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import schema from '../../../../schemas/plan.v1.schema.json' with { type: 'json' };

/** Fields whose absence means that the plan was edited. The schema check does not require them. */
const SEALS = ['checksum', 'seal'];

let compiled: ValidateFunction | undefined;

/**
 * Returns the place where a value does not fit the published schema of a plan, such as `changes[3].name`; null if it
 * fits. Hashes are checked by the code that compares them. Unknown fields are ignored, because a newer fwdsync may
 * have written them.
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
