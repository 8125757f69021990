import type { Client } from '../../api/client.ts';
import { errorText, type ApiError } from '../../api/errors.ts';
import type { ObservedDomains } from '../../api/observe.ts';
import { resolvePasswords } from '../../apply/send/passwords.ts';
import type { StateStore } from '../../state/store.ts';
import type { Clock } from '../../model/clock.ts';
import type { FailedStep, RunResult } from '../../model/daemon.ts';
import type { Desired } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { Policy } from '../../plan/policy.ts';
import type { ManifestSize } from '../../model/prior.ts';
import type { Contest } from './contest.ts';
import { decide, type Decision } from '../decide.ts';
import { holdBack } from './hold.ts';
import { reconcileOnce, type Once, type OncePorts } from '../once.ts';
import { planOnce, type Planned, type PlanRequest } from '../plan-once.ts';

/** An account that can be talked to. */
export interface Access {
  /** The same object for as long as address and key are the same, so that its budgets are kept. */
  readonly client: Client;
  readonly policy: Policy;
  readonly openState: (account: string) => StateStore;
}

export interface RunPorts extends Pick<OncePorts, 'writeSnapshot' | 'resolvePassword'> {
  readonly random: () => number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Address and key as they are now; an error is for people. */
  readonly access: (desired: Desired) => Promise<Result<Access, string>>;
}

export interface RunTask {
  /** The domains that the run is about. */
  readonly desired: Desired;
  readonly manifestSize: ManifestSize;
  /** Whether each domain is asked for by its name, or the list of all is read. */
  readonly listing: 'by-name' | 'all';
  readonly reading?: ObservedDomains | undefined;
  readonly mode: 'apply' | 'observe';
  readonly contest: Contest;
  /** Domains that were in place at the last read. */
  readonly inSync: ReadonlySet<DomainName>;
}

/** Names a run in the log. */
export function createRunId(random: () => number): string {
  return Math.floor(random() * 2 ** 40).toString(36);
}

/** One run over some domains or all: what a guard refuses, cannot be read or is frozen is withheld, the rest goes on. */
export async function runAccount(task: RunTask, ports: RunPorts): Promise<RunResult> {
  const run = await withAccess(task.desired, ports, (access) => attempt(task, { ...ports, ...access }));
  return run.ok ? run.value : { kind: 'failed', ...run.error };
}

/** Why nothing came of an attempt to read the account. */
export interface AccessFault {
  readonly what: FailedStep;
  readonly message: string;
}

/** Talks to the account; a key that is refused may have been rotated since it was read, and is asked for once more. */
export async function withAccess<Value>(
  desired: Desired,
  ports: Pick<RunPorts, 'access'>,
  talk: (access: Access) => Promise<Result<Value, ApiError>>,
): Promise<Result<Value, AccessFault>> {
  const access = await ports.access(desired);
  if (!access.ok) return fail({ what: 'key', message: access.error });
  let said = await talk(access.value);
  if (!said.ok && said.error.kind === 'unauthorised') {
    const again = await ports.access(desired);
    if (again.ok && again.value.client !== access.value.client) said = await talk(again.value);
  }
  if (said.ok) return said;
  return fail({ what: 'read', message: errorText(said.error) });
}

type Attempt = Result<RunResult, ApiError>;

async function attempt(task: RunTask, ports: RunPorts & Access): Promise<Attempt> {
  const request: PlanRequest = {
    desired: task.desired,
    manifestSize: task.manifestSize,
    domains: task.listing === 'by-name' ? [...task.desired.domains.keys()] : undefined,
    reading: task.reading,
    policy: ports.policy,
  };
  return task.mode === 'observe' ? observeOnly(task, request, ports) : applyToo(task, request, ports);
}

async function observeOnly(task: RunTask, request: PlanRequest, ports: RunPorts & Access): Promise<Attempt> {
  const planned = await planOnce(request, ports);
  if (!planned.ok) return planned;
  return succeed({ kind: 'looked', ...(await lookAt(task, planned.value, ports)), report: null });
}

async function applyToo(task: RunTask, request: PlanRequest, ports: RunPorts & Access): Promise<Attempt> {
  let looked: Looked | null = null;
  const once = await reconcileOnce(
    { ...request, maxFailures: null },
    {
      ...ports,
      approve: async (planned) => {
        looked = await lookAt(task, planned, ports);
        return { planned, decision: decideUnattended(looked) };
      },
    },
  );
  return once.kind === 'unread' ? fail(once.error) : succeed(conclude(once, looked));
}

type Looked = Omit<Extract<RunResult, { kind: 'looked' }>, 'kind' | 'report'>;

async function lookAt(
  { desired, contest, inSync }: RunTask,
  { plan, references }: Planned,
  { clock, resolvePassword }: Pick<RunPorts, 'clock' | 'resolvePassword'>,
): Promise<Looked> {
  const frozen = contest.look({
    domains: desired.domains.keys(),
    changes: plan.changes,
    references: desired.references,
    now: clock.monotonic(),
  });
  const drift = plan.changes.filter(({ reason, domain }) => reason === 'drift' || inSync.has(domain));
  const unset: Change[] = [];
  for (const change of plan.changes) {
    const passwords = await resolvePasswords([change], desired, resolvePassword);
    if (!passwords.ok) unset.push(change);
  }
  return { plan, references, frozen: [...frozen], unset, drift };
}

/**
 * A domain whose entries do not fit the account is withheld with its problems, a credential whose password is not set
 * by itself: neither keeps the others from running.
 */
function decideUnattended({ plan: whole, frozen, unset }: Looked): Decision {
  const decision = decide({ ...whole, problems: [] }, 'withhold');
  if (decision.kind !== 'go') return decision;
  const { plan, heldBack } = holdBack(decision.plan, new Set([...frozen, ...unset]));
  return { kind: 'go', plan, heldBack: [...decision.heldBack, ...heldBack] };
}

function conclude(once: Exclude<Once, { kind: 'unread' }>, looked: Looked | null): RunResult {
  switch (once.kind) {
    case 'locked':
      return failed('lock', once.fault.message);
    case 'fault':
      return failed(
        'state',
        once.fault.kind === 'no-snapshot' ? once.fault.message : 'a password is not set',
      );
    case 'not-run':
    case 'applied':
      if (looked === null) throw new Error('a run whose domains were not read');
      return { kind: 'looked', ...looked, report: once.kind === 'applied' ? once.report : null };
  }
}

function failed(what: FailedStep, message: string): RunResult {
  return { kind: 'failed', what, message };
}

/**
 * The changes of a plan that its report does not name as made. What depends on what the service makes of a new domain is
 * settled when that was added: as another change, or none.
 */
export function openChanges({ plan, report }: Extract<RunResult, { kind: 'looked' }>): readonly Change[] {
  if (report === null) return plan.changes;
  const made = new Set(report.applied.map(keyOf));
  const isSettled = ({ conditional, domain }: Change): boolean =>
    conditional && made.has(keyOf({ action: 'add', kind: 'domain', domain, name: domain }));
  return plan.changes.filter((change) => !made.has(keyOf(change)) && !isSettled(change));
}

/** The changes of a plan that its report names as made. */
export function madeChanges({ plan, report }: Extract<RunResult, { kind: 'looked' }>): readonly Change[] {
  const made = new Set(report?.applied.map(keyOf));
  return plan.changes.filter((change) => made.has(keyOf(change)));
}

function keyOf({
  action,
  kind,
  domain,
  name,
}: Pick<Change, 'action' | 'kind' | 'name'> & { readonly domain: string }): string {
  return `${domain}\n${kind}\n${name}\n${action}`;
}
