import { showTime } from '../../model/clock.ts';
import type { GateFinding, GateInput, MoveGateName } from '../gate.ts';
import { showMx } from '../mx-text.ts';
import { SHORT_TTL, type MoveMemory } from '../memory.ts';
import type { MoveObservation } from '../observation.ts';
import { forgottenAt } from './ttl.ts';

const HOLD_MS = 5 * 86_400_000;

/** The old side is kept for the time that senders try again, and for a long TTL. */
export function holdGate({ seen, memory, earlier }: GateInput): GateFinding {
  const { switchedAt } = memory;
  if (switchedAt === null) return { state: 'waiting', evidence: ['it comes after switch'] };
  const until = holdUntil(switchedAt, memory, seen);
  const open = earlier
    .filter(({ gate, state }) => AFTER.has(gate) && state !== 'done')
    .map(({ gate }) => gate);
  const keep = `keep the old side running until ${showTime(until)}: senders retry for five days`;
  if (seen.at < until) return { state: 'waiting', since: switchedAt, until, evidence: [keep] };
  if (open.length > 0) {
    const evidence = [`keep the old side running: ${open.join(', ')} not done`];
    return { state: 'waiting', since: switchedAt, evidence };
  }
  return {
    state: 'done',
    since: until,
    evidence: ['the old side can be closed', ...belowLines(seen, memory)],
    todo: cleanUp(seen, memory),
  };
}

/** Returns when the old side has been kept long enough. */
export function holdUntil(switchedAt: number, memory: MoveMemory, seen: MoveObservation): number {
  const forgotten = forgottenAt(switchedAt, memory, seen);
  const isLong = forgotten > switchedAt + SHORT_TTL * 1000;
  return (isLong ? forgotten : switchedAt) + HOLD_MS;
}

/** Names below the domain may still get their mail on the old side. */
function belowLines({ domain, zone }: MoveObservation, { mx }: MoveMemory): readonly string[] {
  const hosts = new Set(mx?.map(({ exchange }) => exchange));
  const old = (zone.ok ? zone.value.wildcard : []).filter(({ exchange }) => hosts.has(exchange));
  if (old.length === 0) return [];
  return [
    `except for names below ${domain}: the MX record of *.${domain} still sends their mail to ${showMx(old)}`,
  ];
}

const AFTER: ReadonlySet<MoveGateName> = new Set(['switch', 'receiving', 'watch']);

/** Lists the records that may go, if nothing else needs them. */
function cleanUp({ domain, spf, check, policy }: MoveObservation, { mx }: MoveMemory): readonly string[] {
  const hosts = (mx ?? [])
    .map(({ exchange }) => exchange)
    .filter((host) => host === domain || host.endsWith(`.${domain}`));
  const wanted = new Set(check.ok ? check.value.spfTerms : []);
  const terms = (spf.ok ? spf.value.records : []).flatMap((record) => record.split(/\s+/).slice(1));
  const former = terms.filter((term) => !wanted.has(term) && !/^[-~?+]?all$|^redirect=/i.test(term));
  const old = policy.ok && policy.value.file?.ok === true ? policy.value.file.value.mx : [];
  const isOld = (host: string): boolean => (mx ?? []).some(({ exchange }) => exchange === host);
  return [
    ...hosts.map((host) => `the address records of ${host}, if nothing else uses it`),
    ...(former.length === 0
      ? []
      : [`of the SPF record, if nothing sends there any more: ${former.join(' ')}`]),
    ...old.filter(isOld).map((host) => `of the MTA-STS policy: mx: ${host}`),
  ];
}
