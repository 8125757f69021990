#!/usr/bin/env node
import { createLoader } from './loader.ts';
import { nodeFault } from './node-version.ts';

/** The files of dist/ that hold the program of execute.ts with one command alone, and with all; build.ts fills them in. */
declare const PROGRAMS: { readonly validate: string; readonly completion: string; readonly program: string };

/** What a line that loads no other command than `completion` begins with. */
const LIGHT: ReadonlySet<string> = new Set(['completion', '--version', '-V', '--help', '-h']);

/** Node's own code for that. */
const UNFINISHED = 13;

const fault = nodeFault(process.versions.node);
if (fault === null) {
  const [, , first = ''] = process.argv;
  const load = createLoader(import.meta.dirname, first);
  const program = load(programOf(first)) as typeof import('./execute.ts');
  // As of a program of modules: one that waits for what never comes has not succeeded.
  process.once('exit', () => {
    process.exitCode ??= UNFINISHED;
  });
  void program.start();
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}

function programOf(first: string): string {
  if (first === 'validate') return PROGRAMS.validate;
  return LIGHT.has(first) ? PROGRAMS.completion : PROGRAMS.program;
}
