import { fail } from '../../core/model/result.ts';
import { describeFailure, type Database } from '../../engine/state/postgres/database.ts';
import type { StateStore } from '../../engine/state/store.ts';
import { showRuns, type Claim } from './runs.ts';

/**
 * Returns a state whose lock is only for the latest run of the account. A run that was suspended before it had the
 * lock must not apply an older revision. A later run waits for the lock, or takes it over.
 */
export function claimedState(
  state: StateStore,
  claim: Claim,
  { database }: { readonly database: Database },
): StateStore {
  return {
    ...state,
    async lock() {
      const lock = await state.lock();
      if (!lock.ok) return lock;
      try {
        if ((await showRuns(database, [claim])).length === 0) return lock;
        await lock.value.release();
        return fail({ kind: 'lost', message: `another worker runs ${claim.email} by now` });
      } catch (error) {
        await lock.value.release();
        return fail({
          kind: 'unwritable',
          message: `${state.place} cannot be read: ${describeFailure(error)}`,
        });
      }
    },
  };
}
