import { fail, succeed } from '../../../core/model/result.ts';
import type { SharedText } from '../store.ts';
import type { SealedPlace } from './cipher.ts';
import { describeFailure, type Database } from './database.ts';

/** Opens the text that all processes with one store share. */
export function openPostgresSharedText(database: Database): SharedText {
  const { cipher } = database;
  return {
    async change(change) {
      try {
        await database.transaction(async (query) => {
          await query(
            'INSERT INTO fwdsync.notifications (revision, waiting) VALUES (0, $1) ON CONFLICT DO NOTHING',
            [Buffer.alloc(0)],
          );
          const [row] = await query<{ readonly revision: string; readonly waiting: Buffer }>(
            'SELECT revision, waiting FROM fwdsync.notifications FOR UPDATE',
          );
          const revision = row?.revision ?? '0';
          const before =
            row === undefined || revision === '0' ? null : cipher.open(placeOf(revision), row.waiting);
          const text = change(before);
          if (text === before) return;
          const next = String(BigInt(revision) + 1n);
          const sealed = cipher.seal(placeOf(next), text);
          await query('UPDATE fwdsync.notifications SET revision = $1, waiting = $2', [next, sealed]);
        });
        return succeed(undefined);
      } catch (error) {
        return fail({
          message: `the notifications in the store cannot be written: ${describeFailure(error)}`,
        });
      }
    },
  };
}

function placeOf(revision: string): SealedPlace {
  return { table: 'notifications', account: '', row: '', revision };
}
