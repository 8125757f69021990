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
 * Spares an account that is in place the same run at each sweep: where manifest, account and what is remembered of it are as they were
 * at the last two sweeps, which found nothing to do, there is nothing to do now. What was read is not kept, only a digest of it.
 */
export interface RepeatedSweeps {
  /** Gives the result of the last run where this one would repeat it, after `onRepeated`, else that of `run`. */
  unlessRepeated<Fault>(
    sweep: SweptAccount,
    run: () => Promise<Result<RunResult, Fault>>,
    onRepeated: () => void,
  ): Promise<Result<RunResult, Fault>>;
  /** The manifest is another one, or everything is to be planned again. */
  forget(): void;
}

export interface SweptAccount {
  /** Of the manifest since the last `forget`. */
  readonly desired: Desired;
  readonly observed: Observed;
  readonly state: StateStore;
  /** Epoch milliseconds. */
  readonly now: number;
  /** How often the run takes the lock of the state. */
  readonly locks: 0 | 1;
}

interface Found {
  readonly state: StateStore;
  readonly digest: string;
  readonly lockCount: number;
  readonly result: CompletedRun;
  /** The run before it found the same: what this one remembers of it is the same as well. */
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
      // Where somebody else took the lock as well, what is remembered may be another by now.
      const found = { state, digest, lockCount: lockCount + sweep.locks, result: ended.value };
      if (found.lockCount === (await state.lockCount())) last = { ...found, isRepeated: isSame };
      return ended;
    },
    forget() {
      last = null;
    },
  };
}

/** Over what a plan is made from; the day because an allowance ends with one. */
function digestOf({ desired, observed, now }: SweptAccount): string {
  const { domains, unproven, ...rest } = observed;
  const day = new Date(now).toISOString().slice(0, 10);
  const hash = createHash('sha256');
  hash.update(JSON.stringify([day, [...desired.domains.keys()], rest, [...unproven]]));
  for (const domain of domains.values()) hash.update(JSON.stringify({ ...domain, readAt: null }));
  return hash.digest('base64');
}

/** Kinds with something that may change behind its reference. */
const SECRET = SECTION_KINDS.filter((kind) => hasSecret(KINDS[kind].fields));

/** Not where passwords may change behind their references, or DNS is verified now and then. */
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
