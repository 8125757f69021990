/** Entries of a manifest. */
const MANY = 50_000;

/**
 * What a manifest was read from takes more memory than what it says, and V8 would keep it while an account is read, until its heap
 * is several times as large. Where there is much of it, it is collected before; next when the heap has doubled.
 */
export function collectSyntax(entries: number): void {
  if (entries < MANY) return;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--heap-growing-percent=100');
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
  collect();
  // What V8 compiled is kept for the next start with the same flags: these are the defaults.
  setFlagsFromString('--no-expose-gc');
  setFlagsFromString('--heap-growing-percent=0');
}
