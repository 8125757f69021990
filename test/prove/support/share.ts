/** `PROVE=full` (`npm run prove`) proves everything; `npm test` a share of it, another one for every PROVE_SEED. */
const IS_FULL = process.env['PROVE'] === 'full';
export const PROVE_SEED = Number(process.env['PROVE_SEED'] ?? 1);

/** How many cases are tried: all, or the share of them that takes at most 20 s. */
export function runs<T>(all: T, share: T): T {
  return IS_FULL ? all : share;
}
