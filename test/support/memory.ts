import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of this process, in bytes, once its garbage is collected. */
export function memoryUsage(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage();
}
