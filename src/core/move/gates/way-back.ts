import type { GateInput } from '../gate.ts';
import { mxLines } from '../mx-text.ts';

/** Returns what takes the domain's mail back to where it went before the switch. */
export function wayBack({ seen: { domain }, memory: { mx } }: GateInput): readonly string[] {
  if (mx === null)
    return [
      'the way back: set the former MX records again; they are not known here, so look them up in your records',
    ];
  if (mx.length === 0) return [`the way back: remove the MX records of ${domain}: it had none`];
  return ['the way back: set the former MX records again, and remove the others', ...mxLines(domain, mx)];
}
