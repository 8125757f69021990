import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const PACKAGE = '@actions/workflow-parser';
const ROOT = join(import.meta.dirname, '../../..');

/** Loads GitHub's parser of workflows. It imports JSON as bundlers allow and Node does not, so it is bundled first. */
export async function loadWorkflowParser(): Promise<typeof import('@actions/workflow-parser')> {
  const directory = await mkdtemp(join(tmpdir(), 'fwdsync-workflows-'));
  const outfile = join(directory, 'parser.mjs');
  const stdin = { contents: `export * from '${PACKAGE}';`, resolveDir: ROOT };
  // Some of it requires modules of Node.
  const banner = {
    js: `import { createRequire } from 'node:module'; const require = createRequire('${ROOT}/');`,
  };
  await build({ stdin, outfile, banner, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  try {
    return (await import(outfile)) as typeof import('@actions/workflow-parser');
  } finally {
    await rm(directory, { recursive: true });
  }
}
