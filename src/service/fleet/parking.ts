import type { RunResult } from '../../core/model/status/daemon.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { Result } from '../../core/model/result.ts';
import type { Access } from '../daemon/account-run.ts';
import type { Claim, RunMemory } from './runs.ts';

type OpenAccess = (desired: Desired) => Promise<Result<Access, string>>;
type FailedRun = Extract<RunResult, { kind: 'failed' }>;

/** What is kept of a key: a text that is the same for the same key, and does not show it. */
const KEY_PRINT = 'the key of this account';

/** A key that the API refused is not sent again until it or the revision is another one; null: it may be sent. */
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

/** What to remember where the API refused the key; null: it did not. */
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
