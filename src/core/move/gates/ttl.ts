import { showTime } from '../../model/clock.ts';
import type { GateFinding, GateInput } from '../gate.ts';
import { SHORT_TTL, UNKNOWN_TTL, type RememberedTtl } from '../memory.ts';
import type { MoveObservation } from '../observation.ts';

/** Resolvers forget the old MX records soon. It stops nothing: a long TTL makes `hold` longer. */
export function ttlGate({ seen, memory: { ttl, mx, switchedAt } }: GateInput): GateFinding {
  if (switchedAt !== null) return { state: 'done', evidence: [afterSwitch(seen, ttl)] };
  if (ttl === null) return { state: 'blocked', evidence: ['no server of the zone shows the TTL'] };
  const { found, todo } = mx?.length === 0 ? ofNoRecord(ttl) : ofRecords(ttl);
  if (ttl.seconds > SHORT_TTL) {
    const warning = 'warning: with a longer TTL, the way back is slow, and hold takes longer';
    return { state: 'next', evidence: [found, warning], todo: [`${todo} to ${SHORT_TTL}`] };
  }
  const until = formerUntil(ttl, seen);
  if (seen.at >= until) return { state: 'done', since: until, evidence: [found] };
  const why =
    ttl.formerUntil === null
      ? 'the earlier TTL is not known: resolvers may keep it'
      : 'resolvers may still keep the longer TTL';
  const evidence = [found, `${why} until ${showTime(until)}`];
  return { state: 'waiting', since: ttl.since, until, evidence };
}

interface TtlWords {
  readonly found: string;
  readonly todo: string;
}

function ofRecords({ seconds }: RememberedTtl): TtlWords {
  return { found: `the MX records have a TTL of ${seconds} s`, todo: 'lower the TTL of the MX records' };
}

function ofNoRecord({ seconds }: RememberedTtl): TtlWords {
  const found = `there is no MX record, and resolvers cache that for ${seconds} s`;
  return { found, todo: 'lower the negative TTL of the zone (the last number of its SOA record)' };
}

/** Returns when every longer TTL from before has passed. */
function formerUntil(
  { since, formerUntil, unknownAt }: RememberedTtl,
  { formerTtl }: Pick<MoveObservation, 'formerTtl'>,
): number {
  const unknown = unknownAt === null ? since : unknownAt + (formerTtl ?? UNKNOWN_TTL) * 1000;
  return Math.max(formerUntil ?? since, unknown);
}

/** Returns when no resolver keeps the old records any more, if all servers had the new ones at this time. */
export function forgottenAt(
  switchedAt: number,
  { ttl }: GateInput['memory'],
  seen: Pick<MoveObservation, 'formerTtl'>,
): number {
  if (ttl === null) return switchedAt + (seen.formerTtl ?? UNKNOWN_TTL) * 1000;
  return Math.max(switchedAt + ttl.seconds * 1000, formerUntil(ttl, seen));
}

function afterSwitch(seen: MoveObservation, ttl: RememberedTtl | null): string {
  if (ttl === null) {
    const taken = seen.formerTtl ?? UNKNOWN_TTL;
    return `the TTL before the switch was not seen: ${taken} s are assumed`;
  }
  const late = ttl.seconds > SHORT_TTL ? ': hold takes that much longer' : '';
  return `the TTL before the switch was ${ttl.seconds} s${late}`;
}
