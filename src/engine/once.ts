import { applyPlan, type ApplyFault } from './apply/apply.ts';
import type { ApplyInput, ApplyPorts } from './apply/ports.ts';
import type { LockFault, StateStore } from './state/store.ts';
import type { ApiError } from '../client/errors.ts';
import type { DomainName } from '../core/model/names.ts';
import type { Report } from '../core/model/report.ts';
import type { Result } from '../core/model/result.ts';
import { approvalDigest } from '../core/plan/document/digest.ts';
import { keyedDigests } from './domain-digests.ts';
import { createDriftLog, driftOf, type DriftLog } from './drift-log.ts';
import type { Decision } from './decide.ts';
import {
  planAccount,
  planOnce,
  readAccount,
  type Planned,
  type PlanPorts,
  type PlanRequest,
} from './plan-once.ts';

export interface OnceRequest extends PlanRequest {
  /** Number of failed items after which the run stops. null means 25, or 5 % of all items if that is more. */
  readonly maxFailures: number | null;
  /** Domains that were in sync at the last read. A difference in one of them was made outside fwdsync. */
  readonly inSync?: ReadonlySet<DomainName>;
  /** The person or program that started the run, for the history. */
  readonly origin: ApplyInput['origin'];
  /** `left` if the plan was approved exactly as shown; see `ApplyInput`. */
  readonly newcomers?: ApplyInput['newcomers'];
}

export interface OncePorts extends PlanPorts, Omit<ApplyPorts, 'state' | 'objection'> {
  /** Drift log of the account, shared by all runs of one process. If absent, the run creates one. */
  readonly driftLog?: DriftLog;
  /** Shows the plan, prompts if it can, and decides which changes run. */
  readonly approve: (planned: Planned) => Promise<Approved>;
}

/**
 * The decision and the plan that it is about. An answer to a prompt may have allowed more than the first plan did.
 */
export interface Approved {
  readonly decision: Decision;
  readonly planned: Planned;
  /** Time that a person took to answer the prompt, in milliseconds. Absent if there was no prompt. */
  readonly askedMs?: number;
}

/** Result of one run. Only `applied` may have written to the account. */
export type Once =
  | { readonly kind: 'unread'; readonly error: ApiError }
  | { readonly kind: 'locked'; readonly fault: LockFault }
  | {
      readonly kind: 'not-run';
      readonly decision: Exclude<Decision, { kind: 'go' }>;
      readonly planned: Planned;
    }
  | { readonly kind: 'fault'; readonly fault: ApplyFault; readonly planned: Planned }
  | { readonly kind: 'applied'; readonly report: Report; readonly planned: Planned };

/** Runs the whole algorithm: lock, remember, observe, plan, decide, apply. */
export async function reconcileOnce(request: OnceRequest, ports: OncePorts): Promise<Once> {
  const { client, clock } = ports;
  const startedAt = clock.now();
  const totalsBefore = client.totals();
  const account = await readAccount(request, client);
  if (!account.ok) return { kind: 'unread', error: account.error };
  const state = ports.openState(account.value.email);
  const lock = await state.lock();
  if (!lock.ok) return { kind: 'locked', fault: lock.error };
  try {
    const read = await planAccount(request, { ...ports, account: account.value, state });
    if (!read.ok) return { kind: 'unread', error: read.error };
    const driftLog = await logDrift(read.value, state, { ...request, ...ports });
    const { decision, planned, askedMs } = await ports.approve(read.value);
    if (decision.kind !== 'go') return { kind: 'not-run', decision, planned };
    // The answer to a prompt may have taken long enough to lose the lock.
    const lost = await lock.value.lost();
    if (lost !== null) return { kind: 'locked', fault: lost };
    const { plan, heldBack, requests } = decision;
    const { maxFailures, manifestSize, newcomers, origin } = request;
    const digest = approvalDigest(planned, client.hmac);
    const applied = await applyPlan(
      {
        ...planned.input,
        plan,
        digest,
        heldBack,
        requests,
        references: planned.references,
        domainDigests: keyedDigests(planned.input.desired, client.hmac),
        manifestSize,
        maxFailures,
        newcomers,
        origin,
        leftAlone: planned.leftAlone,
        notes: planned.notes,
        startedAt,
        askedMs,
        totalsBefore,
      },
      { ...ports, state, objection: async () => (await lock.value.lost())?.message ?? null },
    );
    if (!applied.ok) return { kind: 'fault', fault: applied.error, planned };
    await driftLog.corrected(state, { id: origin.run, report: applied.value });
    return { kind: 'applied', report: applied.value, planned };
  } finally {
    await lock.value.release();
  }
}

/** Reads, plans and records drift in observe mode. Writes nothing to the account. */
export async function observeOnce(
  request: PlanRequest & Pick<OnceRequest, 'inSync'>,
  ports: PlanPorts & Pick<OncePorts, 'driftLog'>,
): Promise<Result<Planned, ApiError>> {
  const planned = await planOnce(request, ports);
  if (!planned.ok) return planned;
  const state = ports.openState(planned.value.input.observed.account.email);
  await logDrift(planned.value, state, { ...request, ...ports });
  return planned;
}

async function logDrift(
  planned: Planned,
  state: StateStore,
  {
    driftLog = createDriftLog(),
    inSync = NO_DOMAINS,
  }: Pick<OncePorts, 'driftLog'> & Pick<OnceRequest, 'inSync'>,
): Promise<DriftLog> {
  // An undo or a snapshot does not say what was applied, so its plan shows no drift.
  if (planned.request.manifestKind === 'generated') return driftLog;
  await driftLog.found(state, planned, driftOf(planned.plan, inSync));
  return driftLog;
}

const NO_DOMAINS: ReadonlySet<DomainName> = new Set();
