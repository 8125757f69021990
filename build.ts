// Makes dist/ for the npm package and the container: bundled, because Node does not strip types below node_modules, and
// quick to load, because a git hook pays the start-up every time. `node build.ts DIR` makes it elsewhere.
import { readFile, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build, type BuildOptions, type Plugin } from 'esbuild';
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

/** Each is a file of its own, which is loaded with the first module that needs it. */
const LIBRARIES = [
  'undici',
  'fastify',
  'prom-client',
  'chokidar',
  'pino',
  'pino-pretty',
  'ajv/dist/2020.js',
  're2js',
  '@marcbachmann/cel-js',
];

function separateLibraries(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'separate-libraries',
    setup(builder) {
      builder.onResolve({ filter: /^[a-z@]/ }, ({ path }) => {
        const file = files.get(path);
        return file === undefined ? undefined : { path: `./${file}`, external: true };
      });
    },
  };
}

/** Modules of Node that take milliseconds to load, and that most commands import and do not call. */
const nodeOnUse: Plugin = {
  name: 'node-on-use',
  setup(builder) {
    const filter = /^node:(?:child_process|crypto|fs\/promises)$/;
    const namespace = 'node-on-use';
    builder.onResolve({ filter }, ({ path, namespace: from }) =>
      from === namespace ? undefined : { path, namespace },
    );
    builder.onLoad({ filter, namespace }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object);
      const define = `Object.defineProperty(exports, name, { enumerable: true, get: () => require('${path}')[name] })`;
      return { contents: `for (const name of ${JSON.stringify(names)}) ${define};` };
    });
  },
};

const ROOT = import.meta.dirname;
const outdir = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const COMMON = {
  absWorkingDir: ROOT,
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node22.22',
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Makes what src/cli/loader.ts loads, and gives its path in dist/. One file takes less time than many, and V8 can keep
 * CommonJS compiled.
 */
async function buildLoaded(name: string, entry: string, plugins: readonly Plugin[]): Promise<string> {
  const { metafile } = await build({
    ...COMMON,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    entryPoints: { [name]: entry },
    // What was kept of another build is not taken for this one's.
    entryNames: '[dir]/[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    metafile: true,
    plugins: [...plugins],
  });
  const [output = ''] = Object.keys(metafile.outputs);
  return relative(outdir, join(ROOT, output));
}

await rm(outdir, { recursive: true, force: true });
const libraries = new Map<string, string>();
for (const name of LIBRARIES) libraries.set(name, await buildLoaded(`libraries/${name}`, name, []));
const program = await buildLoaded('program', './src/cli/execute.ts', [
  compiledShape,
  bundledLibraries,
  separateLibraries(libraries),
  nodeOnUse,
]);
await build({
  ...COMMON,
  format: 'esm',
  entryPoints: { fwdsync: './src/cli/bin.ts' },
  define: { PROGRAM: JSON.stringify(program) },
});
await build({
  ...COMMON,
  format: 'esm',
  entryPoints: { index: './src/index.ts' },
  plugins: [compiledShape, bundledLibraries],
  // Packages that are CommonJS inside call require for Node's own modules.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
