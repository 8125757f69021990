/** Number of entries in a large manifest. */
const MANY = 50_000;

/**
 * Frees the syntax trees of a large manifest before the account is read. They take more memory than the parsed
 * manifest, and V8 would keep them until its heap is several times as large. The next collection comes when the heap
 * has doubled.
 */
export function collectSyntax(entries: number): void {
  if (entries < MANY) return;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--heap-growing-percent=100');
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
  collect();
  // V8 reuses compiled code only with the same flags, so set the defaults again.
  setFlagsFromString('--no-expose-gc');
  setFlagsFromString('--heap-growing-percent=0');
}
