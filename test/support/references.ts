import type { Reference } from '../../src/core/model/destinations.ts';

/** Value -> name of its environment variable, as in a loaded manifest. */
export function fromEnvironment(
  names: Readonly<Record<string, string>>,
): ReadonlyMap<string, Reference & { readonly kind: 'env' }> {
  const source = { file: 'fwdsync.yaml', line: 1, column: 1 };
  return new Map(
    Object.entries(names).map(([value, name]) => [
      value,
      { kind: 'env', name, written: { env: name }, shown: `{ env: ${name} }`, source },
    ]),
  );
}
