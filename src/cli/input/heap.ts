/** Entries of a manifest. */
const MANY = 50_000;

/**
 * What a manifest was read from takes more memory than what it says, and V8 would keep it while an account is read: until its heap
 * has doubled. Where there is much of it, it is collected before.
 */
export function collectSyntax(entries: number): void {
  if (entries < MANY) return;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--expose-gc');
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
  // What V8 compiled is kept for the next start with the same flags.
  setFlagsFromString('--no-expose-gc');
  collect();
}
