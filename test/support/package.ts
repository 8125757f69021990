import { join } from 'node:path';
import { shared } from './shared.ts';

const directory = await shared('package');

/** The npm package, packed once per test run. */
export const TARBALL = join(directory, 'fwdsync.tgz');

/** Directory of `npm install --global`, outside the checkout. */
export const INSTALLED = join(directory, 'global');
