#!/usr/bin/env node
import { createLoader } from './loader.ts';
import { nodeFault } from './node-version.ts';

/**
 * The files of dist/ that hold the program of execute.ts: with one command alone, and with all. build.ts fills them in.
 */
declare const PROGRAMS: { readonly validate: string; readonly completion: string; readonly program: string };

// As main.ts, of what build.ts makes.
const fault = nodeFault(process.versions.node);
if (fault === null) {
  const [, , first = ''] = process.argv;
  const load = createLoader(import.meta.dirname, first);
  const program = load(programOf(first)) as typeof import('./execute.ts');
  await program.start();
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}

function programOf(first: string): string {
  if (first === 'validate') return PROGRAMS.validate;
  return first === 'completion' || first.startsWith('-') ? PROGRAMS.completion : PROGRAMS.program;
}
