import type { DeliveryThreshold } from '../../model/desired.ts';
import { durationMs } from '../../model/clock.ts';
import { numberOf, textOf, valueOf, type Node } from '../read/node.ts';

const USUAL: DeliveryThreshold = { after: 3, withinMs: 3_600_000 };

/**
 * Reads when failing mail is reported, from a domain or `defaults`; null means `off`. Values that the schema refused
 * count as missing.
 */
export function readThreshold(delivery: Node | undefined): DeliveryThreshold | null {
  if (delivery === undefined) return USUAL;
  if (textOf(delivery) === 'off') return null;
  const within = durationMs(textOf(valueOf(delivery, 'within')) ?? '');
  return {
    after: numberOf(valueOf(delivery, 'after')) ?? USUAL.after,
    withinMs: within ?? USUAL.withinMs,
  };
}
