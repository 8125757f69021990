import { createHash } from 'node:crypto';
import type { CompletedRun, RunResult } from '../../core/model/status/daemon.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { Observed } from '../../core/model/observed.ts';
import { NO_PRIOR } from '../../core/model/prior.ts';
import { hasSecret } from '../../core/fields/fields.ts';
import { KINDS, SECTION_KINDS } from '../../core/kinds/registry.ts';
import { succeed, type Result } from '../../core/model/result.ts';
import { dueDomains } from '../../core/plan/requests/verification.ts';
import type { StateStore } from '../../engine/state/store.ts';

/**
 * Skips a run that would only repeat the last one. If manifest, account and memory are the same as at the last two
 * sweeps, and those found nothing to do, there is nothing to do now. Only a digest of what was read is kept.
 */
export interface RepeatedSweeps {
  /**
   * Returns the result of the last run if this one would repeat it, after `onRepeated`. Otherwise returns the result
   * of `run`.
   */
  unlessRepeated<Fault>(
    sweep: SweptAccount,
    run: () => Promise<Result<RunResult, Fault>>,
    onRepeated: () => void,
  ): Promise<Result<RunResult, Fault>>;
  /** Forgets the last run, because the manifest changed or everything is to be planned again. */
  forget(): void;
}

export interface SweptAccount {
  /** Desired state, unchanged since the last `forget`. */
  readonly desired: Desired;
  readonly observed: Observed;
  readonly state: StateStore;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Number of times that the run takes the lock of the state. */
  readonly locks: 0 | 1;
}

interface Found {
  readonly state: StateStore;
  readonly digest: string;
  readonly lockCount: number;
  readonly result: CompletedRun;
  /** True if the run before found the same. Both runs then remember the same. */
  readonly isRepeated: boolean;
}

export function createRepeatedSweeps(): RepeatedSweeps {
  let last: Found | null = null;
  return {
    async unlessRepeated(sweep, run, onRepeated) {
      const { state } = sweep;
      const digest = digestOf(sweep);
      const lockCount = await state.lockCount();
      const before = last;
      const isSame = before?.state === state && before.digest === digest && before.lockCount === lockCount;
      if (isSame && before.isRepeated) {
        onRepeated();
        return succeed(before.result);
      }
      last = null;
      const ended = await run();
      if (!ended.ok || !isRepeatable(ended.value, sweep) || lockCount === null) return ended;
      // If another process took the lock too, it may have changed the memory.
      const found = { state, digest, lockCount: lockCount + sweep.locks, result: ended.value };
      if (found.lockCount === (await state.lockCount())) last = { ...found, isRepeated: isSame };
      return ended;
    },
    forget() {
      last = null;
    },
  };
}

/** Returns a digest of the input of a plan. It includes the day, because an allowance ends with a day. */
function digestOf({ desired, observed, now }: SweptAccount): string {
  const { domains, unproven, ...rest } = observed;
  const day = new Date(now).toISOString().slice(0, 10);
  const hash = createHash('sha256');
  hash.update(JSON.stringify([day, [...desired.domains.keys()], rest, [...unproven]]));
  for (const domain of domains.values()) hash.update(JSON.stringify({ ...domain, readAt: null }));
  return hash.digest('base64');
}

/** Kinds with a value that may change behind its reference. */
const SECRET = SECTION_KINDS.filter((kind) => hasSecret(KINDS[kind].fields));

/**
 * True if the next run could repeat this one. False if passwords may change behind their references, or if DNS is
 * verified from time to time.
 */
function isRepeatable(result: RunResult, { desired, observed, now }: SweptAccount): result is CompletedRun {
  if (result.kind === 'failed' || (result.report?.outcome ?? 'unchanged') !== 'unchanged') return false;
  const { changes, guards, withheld, problems, adoptions } = result.plan;
  const notes = result.report?.notes ?? [];
  const due = dueDomains({ desired, observed, prior: NO_PRIOR, now });
  const secret = [...desired.domains.values()].filter(
    (domain) =>
      domain.state === 'present' && SECRET.some((kind) => domain[KINDS[kind].section] !== undefined),
  );
  const open = [changes, guards, withheld, problems, adoptions, notes, due, secret];
  return open.every((list) => list.length === 0);
}
