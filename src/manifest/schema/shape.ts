import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import schema from '../../../schemas/manifest.v1.schema.json' with { type: 'json' };

/** That the schema is a valid one is for the tests to see: looking at start-up takes as long as all the rest. */
export const SHAPE_OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  strictRequired: false,
  validateSchema: false,
  meta: false,
};

/** Compiles the published schema. In the built program, code that build.ts made of it stands in the place of this file. */
export function compileShape(): ValidateFunction {
  return new Ajv2020(SHAPE_OPTIONS).compile(schema);
}
