let opened = 0;

/**
 * Returns the random numbers of one command: always a half, except for the first, which goes into the id of the run. It differs
 * between 40 consecutive commands by less than a thousandth, so that run ids of the same moment differ.
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
