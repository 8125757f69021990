import { showTime } from '../../model/clock.ts';
import type { Facts, GateFinding, GateInput } from '../gate.ts';
import { forgottenAt } from './ttl.ts';
import { wayBack } from './way-back.ts';

const AGAIN = 'run this again every minute: each call asks for the check';
const GRACE_MS = 15 * 60_000;

/** The service says that it forwards the domain's mail, and no resolver has the old records any more. */
export function receivingGate(input: GateInput, { check }: Facts<'check'>): GateFinding {
  const { seen, memory } = input;
  const { switchedAt } = memory;
  if (switchedAt === null) return { state: 'waiting', evidence: ['it comes after switch'] };
  const { isMxValid, isForwarding, error } = check;
  const since = switchedAt;
  if (isMxValid && isForwarding !== false) {
    const until = forgottenAt(switchedAt, memory, seen);
    const evidence = ['the service forwards its mail, according to its own check'];
    if (seen.at >= until) return { state: 'done', since: until, evidence };
    const old = `some senders may still use the old MX until ${showTime(until)}: keep the old side running`;
    return { state: 'waiting', since, until, evidence: [...evidence, old] };
  }
  const evidence = [`the service does not forward its mail${error === null ? '' : `: ${error}`}`];
  const until = switchedAt + GRACE_MS;
  if (seen.at < until) return { state: 'waiting', since, until, evidence, todo: [AGAIN] };
  return { state: 'blocked', since, evidence: [...evidence, 'for 15 minutes or more'], todo: wayBack(input) };
}
