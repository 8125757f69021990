import type { RunResult } from '../../core/model/status/daemon.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { Result } from '../../core/model/result.ts';
import type { Access } from '../daemon/account-run.ts';
import type { Claim, RunMemory } from './runs.ts';

type OpenAccess = (desired: Desired) => Promise<Result<Access, string>>;
type FailedRun = Extract<RunResult, { kind: 'failed' }>;

/** Text that is hashed with a key to recognise the same key again without storing it. */
const KEY_PRINT = 'the key of this account';

/**
 * Returns a failed run if the API refused this key before. Such a key is not sent again until the key or the revision
 * changes. null means that the key may be sent.
 */
export async function stillParked(
  { memory: { parked }, revision }: Claim,
  desired: Desired,
  access: OpenAccess,
): Promise<FailedRun | null> {
  if (parked === null || parked.revision !== revision.number) return null;
  const opened = await access(desired);
  if (!opened.ok || opened.value.client.hmac(KEY_PRINT) !== parked.key) return null;
  return { kind: 'failed', what: 'unauthorised', message: parked.message };
}

/** Returns the parking to remember if the API refused the key; null if it did not. */
export async function parkedBy(
  result: RunResult,
  { revision }: Claim,
  { desired, access }: { readonly desired: Desired; readonly access: OpenAccess },
): Promise<RunMemory['parked']> {
  if (result.kind !== 'failed' || result.what !== 'unauthorised') return null;
  const opened = await access(desired);
  if (!opened.ok) return null;
  const { message } = result;
  return { revision: revision.number, key: opened.value.client.hmac(KEY_PRINT), message };
}
