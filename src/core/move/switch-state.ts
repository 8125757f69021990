import type {
  AccountFacts,
  MxRecord,
  ServerAnswer,
  ServerFacts,
  ServiceCheck,
  ZoneFacts,
} from './observation.ts';

/** State of the MX records on all servers of a zone. */
export type SwitchState =
  | { readonly kind: 'switched' }
  /** Some servers have the service's MX only, and others do not yet. */
  | { readonly kind: 'partly' }
  /** Every server has the service's MX beside others. */
  | { readonly kind: 'beside' }
  | { readonly kind: 'before' }
  | { readonly kind: 'cname'; readonly target: string }
  /** No server answered. */
  | { readonly kind: 'unknown' };

/** The MX records that the service wants, and whether its check accepts those that are there. */
type WantedMx = Pick<ServiceCheck, 'mx' | 'isMxValid'>;

export function findSwitch({ servers }: Pick<ZoneFacts, 'servers'>, check: WantedMx): SwitchState {
  const states = servers.filter(hasAnswered).map(({ answer }) => stateOf(answer, check));
  const cname = states.find((state) => state.kind === 'cname');
  if (states.length === 0) return { kind: 'unknown' };
  if (cname !== undefined) return cname;
  const count = (kind: SwitchState['kind']): number => states.filter((state) => state.kind === kind).length;
  if (count('switched') === states.length) return { kind: 'switched' };
  if (count('switched') > 0) return { kind: 'partly' };
  return { kind: count('beside') === states.length ? 'beside' : 'before' };
}

/** Returns the servers that answer with something else than the service's MX only. */
export function formerServers({ servers }: ZoneFacts, check: WantedMx): readonly ServerFacts[] {
  return servers.filter((server) => hasAnswered(server) && stateOf(server.answer, check).kind !== 'switched');
}

/** True if the service's check, asked now at any server of the zone, may say that the domain does not point to it. */
export function mayFailCheck(
  { servers }: Pick<ZoneFacts, 'servers'>,
  check: WantedMx,
  { strictMxes }: Pick<AccountFacts, 'strictMxes'>,
): boolean {
  return servers.filter(hasAnswered).some(({ answer }) => {
    const { kind } = stateOf(answer, check);
    return kind !== 'switched' && (kind !== 'beside' || strictMxes !== false);
  });
}

export function hasAnswered({ answer }: ServerFacts): boolean {
  return answer.kind !== 'silent' && answer.kind !== 'lame';
}

export function withoutService(records: readonly MxRecord[], check: WantedMx): readonly MxRecord[] {
  return records.filter(({ exchange }) => !isOfService(exchange, check));
}

export function ofService(records: readonly MxRecord[], check: WantedMx): readonly MxRecord[] {
  return records.filter(({ exchange }) => isOfService(exchange, check));
}

function isOfService(host: string, { mx }: WantedMx): boolean {
  return mx.some(({ exchange }) => exchange === host);
}

/** The service's MX only: all hosts that it wants, or those that its check accepts. */
function stateOf(answer: ServerAnswer, check: WantedMx): SwitchState {
  if (answer.kind === 'cname') return { kind: 'cname', target: answer.target };
  const records = answer.kind === 'mx' ? answer.records : [];
  const own = ofService(records, check);
  if (own.length === 0) return { kind: 'before' };
  if (own.length < records.length) return { kind: 'beside' };
  const isWhole = check.mx.every(({ exchange }) => own.some((record) => record.exchange === exchange));
  return { kind: isWhole || check.isMxValid ? 'switched' : 'before' };
}
