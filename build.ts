// Makes dist/ for the npm package and the container: bundled, because Node does not strip types below node_modules, and
// quick to load, because a git hook pays the start-up every time. `node build.ts DIR` makes it elsewhere.
import { readFile, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build, transform, type BuildOptions, type Plugin } from 'esbuild';
import schema from './schemas/manifest.v1.schema.json' with { type: 'json' };
import { SHAPE_OPTIONS } from './src/manifest/schema/shape.ts';

/** The manifest's validator as code: compiling the schema took half of the time of checking a small manifest. */
const compiledShape: Plugin = {
  name: 'compiled-shape',
  setup(builder) {
    builder.onLoad({ filter: /\bsrc\/manifest\/schema\/shape\.ts$/ }, () => {
      const ajv = new Ajv2020({ ...SHAPE_OPTIONS, code: { source: true, esm: true } });
      ajv.addSchema(schema);
      const code = standaloneCode.default(ajv, { validate: schema.$id });
      return {
        contents: `${withPartsOnUse(code)}\nexport const compileShape = () => validate;`,
        resolveDir: import.meta.dirname,
      };
    });
  },
};

/** What the parts of the schema say is read when something is wrong: making all of them takes milliseconds. */
function withPartsOnUse(code: string): string {
  const declaration = /const (schema\d+) = (\{.*?\});(?=const |function )/g;
  if (!declaration.test(code)) throw new Error('the validator is not as it was');
  return code
    .replace(/(?<!const )\bschema\d+\b/g, '$&()')
    .replace(declaration, 'let $1_;const $1 = () => ($1_ ??= $2);');
}

/** Libraries that are loaded when they are needed are part of the bundle; they run when they are asked for. */
const bundledLibraries: Plugin = {
  name: 'bundled-libraries',
  setup(builder) {
    builder.onLoad({ filter: /\bsrc\/routing\/libraries\.ts$/ }, async ({ path }) => {
      const own = 'const require = createRequire(import.meta.url);\n';
      const [before, after, ...more] = (await readFile(resolve(ROOT, path), 'utf8')).split(own);
      if (after === undefined || more.length > 0) throw new Error(`${path} has not one line ${own}`);
      return { contents: `${before}${after}`, loader: 'ts', resolveDir: resolve(ROOT, dirname(path)) };
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
  'yaml',
  're2js',
  '@marcbachmann/cel-js',
  'smtp-server',
  'nodemailer/lib/smtp-connection',
  'mailauth',
  'postal-mime',
  'pg',
  'pg-boss',
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

/** The parts of the YAML library, of which a manifest of the plain shape needs the lexer alone. */
const yamlOnUse: Plugin = {
  name: 'yaml-on-use',
  setup(builder) {
    builder.onLoad({ filter: /\/yaml\/dist\/index\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const files = new Map(
        [...text.matchAll(/^var (\w+) = (require\('.+'\));$/gm)].map(([, name = '', file = '']) => [
          name,
          file,
        ]),
      );
      const getters = [...text.matchAll(/^exports\.(\w+) = (\w+)(.*);$/gm)].map(
        ([, name, part = '', member]) => `get ${name}() { return ${files.get(part)}${member}; },`,
      );
      if (files.size === 0 || getters.length === 0) throw new Error(`${path} is not as it was`);
      return { contents: `module.exports = {\n${getters.join('\n')}\n};` };
    });
  },
};

/** Flags of this program are ASCII, and a class of Unicode takes a millisecond to compile. */
const asciiFlags: Plugin = {
  name: 'ascii-flags',
  setup(builder) {
    builder.onLoad({ filter: /\/commander\/lib\/option\.js$/ }, async ({ path }) => {
      const [before, after, ...more] = (await readFile(path, 'utf8')).split('\\p{ID_Continue}');
      if (after === undefined || more.length > 0) throw new Error(`${path} is not as it was`);
      return { contents: `${before}\\w${after}` };
    });
  },
};

/** A program for lines of one command, or of none: what a git hook and a shell start many times a day. */
function onlyCommand(name: string): Plugin {
  return {
    name: 'only-command',
    setup(builder) {
      builder.onResolve({ filter: /^\.\.\/commands\// }, ({ path, kind }) => {
        const isOther = kind === 'dynamic-import' && !path.startsWith(`../commands/${name}`);
        return isOther ? { path, external: true } : undefined;
      });
    },
  };
}

/** Modules of Node: some take milliseconds to load or to import, and most commands do not call them. */
const nodeOnUse: Plugin = {
  name: 'node-on-use',
  setup(builder) {
    const filter = /^node:/;
    const namespace = 'node-on-use';
    builder.onResolve({ filter }, ({ path, namespace: from }) =>
      from === namespace ? undefined : { path, namespace },
    );
    // What is imported by name is looked up where it is used: there in the prototype.
    // The process needs no module, and is no other object.
    builder.onLoad({ filter: /^node:process$/, namespace }, () => ({ contents: 'export default process;' }));
    builder.onLoad({ filter, namespace }, ({ path }) => ({
      contents: `module.exports = Object.create(new Proxy({}, { get: (_, name) => require('${path}')[name] }));`,
    }));
  },
};

/** Our own modules: each runs when something of it is first used, and V8 keeps next to nothing of one that has not run. */
const modulesOnUse: Plugin = {
  name: 'modules-on-use',
  setup(builder) {
    const namespace = 'on-use';
    builder.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => ({
      path: relative(ROOT, resolve(resolveDir, path)),
      namespace,
    }));
    builder.onLoad({ filter: /^/, namespace }, async ({ path }) => {
      const text = await readFile(join(ROOT, path), 'utf8');
      const { define } = COMMONJS;
      const { code } = await transform(text, { loader: 'ts', format: 'cjs', target: COMMON.target, define });
      return { contents: withImportsOnUse(code), resolveDir: join(ROOT, dirname(path)) };
    });
  },
};

/** What is imported is loaded where it is used; what is exported is there once the module has run: no module waits for itself. */
function withImportsOnUse(code: string): string {
  const imported = /^var (import_\w+) = (.*);$/gm;
  const values = new Map([...code.matchAll(imported)].map(([, name = '', value]) => [name, value]));
  const header = /^var __.*?^__export\(\w+, (\{.*?\})\);\nmodule\.exports = .*?;$/ms;
  const exported = (header.exec(code)?.[1] ?? '{}').replaceAll(': () => ', ': ');
  const own = code.replace(header, '');
  // It defines what esbuild calls, such as `__toESM`.
  const body = (/\b__\w+\(/.test(own) ? code : own).replace(imported, 'let $1;');
  return `${body}\nmodule.exports = ${exported};`.replace(/(?<!^let )\bimport_\w+\b/gm, (name) =>
    values.has(name) ? `(${name} ??= ${values.get(name)})` : name,
  );
}

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
/** Node starts it sooner than modules. */
const COMMONJS = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
} satisfies BuildOptions;

/**
 * Makes what src/cli/loader.ts loads, and gives its path in dist/. One file takes less time than many, and V8 can keep
 * CommonJS compiled.
 */
async function buildLoaded(name: string, entry: string, plugins: readonly Plugin[]): Promise<string> {
  const { metafile } = await build({
    ...COMMON,
    ...COMMONJS,
    supported: { 'dynamic-import': false, 'regexp-unicode-property-escapes': true },
    minifyWhitespace: true,
    lineLimit: 120,
    banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
    footer: { js: '})' },
    entryPoints: { [name]: entry },
    // What was kept of another build is not taken for this one's.
    entryNames: '[dir]/[name]-[hash]',
    metafile: true,
    plugins: [...plugins, modulesOnUse],
  });
  const [output = ''] = Object.keys(metafile.outputs);
  return relative(outdir, join(ROOT, output));
}

await rm(outdir, { recursive: true, force: true });
const libraries = new Map<string, string>();
for (const name of LIBRARIES) libraries.set(name, await buildLoaded(`libraries/${name}`, name, [yamlOnUse]));
const plugins = [compiledShape, bundledLibraries, separateLibraries(libraries), nodeOnUse, asciiFlags];
const programs: Record<string, string> = {};
for (const name of ['validate', 'completion', 'program']) {
  const parts = name === 'program' ? plugins : [...plugins, onlyCommand(name)];
  programs[name] = await buildLoaded(name, './src/cli/execute.ts', parts);
}
await build({
  ...COMMON,
  ...COMMONJS,
  entryPoints: { fwdsync: './src/cli/bin.ts' },
  define: { ...COMMONJS.define, PROGRAMS: JSON.stringify(programs) },
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
