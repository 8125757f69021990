#!/usr/bin/env node
import { createLoader } from './loader.ts';
import { nodeFault } from './node-version.ts';

/** The file of dist/ that holds the program of execute.ts; build.ts fills it in. */
declare const PROGRAM: string;

// As main.ts, of what build.ts makes.
const fault = nodeFault(process.versions.node);
if (fault === null) {
  const load = createLoader(import.meta.dirname, process.argv[2]);
  await (load(PROGRAM) as typeof import('./execute.ts')).start();
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
