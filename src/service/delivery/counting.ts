import { liveEngineOf } from '../../core/model/observed.ts';
import type { PresentDomain } from '../../core/model/desired.ts';
import type { ObservedDomain } from '../../core/model/observed.ts';
import { namesOfManifest } from './known-names.ts';
import { stateBefore, type PastChange, type ValuesOf } from './past.ts';
import { wantedState } from './routing-state.ts';
import { createTakers, type FindTaker } from './takers.ts';
import type { Counting } from './tally.ts';

export interface CountingInput {
  readonly wanted: PresentDomain;
  /** The domain in the account's list. */
  readonly live: Pick<ObservedDomain, 'routingEngine'> | undefined;
  /** Changes, the newest first. */
  readonly changes: readonly PastChange[];
  readonly valuesOf: ValuesOf;
}

/**
 * Creates the counting of a domain: it attributes each message to the alias or rule that was in place when the message was
 * received.
 */
export function createCounting({ wanted, live, changes, valuesOf }: CountingInput): Counting {
  const state = wantedState(wanted);
  const engine = liveEngineOf(live);
  const takers = new Map<number, FindTaker>();
  return {
    takerAt(at) {
      const before = changes.findIndex((change) => change.at <= at);
      const undone = before < 0 ? changes.length : before;
      const known =
        takers.get(undone) ?? createTakers(stateBefore(state, changes.slice(0, undone), valuesOf), engine);
      takers.set(undone, known);
      return known;
    },
    findName: namesOfManifest(wanted),
  };
}
