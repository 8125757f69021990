import type { ErrorObject, ValidateFunction } from 'ajv';
import { valueOf, type Node } from '../read/node.ts';
import { plainOf } from './plain.ts';
import type { ProblemLog } from '../problems.ts';
import { reportSchemaFault } from './schema-faults.ts';
import { compileShape } from './shape.ts';

let compiled: ValidateFunction | undefined;

/** Checks the shape of one document against the schema. Later stages skip the parts that it refuses. */
export function checkShape(document: Node, log: ProblemLog): 'readable' | 'unreadable' {
  if (reportVersion(document, log) === 'unsupported') return 'unreadable';
  const validate = (compiled ??= compileShape());
  if (validate(plainOf(document))) return 'readable';
  for (const fault of distinct(validate.errors ?? [])) reportSchemaFault(fault, document, log);
  return 'readable';
}

/** Reports a document of another version, which the rules of this one cannot judge. */
export function reportVersion(document: Node, log: ProblemLog): 'supported' | 'unsupported' {
  const version = valueOf(document, 'version');
  if (version?.kind !== 'text' || !/^[0-9]+$/.test(version.text) || version.text === '1') return 'supported';
  log.report('unsupported-version', version, {
    message: `version ${version.text.slice(0, 20)} of the manifest language is unknown to this program`,
    hint: 'write `version: 1`, or use a newer fwdsync',
  });
  return 'unsupported';
}

/** Returns one fault per place and key. It does not matter which of several keywords a wrong value violates. */
function distinct(faults: readonly ErrorObject[]): readonly ErrorObject[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    if (fault.schemaPath.includes('/oneOf')) return false;
    const { additionalProperty = '', missingProperty = '' } = fault.params as Record<string, string>;
    const key = [fault.instancePath, additionalProperty, missingProperty].join('\n');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
