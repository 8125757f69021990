import { stopsAmong, type Facts, type GateFinding, type GateInput } from '../gate.ts';
import type { MxRecord, ServiceCheck } from '../observation.ts';
import { mxLines, showMx } from '../mx-text.ts';
import { findSwitch, ofService, withoutService } from '../switch-state.ts';
import { openTooEarly, tooEarly } from './too-early.ts';

/** Optional: the service's MX beside the old ones, so that the service is ready before any mail goes there first. */
export function bothGate(
  input: GateInput,
  { account: { strictMxes }, check, zone }: Facts<'account' | 'check' | 'zone'>,
): GateFinding {
  const {
    seen,
    memory: { switchedAt },
    earlier,
  } = input;
  if (switchedAt !== null) return { state: 'done', evidence: ['the switch is done'] };
  if (strictMxes !== false) {
    const why = strictMxes === null ? 'does not show whether it accepts' : 'does not accept';
    return { state: 'done', evidence: [`skipped: the service ${why} other MX records beside its own`] };
  }
  const served = zone.servers.flatMap(({ answer }) => (answer.kind === 'mx' ? [answer.records] : []));
  const old = served.flatMap((records) => withoutService(records, check));
  if (old.length === 0) return { state: 'done', evidence: ['skipped: there is no old MX record'] };
  const { kind } = findSwitch(zone, check);
  if (kind === 'partly') return { state: 'done', evidence: ['the switch has begun'] };
  // A policy only keeps senders from using the service.
  const early = openTooEarly(input).filter((gate) => gate !== 'policy');
  if (kind === 'beside') return early.length > 0 ? tooEarly(input, early) : judgeBeside(served, check);
  const stops = stopsAmong(earlier);
  if (stops.length > 0)
    return { state: 'waiting', evidence: [OPTIONAL, `it comes after ${stops.join(', ')}`] };
  return {
    state: 'next',
    evidence: [OPTIONAL],
    todo: [
      "add the service's MX records to the old ones, with larger numbers, and keep the old ones",
      ...mxLines(seen.domain, beside(old, check)),
    ],
  };
}

const OPTIONAL = 'optional; it is the only way without a gap';

function judgeBeside(served: readonly (readonly MxRecord[])[], check: ServiceCheck): GateFinding {
  const wrong = served.find((records) => preferred(withoutService(records, check), check, records));
  if (wrong !== undefined)
    return {
      state: 'blocked',
      evidence: [`senders try the service before the old MX: ${showMx(wrong)}`],
      todo: ["give the service's MX larger numbers than all others"],
    };
  if (check.isMxValid || check.isForwarding === true)
    return { state: 'done', evidence: ["the service's check accepts its MX beside the old ones"] };
  return {
    state: 'waiting',
    evidence: [`the service's check does not accept it yet${check.error === null ? '' : `: ${check.error}`}`],
  };
}

/** True if a record of the service does not come after all old ones. */
function preferred(old: readonly MxRecord[], check: ServiceCheck, records: readonly MxRecord[]): boolean {
  return ofService(records, check).some(({ preference }) => preference <= largest(old));
}

function beside(old: readonly MxRecord[], { mx }: ServiceCheck): readonly MxRecord[] {
  return mx.map(({ exchange }, index) => ({ preference: largest(old) + 10 * (index + 1), exchange }));
}

function largest(records: readonly MxRecord[]): number {
  return Math.max(0, ...records.map(({ preference }) => preference));
}
