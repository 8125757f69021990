import { fileURLToPath } from 'node:url';

const HOOK = fileURLToPath(new URL('struck-writes.ts', import.meta.url));

/** Returns the environment of a process with a fault while it writes; see `struck-writes.ts`. */
export function struck(what: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${HOOK}`, ...what };
}

/** Returns the number of changes to files in a process that was not killed. */
export function changesOf({ stderr }: { readonly stderr: string }): number {
  return Number(/changes: (\d+)/.exec(stderr)?.[1]);
}
