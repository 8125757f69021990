import { showTime } from '../../model/clock.ts';
import { plural } from '../../model/names.ts';
import {
  AFTER_ACCOUNT,
  stopsAmong,
  unread,
  type Facts,
  type MoveGate,
  type GateFinding,
  type GateInput,
} from '../gate.ts';
import { isAbsent, type ServerFacts, type ServiceCheck, type ZoneFacts } from '../observation.ts';
import { mxLines, showMx } from '../mx-text.ts';
import { findSwitch, hasAnswered, withoutService } from '../switch-state.ts';
import { openTooEarly, tooEarly } from './too-early.ts';
import { wayBack } from './way-back.ts';

/** Every server of the zone that answers has the service's MX only. */
export function switchGate(input: GateInput, { zone }: Facts<'zone'>): GateFinding {
  const { check } = input.seen;
  if (check.ok) {
    const { kind } = findSwitch(zone, check.value);
    const early = kind === 'switched' || kind === 'partly' ? openTooEarly(input) : [];
    return early.length > 0
      ? tooEarly(input, early, serverLines(zone))
      : judgeSwitch(input, { check: check.value, zone });
  }
  return isAbsent(input.seen) ? judgeAbsent(input, zone) : unread(check.error);
}

/** The account does not have the domain, so that nothing tells which MX records are the service's. */
function judgeAbsent(input: GateInput, zone: ZoneFacts): GateFinding {
  const { mx } = input.memory;
  const known = new Set(mx?.map(({ exchange }) => exchange));
  const isOther = ({ answer }: ServerFacts): boolean =>
    answer.kind === 'mx' && !answer.records.some(({ exchange }) => known.has(exchange));
  if (mx === null || !zone.servers.some(isOther)) return AFTER_ACCOUNT;
  const why = `the MX records have changed, but the account does not have ${input.seen.domain}: the service refuses its mail`;
  return { state: 'blocked', evidence: [...serverLines(zone), why], todo: wayBack(input) };
}

function judgeSwitch(input: GateInput, { check, zone }: Facts<'check' | 'zone'>): GateFinding {
  const {
    seen: { domain },
    memory,
    earlier,
  } = input;
  const state = findSwitch(zone, check);
  const evidence = serverLines(zone);
  const records = [
    `the MX records of ${domain}, and no others:`,
    ...mxLines(domain, check.mx),
    ...(check.isForwarding === true ? [] : [AT_ONCE]),
  ];
  switch (state.kind) {
    case 'cname':
      return {
        state: 'blocked',
        evidence: [`${domain} is a CNAME to ${state.target}: a name with a CNAME can have no MX records`],
        todo: [`replace the CNAME of ${domain} with address records`],
      };
    case 'unknown':
      return { state: 'blocked', evidence: [`no server of the zone ${zone.zone} answers`, ...evidence] };
    case 'switched':
      return {
        state: 'done',
        since: memory.switchedAt,
        evidence: [...evidence, ...wildcardNotice(zone, check, domain)],
      };
    case 'partly':
      return {
        state: 'waiting',
        evidence: [...evidence, 'some servers have the new records, and others do not yet'],
        todo: records,
      };
    case 'beside':
    case 'before':
      return beforeSwitch(earlier, { state: 'next', evidence, todo: records });
  }
}

const AT_ONCE =
  'then run this again at once, and every minute until receiving says that the service forwards: it may refuse mail before its first check';

function beforeSwitch(earlier: readonly MoveGate[], ready: GateFinding): GateFinding {
  const stops = stopsAmong(earlier);
  if (stops.length > 0)
    return { state: 'waiting', evidence: [`it comes after ${stops.join(', ')}`, ...ready.evidence] };
  const ttl = earlier.find(({ gate }) => gate === 'ttl');
  if (ttl?.state !== 'waiting' || ttl.until === undefined || ttl.until === null) return ready;
  const why = `best after the former TTL is over: ${showTime(ttl.until)}`;
  return { ...ready, state: 'waiting', until: ttl.until, evidence: [why, ...ready.evidence] };
}

/** Lists what the servers answer: once if all agree, else each one; then those that do not answer. */
function serverLines({ servers }: ZoneFacts): readonly string[] {
  const [answered, others] = [servers.filter(hasAnswered), servers.filter((server) => !hasAnswered(server))];
  const answers = new Set(answered.map(showAnswer));
  const lines =
    answers.size === 1
      ? [`${plural(answered.length, 'server')} of the zone: ${[...answers].join('')}`]
      : answered.map((server) => `${server.name}: ${showAnswer(server)}`);
  return [...lines, ...others.map((server) => `${server.name}: ${showAnswer(server)}`)];
}

function showAnswer({ answer }: ServerFacts): string {
  switch (answer.kind) {
    case 'mx':
      return `MX ${showMx(answer.records)} (TTL ${answer.ttl} s)`;
    case 'none':
      return answer.isMissingName
        ? 'there is no such name'
        : 'no MX record: mail goes to the address of the name itself';
    case 'cname':
      return `CNAME ${answer.target}`;
    case 'silent':
      return `does not answer (${answer.reason})`;
    case 'lame':
      return `does not answer for the zone (${answer.reason})`;
  }
}

function wildcardNotice({ wildcard }: ZoneFacts, check: ServiceCheck, domain: string): readonly string[] {
  const others = withoutService(wildcard, check);
  if (others.length === 0) return [];
  return [
    `notice: mail to names below ${domain} still goes to ${showMx(others)}, by the MX record of *.${domain}`,
  ];
}
