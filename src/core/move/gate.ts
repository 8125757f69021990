import type { CommandLine } from '../model/text/command-line.ts';
import type { MoveMemory } from './memory.ts';
import { isAbsent, type MoveObservation, type Read } from './observation.ts';

export type MoveGateName =
  | 'inventory'
  | 'account'
  | 'rehearsal'
  | 'policy'
  | 'ttl'
  | 'both'
  | 'sending'
  | 'switch'
  | 'receiving'
  | 'watch'
  | 'hold';

/** `next`: something is to be done. `waiting`: for a time, or for other gates. `blocked`: something is wrong. */
export type GateState = 'done' | 'next' | 'waiting' | 'blocked';

export interface GateFinding {
  readonly state: GateState;
  /** Begin of the state and end of a wait, in epoch milliseconds; absent means unknown. */
  readonly since?: number | null;
  readonly until?: number | null;
  readonly evidence: readonly string[];
  /** Commands, records and other things to do. */
  readonly todo?: readonly string[];
}

export interface MoveGate extends GateFinding {
  readonly gate: MoveGateName;
}

export interface GateInput {
  readonly seen: MoveObservation;
  readonly memory: MoveMemory;
  /** The gates before this one. */
  readonly earlier: readonly MoveGate[];
  readonly command: CommandLine;
}

/** Gates that must be done before mail may go to the service. */
const STOPS: ReadonlySet<MoveGateName> = new Set(['inventory', 'account', 'rehearsal', 'policy', 'sending']);

/** Returns the names of gates that stop what sends mail to the service. */
export function stopsAmong(earlier: readonly MoveGate[]): readonly MoveGateName[] {
  return earlier.filter(({ gate, state }) => STOPS.has(gate) && state !== 'done').map(({ gate }) => gate);
}

/** The parts of an observation that may not have been read. */
type Part = 'account' | 'rehearsal' | 'check' | 'zone' | 'policy' | 'spf';
/** Parts that were read. */
export type Facts<P extends Part> = {
  readonly [K in P]: Extract<MoveObservation[K], { readonly ok: true }>['value'];
};

/** A gate that needs some parts. It is blocked if one of them could not be read. */
export function whenRead<P extends Part>(
  needs: readonly P[],
  find: (input: GateInput, facts: Facts<P>) => GateFinding,
): (input: GateInput) => GateFinding {
  return (input) => {
    const facts: Record<string, unknown> = {};
    for (const part of needs) {
      const read: Read<unknown> = input.seen[part];
      if (!read.ok) return part === 'check' && isAbsent(input.seen) ? AFTER_ACCOUNT : unread(read.error);
      facts[part] = read.value;
    }
    return find(input, facts as Facts<P>);
  };
}

export const AFTER_ACCOUNT: GateFinding = { state: 'waiting', evidence: ['it comes after account'] };

/** Returns the finding for something that could not be read. */
export function unread(reason: string): GateFinding {
  return { state: 'blocked', evidence: [`it could not be read: ${reason}`], todo: ['run this again'] };
}
