/** `PROVE=full` (`npm run prove`) proves everything; `npm test` a share of it, another one for every PROVE_SEED. */
const IS_FULL = process.env['PROVE'] === 'full';
export const PROVE_SEED = Number(process.env['PROVE_SEED'] ?? 1);

/** How many cases are tried: all, or the share of them that takes a few seconds. */
export function runs<T>(all: T, share: T): T {
  return IS_FULL ? all : share;
}

/** Returns all cases, or every n-th of them, from the first on for the first PROVE_SEED. */
export function everyNth<T>(nth: number, all: readonly T[]): readonly T[] {
  return IS_FULL ? all : all.filter((_, index) => index % nth === (PROVE_SEED - 1) % nth);
}
