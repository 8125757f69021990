// Makes dist/ for the npm package and the container: bundled, because Node does not strip types below node_modules,
// and split by command, because a git hook pays the start-up every time. `node build.ts DIR` makes it elsewhere.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build, type Plugin } from 'esbuild';
import schema from './schemas/manifest.v1.schema.json' with { type: 'json' };
import { SHAPE_OPTIONS } from './src/manifest/schema/shape.ts';

/** The manifest's validator as code: compiling the schema took half of the time of checking a small manifest. */
const compiledShape: Plugin = {
  name: 'compiled-shape',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/manifest\/schema\/shape\.ts$/ }, () => {
      const ajv = new Ajv2020({ ...SHAPE_OPTIONS, code: { source: true, esm: true } });
      ajv.addSchema(schema);
      const code = standaloneCode.default(ajv, { validate: schema.$id });
      return {
        contents: `${code}\nexport const compileShape = () => validate;`,
        resolveDir: import.meta.dirname,
      };
    });
  },
};

/** Libraries that are loaded when they are needed are part of the bundle; they run when they are asked for. */
const bundledLibraries: Plugin = {
  name: 'bundled-libraries',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/routing\/libraries\.ts$/ }, async ({ path }) => {
      const own = 'const require = createRequire(import.meta.url);\n';
      const [before, after, ...more] = (await readFile(path, 'utf8')).split(own);
      if (after === undefined || more.length > 0) throw new Error(`${path} has not one line ${own}`);
      return { contents: `${before}${after}`, loader: 'ts' };
    });
  },
};

const outdir = process.argv[2] ?? join(import.meta.dirname, 'dist');
await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: {
    fwdsync: join(import.meta.dirname, 'src/cli/main.ts'),
    index: join(import.meta.dirname, 'src/index.ts'),
  },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.22',
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [compiledShape, bundledLibraries],
  // Packages that are CommonJS inside call require for Node's own modules.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'warning',
});
