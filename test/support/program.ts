import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { Execute } from './run-here.ts';
import { shared } from './shared.ts';

/** The published command as an executable. It is built once, and starts in a fifth of the time of the sources. */
export const PROGRAM = await shared('program');

/** A PATH on which it is called `fwdsync`. */
export const PROGRAM_PATH = [dirname(PROGRAM), process.env['PATH']].join(delimiter);

/** Its entry file and shared compile cache, for tests that start Node themselves. */
export const ENTRY = join(dirname(PROGRAM), '../dist/fwdsync.js');
export const COMPILED = join(dirname(PROGRAM), '../compiled');

/** Runs a command line of the built program in this process, because a separate process takes half a second to start. */
export const execute = executeIn(dirname(ENTRY));

/** Returns the function that runs command lines of the build in this directory. */
export function executeIn(dist: string): Execute {
  const file = readdirSync(dist).find((name) => /^execute-\w+\.js$/.test(name)) ?? 'no execute';
  const built = createRequire(import.meta.url)(join(dist, file)) as { readonly execute: Execute };
  return built.execute;
}
