import { plural } from '../../model/names.ts';
import type { Facts, GateFinding, GateInput } from '../gate.ts';

/** Test mails arrive in the emulator. */
export function rehearsalGate(_input: GateInput, { rehearsal }: Facts<'rehearsal'>): GateFinding {
  const { sent, failures, left } = rehearsal;
  const rest = left === 0 ? [] : [`${plural(left, 'address')} not tried: at most 200 are tried`];
  if (failures.length > 0) {
    const evidence = [
      `${failures.length} of ${plural(sent, 'mail')} did not arrive as expected`,
      ...rest,
      ...failures,
    ];
    return { state: 'next', evidence, todo: ['change the manifest, or the expectations'] };
  }
  const what =
    sent === 0
      ? 'no mail to try: the manifest has no expect'
      : `${plural(sent, 'mail')} arrived in the emulator`;
  return { state: 'done', evidence: [what, ...rest] };
}
