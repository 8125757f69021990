import { recordsOf } from '../../../../src/client/dns/dns.ts';
import type { MoveGate, MoveGateName } from '../../../../src/core/move/gate.ts';
import type { MoveWorld } from './move-world.ts';
import { DOMAIN, SERVICE } from './random-move.ts';
import { forbiddenTo, type Sender } from './senders.ts';

/** Returns the gates that are wrongly called done, as sentences. It compares them with the records that senders have cached. */
export function falseGates(world: MoveWorld, gates: readonly MoveGate[]): readonly string[] {
  const isDone = (name: MoveGateName): boolean =>
    gates.some(({ gate, state }) => gate === name && state === 'done');
  const now = world.internet.now();
  const found: string[] = [];
  for (const [index, sender] of world.senders.entries()) {
    if (isDone('policy') && SERVICE.some(forbiddenTo(sender, now)))
      found.push(`policy is done, and sender ${index} keeps one that forbids the service`);
    if (isDone('receiving') && keepsOldMx(sender))
      found.push(`receiving is done, and the resolver of sender ${index} keeps the old MX`);
    if (isDone('hold') && keepsOldMx(sender))
      found.push(`hold is done, and the resolver of sender ${index} keeps the old MX`);
  }
  const isForbidden = world.senders.some((sender) => SERVICE.some(forbiddenTo(sender, now)));
  const isWarned = gates.some(
    ({ gate, state, todo = [] }) =>
      gate === 'switch' && state === 'blocked' && todo[0]?.startsWith('the way back') === true,
  );
  if (isForbidden && isSwitched(world) && !isWarned)
    found.push('senders keep a policy that forbids the service, and the switch is not said to be too early');
  return found;
}

/** True if all servers that answer have the service's MX only. */
function isSwitched({ zone: { servers } }: MoveWorld): boolean {
  return servers
    .filter(({ fault }) => fault === null)
    .every(({ records }) => {
      const hosts = records.filter(({ name, type }) => name === DOMAIN && type === 'MX');
      return hosts.length > 0 && hosts.every(({ data }) => SERVICE.includes(data.split(' ')[1] ?? ''));
    });
}

function keepsOldMx({ resolver }: Sender): boolean {
  const kept = resolver.kept({ name: DOMAIN, type: 'MX' });
  if (kept === null) return false;
  const records = recordsOf(kept.answer.answers, 'MX');
  return records.length === 0 || records.some(({ exchange }) => !SERVICE.includes(exchange));
}
