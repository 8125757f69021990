/** True with `npm run prove`, which runs all cases. `npm test` runs a share that depends on PROVE_SEED. */
export const IS_FULL = process.env['PROVE'] === 'full';
export const PROVE_SEED = Number(process.env['PROVE_SEED'] ?? 1);

/** Number of cases to run: all, or a share that takes a few seconds. */
export function runs<T>(all: T, share: T): T {
  return IS_FULL ? all : share;
}

/** Returns all cases, or every n-th of them. */
export function everyNth<const T>(nth: number, all: readonly T[]): readonly T[] {
  return IS_FULL ? all : takeEveryNth(nth, all, PROVE_SEED);
}

/** Returns every n-th case: for seed 1 from the first on. */
export function takeEveryNth<T>(nth: number, all: readonly T[], seed: number): readonly T[] {
  return all.filter((_, index) => (index + seed) % nth === 1 % nth);
}
