import type { Client } from '../../client/client.ts';
import { errorText, type ApiError } from '../../client/errors.ts';
import { resolvePasswords } from '../../engine/apply/send/passwords.ts';
import type { StateStore } from '../../engine/state/store.ts';
import type { Clock } from '../../core/model/clock.ts';
import type { CompletedRun, FailedStep, RunResult } from '../../core/model/status/daemon.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { RunOrigin } from '../../core/model/history/entries.ts';
import type { Change, Plan } from '../../core/model/plan.ts';
import { itemKey } from '../../core/kinds/item-key.ts';
import { KINDS } from '../../core/kinds/registry.ts';
import { liveEngineOf, type LiveEngine, type Observed } from '../../core/model/observed.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import type { Policy } from '../../core/plan/policy.ts';
import { unnamedEntries } from '../../core/plan/unnamed.ts';
import type { ManifestSize } from '../../core/model/prior.ts';
import { decide, goAhead, type Decision } from '../../engine/decide.ts';
import { keepDomains, pendingDomains } from '../../engine/domain-digests.ts';
import { driftOf, type DriftLog } from '../../engine/drift-log.ts';
import type { FlapDetector } from './flap-detector.ts';
import type { ReceivingWatch } from './receiving.ts';
import type { RepeatedSweeps } from './repeated-sweep.ts';
import { observeOnce, reconcileOnce, type Once, type OncePorts } from '../../engine/once.ts';
import type { Planned, PlanRequest } from '../../engine/plan-once.ts';

/** Access to an account. */
export interface Access {
  /**
   * Client of the account. It is the same object while address and key stay the same, so that its budgets are kept.
   */
  readonly client: Client;
  /** Client of v3, to check domains without reading them in full. If absent, all domains are read in full. */
  readonly drift?: Client | undefined;
  readonly policy: Policy;
  readonly openState: (account: string) => StateStore;
}

export interface RunPorts extends Pick<OncePorts, 'resolvePassword' | 'readCommit'> {
  readonly origin: Omit<RunOrigin, 'run'>;
  readonly driftLog: DriftLog;
  readonly random: () => number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Returns the current address and key. An error is for people. */
  readonly access: (desired: Desired) => Promise<Result<Access, string>>;
}

/** A sweep's read, and the client that made it. */
export interface Swept {
  readonly observed: Observed;
  readonly client: Client;
}

export interface RunTask {
  /** Id of the run. */
  readonly run: string;
  /** The domains that the run covers. */
  readonly desired: Desired;
  readonly manifestSize: ManifestSize;
  /** The way to find domains: each by its name, or all from the list. */
  readonly listing: 'by-name' | 'all';
  /** Set if the manifest is a snapshot that an earlier run wrote. */
  readonly snapshot?: Pick<PlanRequest, 'manifestKind' | 'resolveDesired'> | undefined;
  /** A sweep's read, used if address and key are the same as then. */
  readonly swept?: Swept | undefined;
  readonly mode: 'apply' | 'observe';
  readonly flaps: FlapDetector;
  readonly repeated: RepeatedSweeps;
  readonly receiving: ReceivingWatch;
  /** Domains that were in sync at the last read. */
  readonly inSync: ReadonlySet<DomainName>;
}

/**
 * Runs some domains, or all. Changes that a guard refuses, that cannot be read or that are frozen are withheld; the
 * rest goes on. Never rejects.
 */
export async function runAccount(task: RunTask, ports: RunPorts): Promise<RunResult> {
  try {
    const run = await withAccess(task.desired, ports, (access) => runOnce(task, { ...ports, ...access }));
    return run.ok ? run.value : { kind: 'failed', ...run.error };
  } catch (error) {
    return { kind: 'failed', ...internalFault(error) };
  }
}

/** Error that kept the account from being read. */
export interface AccessFault {
  readonly what: FailedStep;
  /** Kind of the error. Absent if there is only one kind. */
  readonly code?: string;
  readonly message: string;
}

/** Returns the fault for a bug, which must not end the daemon. */
export function internalFault(error: unknown): AccessFault {
  return {
    what: 'internal',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** Calls the account. A refused key may have been rotated since it was read, so it is read once more. */
export async function withAccess<Value>(
  desired: Desired,
  ports: Pick<RunPorts, 'access'>,
  call: (access: Access) => Promise<Result<Value, ApiError>>,
): Promise<Result<Value, AccessFault>> {
  const access = await ports.access(desired);
  if (!access.ok) return fail({ what: 'key', message: access.error });
  let answer = await call(access.value);
  if (!answer.ok && answer.error.kind === 'unauthorised') {
    const again = await ports.access(desired);
    if (again.ok && again.value.client !== access.value.client) answer = await call(again.value);
  }
  if (answer.ok) return answer;
  const what = answer.error.kind === 'unauthorised' ? 'unauthorised' : 'read';
  return fail({ what, code: answer.error.kind, message: errorText(answer.error) });
}

/**
 * Returns the domains that no earlier run left in sync with their current desired state. Returns none if no run is
 * remembered.
 */
export async function pendingSinceLastRun(
  desired: Desired,
  ports: Pick<RunPorts, 'access'>,
): Promise<readonly DomainName[]> {
  const access = await ports.access(desired);
  if (!access.ok) return [];
  const { client, openState } = access.value;
  const account = await client.getAccount();
  if (!account.ok) return [];
  const { prior } = await openState(account.value.email).prior();
  if (prior.domains.size === 0) return [];
  const present = keepDomains(desired, (name) => desired.domains.get(name)?.state === 'present');
  return pendingDomains(present, prior, client.hmac);
}

async function runOnce(task: RunTask, ports: RunPorts & Access): Promise<Result<RunResult, ApiError>> {
  const { desired, mode, flaps } = task;
  const request: PlanRequest = {
    ...task.snapshot,
    desired,
    manifestSize: task.manifestSize,
    domains: task.listing === 'by-name' ? [...desired.domains.keys()] : undefined,
    observed: task.swept?.client === ports.client ? task.swept.observed : undefined,
    policy: ports.policy,
  };
  const { observed } = request;
  if (observed === undefined) return planAndApply(task, request, ports);
  const { clock, openState } = ports;
  const state = openState(observed.account.email);
  await task.receiving.read(observed, state);
  const locks = mode === 'apply' ? 1 : 0;
  const read = { domains: desired.domains.keys(), changes: [], references: desired.references };
  return task.repeated.unlessRepeated(
    { desired, observed, state, now: clock.now(), locks },
    () => planAndApply(task, request, ports),
    () => flaps.record({ ...read, now: clock.now() }),
  );
}

async function planAndApply(
  task: RunTask,
  request: PlanRequest,
  ports: RunPorts & Access,
): Promise<Result<RunResult, ApiError>> {
  if (task.mode === 'observe') {
    const planned = await observeOnce({ ...request, inSync: task.inSync }, ports);
    if (!planned.ok) return planned;
    return succeed({ kind: 'completed', ...(await review(task, planned.value, ports)), report: null });
  }
  let reviewed: Review | null = null;
  const approve: OncePorts['approve'] = async (planned) => {
    reviewed = await review(task, planned, ports);
    return { planned, decision: decideUnattended(reviewed) };
  };
  const origin = { ...ports.origin, run: task.run };
  const once = await reconcileOnce(
    { ...request, origin, inSync: task.inSync, maxFailures: null },
    { ...ports, approve },
  );
  return once.kind === 'unread' ? fail(once.error) : succeed(resultOf(once, reviewed));
}

/** Review of a plan, for the log, the metrics and `/status`. */
type Review = Omit<CompletedRun, 'kind' | 'report'>;

async function review(
  { desired, flaps, inSync, receiving }: RunTask,
  { request, plan, references, input }: Planned,
  { clock, resolvePassword, openState }: Pick<RunPorts & Access, 'clock' | 'resolvePassword' | 'openState'>,
): Promise<Review> {
  const { observed } = input;
  // The list of a sweep was compared before.
  if (request.observed === undefined) await receiving.read(observed, openState(observed.account.email));
  const frozen = flaps.record({
    domains: desired.domains.keys(),
    changes: plan.changes,
    references: desired.references,
    now: clock.now(),
  });
  const drift = driftOf(plan, inSync);
  const { missing } = await resolvePasswords(plan.changes, desired, resolvePassword);
  const engines = new Map<string, LiveEngine>();
  for (const [name, live] of observed.domains) engines.set(name, liveEngineOf(live));
  const unnamed = unnamedEntries(input, plan);
  return { plan, references, frozen: [...frozen], unset: [...missing.keys()], drift, engines, unnamed };
}

/**
 * Decides without a person. Changes that a guard refuses, that cannot be read or that are frozen are withheld; the
 * rest goes on.
 */
function decideUnattended({ plan: whole, frozen }: Review): Decision {
  const decision = decide(whole, 'withhold');
  if (decision.kind !== 'go' || frozen.length === 0) return decision;
  const { plan, heldBack } = withholdChanges(decision.plan, new Set(frozen));
  return goAhead(plan, [...decision.heldBack, ...heldBack]);
}

/**
 * Removes changes from a plan, together with the changes that depend on them: the rules of a domain form one order,
 * stage 2 removes routes that stage 1 replaces, and some changes wait for others.
 */
export function withholdChanges(
  plan: Plan,
  withheld: ReadonlySet<Change>,
): { readonly plan: Plan; readonly heldBack: readonly Change[] } {
  const ordered = new Set<string>();
  const stageTwo = new Set<DomainName>();
  for (const { kind, domain } of withheld) {
    if (KINDS[kind].entries === 'list') ordered.add(`${kind} ${domain}`);
    if (KINDS[kind].routesMail) stageTwo.add(domain);
  }
  const isHeldBack = (change: Change): boolean =>
    withheld.has(change) ||
    ordered.has(`${change.kind} ${change.domain}`) ||
    (KINDS[change.kind].routesMail && change.stage === 2 && stageTwo.has(change.domain));
  const heldBack = withWaiting(plan, plan.changes.filter(isHeldBack));
  const [held = [], kept = []] = [true, false].map((is) =>
    plan.changes.filter((change) => heldBack.has(change) === is),
  );
  return { plan: { ...plan, changes: kept }, heldBack: held };
}

/** Adds the changes that wait for some of these, directly or through other changes. */
function withWaiting({ changes, waits }: Plan, some: readonly Change[]): ReadonlySet<Change> {
  const all = new Set(some);
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const change of changes) {
      const firsts = waits.get(itemKey(change))?.keys() ?? [];
      if (Iterator.from(firsts).some((first) => all.has(first))) all.add(change);
    }
  }
  return all;
}

function resultOf(once: Exclude<Once, { kind: 'unread' }>, reviewed: Review | null): RunResult {
  switch (once.kind) {
    case 'locked':
      return { kind: 'failed', what: 'lock', code: once.fault.kind, message: once.fault.message };
    case 'fault':
      return { kind: 'failed', what: 'state', message: once.fault.message };
    case 'not-run':
    case 'applied':
      if (reviewed === null) throw new Error('a run whose domains were not read');
      return { kind: 'completed', ...reviewed, report: once.kind === 'applied' ? once.report : null };
  }
}
