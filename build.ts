// Makes dist/ for the npm package and the container. It is bundled because Node does not strip types below node_modules.
// `node build.ts DIR` makes it elsewhere.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build, type Plugin } from 'esbuild';
import schema from './schemas/manifest.v1.schema.json' with { type: 'json' };
import { SHAPE_OPTIONS } from './src/core/manifest/schema/shape.ts';

const ROOT = import.meta.dirname;

/** Bundles this text in place of a file. */
function replacing(file: RegExp, contents: () => string): Plugin {
  return {
    name: `replacing ${file.source}`,
    setup(builder) {
      builder.onLoad({ filter: file }, () => ({ contents: contents(), resolveDir: ROOT }));
    },
  };
}

/** The manifest's validator as code: compiling the schema takes half of the time of checking a small manifest. */
const compiledShape = replacing(/\bsrc\/manifest\/schema\/shape\.ts$/, () => {
  const ajv = new Ajv2020({ ...SHAPE_OPTIONS, code: { source: true, esm: true } });
  ajv.addSchema(schema);
  const code = standaloneCode.default(ajv, { validate: schema.$id });
  return `${code}\nexport const compileShape = () => validate;`;
});

/** esbuild bundles what `require` names, but not what a `require` that a module makes for itself names. */
const patternLibraries = replacing(
  /\bsrc\/routing\/libraries\.ts$/,
  () => `export const re2 = () => require('re2js');
export const cel = () => require('@marcbachmann/cel-js');`,
);

const outdir = resolve(process.argv[2] ?? join(ROOT, 'dist'));
await rm(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: ROOT,
  entryPoints: { fwdsync: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir,
  bundle: true,
  splitting: true, // a library or command that is imported on demand is a file of its own
  platform: 'node',
  format: 'esm',
  target: 'node22.22',
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [compiledShape, patternLibraries],
  // Packages that are CommonJS inside call `require` for Node's own modules.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
