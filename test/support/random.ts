let opened = 0;

/**
 * The chance of one command: always a half, but for the first, which names the run. Two commands in one moment differ in it,
 * as far as the name of a run has room, and by no more than a thousandth.
 */
export function openChance(): () => number {
  opened = (opened + 1) % 40;
  let first: number | null = 0.5 + opened / 36 ** 3;
  return () => {
    const value = first ?? 0.5;
    first = null;
    return value;
  };
}
