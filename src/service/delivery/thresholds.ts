import type { DeliveryThreshold } from '../../core/model/desired.ts';

/** True if enough of these times lie within the period of a threshold. Times are epoch milliseconds, in any order. */
export function crosses(moments: readonly number[], { after, withinMs }: DeliveryThreshold): boolean {
  const sorted = moments.toSorted((a, b) => a - b);
  return sorted.some((moment, at) => {
    const last = sorted[at + after - 1];
    return last !== undefined && last - moment <= withinMs;
  });
}
