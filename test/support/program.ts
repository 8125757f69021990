import { delimiter, dirname, join } from 'node:path';
import { shared } from './shared.ts';

/** The command as it is published, as an executable: built once, it starts in a fifth of the time that the sources take. */
export const PROGRAM = await shared('program');

/** A search path on which it is `fwdsync`. */
export const PROGRAM_PATH = [dirname(PROGRAM), process.env['PATH']].join(delimiter);

/** Its entry, for those who start Node themselves; what it compiles it keeps below the home directory. */
export const ENTRY = join(dirname(PROGRAM), '../dist/fwdsync.js');
