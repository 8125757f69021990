// Makes dist/ for the npm package and the container. It is bundled because Node does not strip types below node_modules.
// `node build.ts DIR` makes it elsewhere. Two builds of a commit are the same bytes: the date is SOURCE_DATE_EPOCH or the commit's.
import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild';
import { build } from 'esbuild';
import { renderNotices } from './build/notices.ts';
import { compiledShape, patternLibraries } from './build/plugins.ts';
import pkg from './package.json' with { type: 'json' };
import { processContext } from './src/cli/context.ts';
import { renderManPage } from './src/cli/declare/man-page.ts';
import { execute } from './src/cli/execute.ts';
import { createProgram } from './src/cli/program.ts';

const ROOT = import.meta.dirname;
const SBOM = 'sbom.cdx.json';
const outdir = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const commit =
  process.env['SOURCE_COMMIT'] || git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*');
const epoch = process.env['SOURCE_DATE_EPOCH'] || git('log', '-1', '--format=%ct');
const builtAt = epoch === null ? null : new Date(Number(epoch) * 1000).toISOString().replace('.000Z', 'Z');

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
  preserveSymlinks: true, // the same paths, and so the same bytes, where node_modules is a link
  define: { BUILD_COMMIT: JSON.stringify(commit), BUILD_DATE: JSON.stringify(builtAt) },
  plugins: [
    compiledShape,
    patternLibraries,
    cyclonedxEsbuildPlugin({
      outputFile: SBOM,
      outputReproducible: true,
      gatherLicenseTexts: true,
      validate: false, // a test does
      logLevel: 'silent',
    }),
  ],
  // Packages that are CommonJS inside call `require` for Node's own modules.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
await writeFile(
  join(outdir, 'THIRD-PARTY-NOTICES'),
  renderNotices(await readFile(join(outdir, SBOM), 'utf8')),
);
const program = createProgram(processContext(), [], { finish: () => {}, execute });
const date = builtAt?.slice(0, 10) ?? '';
await writeFile(join(outdir, 'fwdsync.1'), renderManPage(program, { version: pkg.version, date }));

/** Asks git about the commit. Returns null outside a repository. */
function git(...words: readonly string[]): string | null {
  try {
    return execFileSync('git', words, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
