import { join } from 'node:path';
import { shared } from './shared.ts';

const directory = await shared('package');

/** The npm package, packed once a run of tests. */
export const TARBALL = join(directory, 'fwdsync.tgz');

/** Place of `npm install --global`, outside the checkout. */
export const INSTALLED = join(directory, 'global');
