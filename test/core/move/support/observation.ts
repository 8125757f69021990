import type { DomainName } from '../../../../src/core/model/names.ts';
import { plainCommand } from '../../../../src/core/model/text/command-line.ts';
import type { MoveGate, MoveGateName } from '../../../../src/core/move/gate.ts';
import { findGates } from '../../../../src/core/move/gates.ts';
import { remember, type MoveMemory } from '../../../../src/core/move/memory.ts';
import type {
  AccountFacts,
  MoveObservation,
  MxRecord,
  ServerAnswer,
  ServiceCheck,
} from '../../../../src/core/move/observation.ts';

export const DOMAIN = 'acme.example' as DomainName;
export const OLD: readonly MxRecord[] = [{ preference: 10, exchange: 'mail.acme.example' }];
export const SERVICE: readonly MxRecord[] = [{ preference: 10, exchange: 'mx1.improvmx.com' }];
const START = Date.parse('2026-09-01T00:00:00Z');

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

/** What one look shows. */
export interface Look extends Partial<Omit<MoveObservation, 'at' | 'account' | 'check' | 'zone'>> {
  /** Seconds after the first look. */
  readonly after?: number;
  /** The MX records of each server; null means none. */
  readonly mx?: readonly (readonly MxRecord[] | null)[];
  readonly ttl?: number;
  readonly wildcard?: readonly MxRecord[];
  readonly account?: Partial<AccountFacts>;
  /** null means that the account does not have the domain. */
  readonly check?: Partial<ServiceCheck> | null;
}

export function look(options: Look = {}): MoveObservation {
  const { after = 0, mx = [OLD], ttl = 300, wildcard = [], account, check, ...rest } = options;
  const isPresent = check !== null;
  return {
    at: START + after * 1000,
    domain: DOMAIN,
    formerTtl: 300,
    inventory: { compared: null, differences: [], notices: [], addresses: [] },
    account: { ok: true, value: { ...ACCOUNT, isPresent, ...account } },
    rehearsal: { ok: true, value: { sent: 1, failures: [], left: 0 } },
    check: isPresent ? { ok: true, value: { ...CHECK, ...check } } : { ok: false, error: 'not found' },
    zone: {
      ok: true,
      value: {
        zone: DOMAIN,
        servers: mx.map((records, index) => ({ name: `ns${index + 1}`, answer: answerOf(records, ttl) })),
        wildcard,
        isInherited: false,
      },
    },
    policy: { ok: true, value: { ids: [], file: null } },
    spf: { ok: true, value: { records: [], lookups: null } },
    mail: null,
    ...rest,
  };
}

function answerOf(records: readonly MxRecord[] | null, ttl: number): ServerAnswer {
  return records === null ? { kind: 'none', ttl, isMissingName: false } : { kind: 'mx', records, ttl };
}

/** The gates at the last of these looks, and what is remembered then. */
export function lookAt(...looks: readonly Look[]): {
  readonly memory: MoveMemory;
  readonly gate: (name: MoveGateName) => MoveGate;
} {
  let memory: MoveMemory | null = null;
  let seen = look();
  for (const one of looks) {
    seen = look(one);
    memory = remember(memory, seen);
  }
  const known = memory ?? remember(null, seen);
  const gates = findGates({ seen, memory: known, command: plainCommand });
  return { memory: known, gate: (name) => gates.find(({ gate }) => gate === name) as MoveGate };
}
