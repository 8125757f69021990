import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Finds a file of the checkout, the npm package or the container: it lies above this module, wherever that is bundled. */
export function findInstalled(file: string): string {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    const path = join(directory, file);
    if (existsSync(path)) return path;
    if (dirname(directory) === directory) throw new Error(`${file} is not where this program was installed`);
  }
}
