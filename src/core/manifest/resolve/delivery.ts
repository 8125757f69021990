import type { DeliveryThreshold } from '../../model/desired.ts';
import { durationMs } from '../../model/clock.ts';
import { numberOf, textOf, valueOf, type Node } from '../read/node.ts';

const USUAL: DeliveryThreshold = { after: 3, withinMs: 3_600_000 };

/** When failing mail is reported, as a domain or `defaults` says; null: `off`. What the schema reports counts as left out. */
export function readThreshold(delivery: Node | undefined): DeliveryThreshold | null {
  if (delivery === undefined) return USUAL;
  if (textOf(delivery) === 'off') return null;
  const within = durationMs(textOf(valueOf(delivery, 'within')) ?? '');
  return {
    after: numberOf(valueOf(delivery, 'after')) ?? USUAL.after,
    withinMs: within ?? USUAL.withinMs,
  };
}
