import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'esbuild';
import schema from '../schemas/manifest.v1.schema.json' with { type: 'json' };
import { SHAPE_OPTIONS } from '../src/core/manifest/schema/shape.ts';

/** The manifest's validator as code: compiling the schema takes half of the time of checking a small manifest. */
export const compiledShape = replacing(/\bsrc\/core\/manifest\/schema\/shape\.ts$/, () => {
  const ajv = new Ajv2020({ ...SHAPE_OPTIONS, code: { source: true, esm: true } });
  ajv.addSchema(schema);
  const code = standaloneCode.default(ajv, { validate: schema.$id });
  return `${code}\nexport const compileShape = () => validate;`;
});

/** esbuild bundles what `require` names, but not what a `require` that a module makes for itself names. */
export const patternLibraries = replacing(
  /\bsrc\/core\/routing\/libraries\.ts$/,
  () => `export const re2 = () => require('re2js');
export const cel = () => require('@marcbachmann/cel-js');`,
);

/** Bundles this text in place of a file of ours. esbuild's own `alias` knows packages only. */
function replacing(file: RegExp, contents: () => string): Plugin {
  return {
    name: `replacing ${file.source}`,
    setup(builder) {
      builder.onLoad({ filter: file }, () => ({
        contents: contents(),
        resolveDir: join(import.meta.dirname, '..'),
      }));
    },
  };
}
