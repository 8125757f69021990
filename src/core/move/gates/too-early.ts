import type { GateFinding, GateInput, GateState, MoveGateName } from '../gate.ts';
import { wayBack } from './way-back.ts';

/** States of the gates before that put mail at risk once some of it may go to the service. */
const RISKS: readonly (readonly [MoveGateName, readonly GateState[]])[] = [
  ['inventory', ['next']],
  ['account', ['next', 'blocked']],
  ['rehearsal', ['next']],
];

/**
 * Returns the gates that should have been done before mail may go to the service. A policy counts as long as senders may keep it;
 * the others count until some mail arrived through the service.
 */
export function openTooEarly({ seen, earlier }: GateInput): readonly MoveGateName[] {
  const { mail, account } = seen;
  const isProven = mail?.ok === true && mail.value.recipients.some(({ arrived }) => arrived > 0);
  const risks = isProven || !account.ok ? [] : RISKS;
  const open = new Map([...risks, ['policy', ['next', 'waiting']] as const]);
  return earlier.filter(({ gate, state }) => open.get(gate)?.includes(state)).map(({ gate }) => gate);
}

/** The finding for mail that may go to the service too early. */
export function tooEarly(
  input: GateInput,
  open: readonly MoveGateName[],
  evidence: readonly string[] = [],
): GateFinding {
  const why = `this was done too early: ${open.join(', ')} not done. Take the way back, or do it at once`;
  return { state: 'blocked', evidence: [...evidence, why], todo: wayBack(input) };
}
