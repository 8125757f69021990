import { forbids } from './mta-sts.ts';
import {
  isAbsent,
  type MoveObservation,
  type MxRecord,
  type PolicyFacts,
  type ServiceCheck,
  type StsPolicy,
} from './observation.ts';
import { findSwitch, formerServers, withoutService, type SwitchState } from './switch-state.ts';

/** The memory of a move. Times are epoch milliseconds; a TTL and an age are in seconds. */
export interface MoveMemory {
  readonly firstSeen: number;
  /** Time of the last valid observation. */
  readonly seenAt: number;
  /** The MX records before the switch, without those of the service; null means that they were not observed. */
  readonly mx: readonly MxRecord[] | null;
  readonly ttl: RememberedTtl | null;
  /** The last policy that forbade the service's MX, or may do so because those are not known yet; null means none. */
  readonly policy: RememberedPolicy | null;
  /** The service's last check; null means that there was none. */
  readonly check: RememberedCheck | null;
  /** Time at which every server first had only the service's MX; null means not yet. */
  readonly switchedAt: number | null;
}

export interface RememberedTtl {
  /** The TTL before the switch. */
  readonly seconds: number;
  /** Time at which this TTL was first observed. */
  readonly since: number;
  /** Time at which longer TTLs from earlier observations have expired; null means that none was observed. */
  readonly formerUntil: number | null;
  /** Time of the first observation if the TTL was low already; null means that the former TTL was observed. */
  readonly unknownAt: number | null;
}

export type RememberedCheck = Pick<ServiceCheck, 'mx' | 'isMxValid' | 'missing' | 'spfTerms'>;

export interface RememberedPolicy {
  readonly id: string | null;
  readonly mx: StsPolicy['mx'];
  readonly maxAge: number;
  /** Time at which a policy with another id was first seen to allow the service; null means not yet. */
  readonly allowedSince: number | null;
}

/** A TTL up to this one is short: it delays nothing. */
export const SHORT_TTL = 300;
export const UNKNOWN_TTL = 86_400;

/** Adds an observation to the memory. Ignores one that is older than the last. */
export function remember(before: MoveMemory | null, seen: MoveObservation): MoveMemory {
  const known: MoveMemory = before ?? {
    firstSeen: seen.at,
    seenAt: seen.at,
    mx: null,
    ttl: null,
    policy: null,
    check: null,
    switchedAt: null,
  };
  const check = knownCheck(seen, known.check);
  if (seen.at < known.seenAt || check === null) return known;
  const hosts = check.mx.length === 0 ? null : check.mx;
  const policy = seen.policy.ok
    ? rememberPolicy(known.policy, seen.policy.value, hosts, seen.at)
    : known.policy;
  return {
    ...known,
    seenAt: seen.at,
    policy,
    check: seen.check.ok ? seen.check.value : known.check,
    ...rememberZone(known, seen, check),
  };
}

/** Without a check, the last check has the service's MX. No hosts means that they are not known. */
function knownCheck(
  seen: MoveObservation,
  last: RememberedCheck | null,
): Pick<ServiceCheck, 'mx' | 'isMxValid'> | null {
  if (seen.check.ok) return seen.check.value;
  return isAbsent(seen) ? { mx: last?.mx ?? [], isMxValid: false } : null;
}

/** Adds the servers' answers. An unknown state changes nothing. */
function rememberZone(
  { mx, ttl, switchedAt }: MoveMemory,
  { zone, at }: MoveObservation,
  check: Pick<ServiceCheck, 'mx' | 'isMxValid'>,
): Pick<MoveMemory, 'mx' | 'ttl' | 'switchedAt'> {
  if (!zone.ok) return { mx, ttl, switchedAt };
  const former = formerServers(zone.value, check);
  const [records] = former.map(({ answer }) => (answer.kind === 'mx' ? answer.records : []));
  const ttls = former.flatMap(({ answer }) => ('ttl' in answer ? (answer.ttl ?? []) : []));
  return {
    mx: rememberMx(mx, records ?? null, check),
    ttl: ttls.length === 0 ? ttl : rememberTtl(ttl, Math.max(...ttls), at),
    switchedAt: rememberSwitch(switchedAt, findSwitch(zone.value, check), at),
  };
}

/**
 * An empty set of records does not replace the former one, because records may be changed one by one. While the service's MX are not known,
 * the first records count: later ones may be the service's.
 */
function rememberMx(
  before: MoveMemory['mx'],
  now: readonly MxRecord[] | null,
  check: Pick<ServiceCheck, 'mx' | 'isMxValid'>,
): MoveMemory['mx'] {
  const known = before === null || before.length === 0 ? before : orNull(withoutService(before, check));
  const former = now === null ? null : withoutService(now, check);
  if (former === null || (known !== null && (former.length === 0 || check.mx.length === 0))) return known;
  return former;
}

function orNull(records: readonly MxRecord[]): readonly MxRecord[] | null {
  return records.length === 0 ? null : records;
}

function rememberSwitch(before: number | null, { kind }: SwitchState, at: number): number | null {
  if (kind === 'unknown') return before;
  return kind === 'switched' ? (before ?? at) : null;
}

function rememberTtl(before: RememberedTtl | null, seconds: number, at: number): RememberedTtl {
  if (before === null)
    return { seconds, since: at, formerUntil: null, unknownAt: seconds <= SHORT_TTL ? at : null };
  if (before.seconds === seconds) return before;
  const until = at + before.seconds * 1000;
  return { ...before, seconds, since: at, formerUntil: Math.max(before.formerUntil ?? 0, until) };
}

/** While the service's hosts are not known, the first policy counts: a later one may allow them already. */
function rememberPolicy(
  before: RememberedPolicy | null,
  facts: PolicyFacts,
  hosts: readonly MxRecord[] | null,
  at: number,
): RememberedPolicy | null {
  if (before !== null && hosts === null) return before;
  const { file } = facts;
  const known = stillForbidding(before, hosts);
  if (file?.ok === true && forbids(file.value, hosts)) return forbidden(known, facts, file.value);
  if (known === null || !isReplaced(known, facts)) return known;
  return { ...known, allowedSince: known.allowedSince ?? at };
}

function stillForbidding(
  before: RememberedPolicy | null,
  hosts: readonly MxRecord[] | null,
): RememberedPolicy | null {
  return before !== null && forbids({ ...before, mode: 'enforce' }, hosts) ? before : null;
}

function forbidden(
  before: RememberedPolicy | null,
  { ids }: PolicyFacts,
  { mx, maxAge }: StsPolicy,
): RememberedPolicy {
  const [id = null] = ids;
  return { id, mx, maxAge: Math.max(before?.maxAge ?? 0, maxAge), allowedSince: null };
}

/** True if new senders do not learn of the old policy: the record is gone, or names another file that can be read. */
function isReplaced({ id }: RememberedPolicy, { ids, file }: PolicyFacts): boolean {
  if (ids.length === 0) return true;
  return ids.length === 1 && ids[0] !== id && file?.ok === true;
}
