import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { execute as executeFunction } from '../../src/cli/execute.ts';
import { shared } from './shared.ts';

/** The command as it is published, as an executable: built once, it starts in a fifth of the time that the sources take. */
export const PROGRAM = await shared('program');

/** A search path on which it is `fwdsync`. */
export const PROGRAM_PATH = [dirname(PROGRAM), process.env['PATH']].join(delimiter);

/** Its entry, and the compile cache that it shares, for those who start Node themselves. */
export const ENTRY = join(dirname(PROGRAM), '../dist/fwdsync.js');
export const COMPILED = join(dirname(PROGRAM), '../compiled');

const require = createRequire(import.meta.url);
const isExecute = (name: string): boolean => /^execute-\w+\.js$/.test(name);

/** Runs a command line of the built program in this process: a start of its own takes half a second. */
export const { execute } = require(
  join(dirname(ENTRY), readdirSync(dirname(ENTRY)).find(isExecute) ?? 'no execute'),
) as { readonly execute: typeof executeFunction };
