import { iso } from '../../core/model/clock.ts';
import type { MoveGateName, GateState } from '../../core/move/gate.ts';
import type { Moved } from './move-once.ts';

/** Document `fwdsync/move@1`; see schemas/move.v1.schema.json. */
export interface MoveDocument {
  readonly kind: 'fwdsync/move@1';
  readonly domain: string;
  readonly gates: readonly GateDocument[];
}

export interface GateDocument {
  readonly gate: MoveGateName;
  readonly state: GateState;
  readonly since: string | null;
  readonly until: string | null;
  readonly evidence: readonly string[];
  readonly todo: readonly string[];
}

export function moveDocument({ seen, gates }: Moved): MoveDocument {
  const time = (at: number | null | undefined): string | null =>
    at === undefined || at === null ? null : iso(at);
  return {
    kind: 'fwdsync/move@1',
    domain: seen.domain,
    gates: gates.map(({ gate, state, since, until, evidence, todo = [] }) => ({
      gate,
      state,
      since: time(since),
      until: time(until),
      evidence,
      todo,
    })),
  };
}
