import { whenRead, type MoveGate, type GateFinding, type GateInput, type MoveGateName } from './gate.ts';
import { accountGate } from './gates/account.ts';
import { bothGate } from './gates/both.ts';
import { holdGate } from './gates/hold.ts';
import { inventoryGate } from './gates/inventory.ts';
import { policyGate } from './gates/policy.ts';
import { receivingGate } from './gates/receiving.ts';
import { rehearsalGate } from './gates/rehearsal.ts';
import { sendingGate } from './gates/sending.ts';
import { switchGate } from './gates/switch.ts';
import { ttlGate } from './gates/ttl.ts';
import { watchGate } from './gates/watch.ts';

/** The gates of a move, in order. Each sees what was observed and remembered, and the gates before it. */
const GATES: readonly (readonly [MoveGateName, (input: GateInput) => GateFinding])[] = [
  ['inventory', inventoryGate],
  ['account', whenRead(['account'], accountGate)],
  ['rehearsal', whenRead(['rehearsal'], rehearsalGate)],
  ['policy', whenRead(['policy', 'check'], policyGate)],
  ['ttl', whenRead(['zone'], ttlGate)],
  ['both', whenRead(['account', 'check', 'zone'], bothGate)],
  ['sending', whenRead(['account', 'check', 'spf'], sendingGate)],
  ['switch', whenRead(['zone'], switchGate)],
  ['receiving', whenRead(['check'], receivingGate)],
  ['watch', watchGate],
  ['hold', holdGate],
];

/** Judges all gates. */
export function findGates(input: Omit<GateInput, 'earlier'>): readonly MoveGate[] {
  const gates: MoveGate[] = [];
  for (const [gate, find] of GATES) gates.push({ gate, ...find({ ...input, earlier: gates }) });
  return gates;
}
