import type { DomainName } from '../../../../src/core/model/names.ts';
import { fail, succeed } from '../../../../src/core/model/result.ts';
import type { MoveGate, MoveGateName } from '../../../../src/core/move/gate.ts';
import { plainCommand } from '../../../../src/core/model/text/command-line.ts';
import { findGates } from '../../../../src/core/move/gates.ts';
import { remember, type MoveMemory } from '../../../../src/core/move/memory.ts';
import type {
  AccountFacts,
  MailFacts,
  MoveObservation,
  MxRecord,
  RecipientFacts,
  ServerAnswer,
  ServiceCheck,
  ZoneFacts,
} from '../../../../src/core/move/observation.ts';

export const START = Date.parse('2026-09-01T00:00:00Z');
export const SECOND = 1_000;
export const DAY = 86_400_000;

export const OLD: readonly MxRecord[] = [{ preference: 10, exchange: 'mail.acme.example' }];
export const SERVICE: readonly MxRecord[] = [
  { preference: 10, exchange: 'mx1.service.example' },
  { preference: 20, exchange: 'mx2.service.example' },
];

export const ACCOUNT: AccountFacts = {
  changes: 0,
  held: [],
  isPresent: true,
  engine: 'alias',
  wants: { aliases: true, rules: false, credentials: false },
  isBanned: false,
  lockReason: null,
  isOverQuota: false,
  liveCatchAll: null,
  strictMxes: false,
};

export const CHECK: ServiceCheck = {
  mx: SERVICE,
  isMxValid: false,
  error: null,
  isForwarding: false,
  missing: [],
  spfTerms: [],
};

export function mx(records: readonly MxRecord[], ttl = 300): ServerAnswer {
  return { kind: 'mx', records, ttl };
}

export function zoneOf(...answers: readonly ServerAnswer[]): ZoneFacts {
  const servers = answers.map((answer, index) => ({ name: `ns${index + 1}`, answer }));
  return { zone: 'acme.example', servers, wildcard: [], isInherited: false };
}

export function recipient(facts: Partial<RecipientFacts>): RecipientFacts {
  const address = facts.address ?? 'sales@acme.example';
  return {
    address,
    shown: address,
    arrived: 0,
    refused: 0,
    bounced: 0,
    error: null,
    isUnrouted: false,
    ...facts,
  };
}

export function mailOf(...recipients: readonly RecipientFacts[]): MailFacts {
  return { messages: recipients.length, isComplete: true, recipients };
}

/** A domain that is ready for the switch, with the changes of a case. */
export function observe(change: Partial<MoveObservation> = {}): MoveObservation {
  return {
    at: START,
    domain: 'acme.example' as DomainName,
    formerTtl: null,
    inventory: { compared: 1, differences: [], notices: [], addresses: ['sales@acme.example'] },
    account: succeed(ACCOUNT),
    rehearsal: succeed({ sent: 1, failures: [], left: 0 }),
    check: succeed(CHECK),
    zone: succeed(zoneOf(mx(OLD))),
    policy: succeed({ ids: [], file: null }),
    spf: succeed({ records: [], lookups: null }),
    mail: null,
    ...change,
  };
}

export const UNREAD = fail('it is down');

/** Memory after a switch seen at `START`, with the TTL `ttl` before it. */
export function switchedMemory(ttl = 300): MoveMemory {
  const before = remember(null, observe({ zone: succeed(zoneOf(mx(OLD, ttl))), at: START - SECOND }));
  return remember(before, observe({ zone: succeed(zoneOf(mx(SERVICE))) }));
}

/** Adds an observation to the memory and judges one gate. */
export function judge(gate: MoveGateName, seen: MoveObservation, before: MoveMemory | null = null): MoveGate {
  return findGate(gate, seen, remember(before, seen));
}

function findGate(gate: MoveGateName, seen: MoveObservation, memory: MoveMemory): MoveGate {
  const found = findGates({ seen, memory, command: plainCommand }).find((one) => one.gate === gate);
  if (found === undefined) throw new Error(`there is no gate ${gate}`);
  return found;
}

/** One observation. */
export interface Look extends Partial<Omit<MoveObservation, 'at' | 'account' | 'check' | 'zone'>> {
  /** Seconds after the first observation. */
  readonly after?: number;
  /** The MX records of each server; null means none. */
  readonly mx?: readonly (readonly MxRecord[] | null)[];
  readonly ttl?: number;
  readonly wildcard?: readonly MxRecord[];
  readonly account?: Partial<AccountFacts>;
  /** null means that the account does not have the domain. */
  readonly check?: Partial<ServiceCheck> | null;
}

function look(options: Look): MoveObservation {
  const { after = 0, mx: records = [OLD], ttl = 300, wildcard = [], account, check, ...rest } = options;
  const isPresent = check !== null;
  return observe({
    at: START + after * SECOND,
    formerTtl: 300,
    account: succeed({ ...ACCOUNT, isPresent, ...account }),
    check: isPresent ? succeed({ ...CHECK, ...check }) : fail('not found'),
    zone: succeed({ ...zoneOf(...records.map((own) => answerOf(own, ttl))), wildcard }),
    ...rest,
  });
}

function answerOf(records: readonly MxRecord[] | null, ttl: number): ServerAnswer {
  return records === null ? { kind: 'none', ttl, isMissingName: false } : mx(records, ttl);
}

/** Returns the gates at the last observation, and the memory after it. */
export function lookAt(
  first: Look,
  ...later: readonly Look[]
): {
  readonly memory: MoveMemory;
  readonly gate: (name: MoveGateName) => MoveGate;
} {
  let seen = look(first);
  let memory = remember(null, seen);
  for (const one of later) {
    seen = look(one);
    memory = remember(memory, seen);
  }
  return { memory, gate: (name) => findGate(name, seen, memory) };
}
