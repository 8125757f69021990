import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import schema from '../../../../schemas/manifest.v1.schema.json' with { type: 'json' };

/**
 * The options of the validator. Tests check that the schema is valid, because a check at start-up takes as long as
 * everything else.
 */
export const SHAPE_OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  strictRequired: false,
  validateSchema: false,
  meta: false,
};

/** Compiles the published schema. In the built program, build.ts replaces this file with the code that it compiles. */
export function compileShape(): ValidateFunction {
  return new Ajv2020(SHAPE_OPTIONS).compile(schema);
}
