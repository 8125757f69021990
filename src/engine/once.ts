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
  /** So many failed items end the run; null: 25 or 5 % of the items, the larger. */
  readonly maxFailures: number | null;
  /** Domains that were in sync at the last read: what differs there was changed outside fwdsync. */
  readonly inSync?: ReadonlySet<DomainName>;
  /** Who asks for it, for the history. */
  readonly origin: ApplyInput['origin'];
  /** `left` where the plan was approved as it is; see `ApplyInput`. */
  readonly newcomers?: ApplyInput['newcomers'];
}

export interface OncePorts extends PlanPorts, Omit<ApplyPorts, 'state' | 'objection'> {
  /** Of the account, where one process makes many runs; absent: one is made. */
  readonly driftLog?: DriftLog;
  /** Shows the plan, prompts where it can, and decides what of it runs. */
  readonly approve: (planned: Planned) => Promise<Approved>;
}

/** The decision, and the plan that it is about: an answer to a prompt may have allowed more. */
export interface Approved {
  readonly decision: Decision;
  readonly planned: Planned;
  /** Time that a person took to answer, milliseconds; absent where nobody was asked. */
  readonly askedMs?: number;
}

/** How one run ended; nothing was written unless it is `applied`. */
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

/** The whole algorithm: lock, remember, observe, plan, decide, apply. */
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
    // Somebody may have taken their time to answer.
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

/** The same in observe mode: reads, plans and records drift, and writes nothing to the account. */
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
  // An undo or a snapshot says nothing of what was applied, and so nothing of drift from it.
  if (planned.request.manifestKind === 'generated') return driftLog;
  await driftLog.found(state, planned, driftOf(planned.plan, inSync));
  return driftLog;
}

const NO_DOMAINS: ReadonlySet<DomainName> = new Set();
