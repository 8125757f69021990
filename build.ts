// Makes dist/ for the npm package and the container: bundled, because Node does not strip types below node_modules,
// and split by command, because a git hook pays the start-up every time.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: { fwdsync: 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.22',
  chunkNames: 'chunks/[name]-[hash]',
  // Packages that are CommonJS inside call require for Node's own modules.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'warning',
});
