import type { Client } from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';
import { observe } from '../api/observe.ts';
import type { StateStore } from '../apply/state-store.ts';
import type { Clock } from '../model/clock.ts';
import type { Desired, Reference } from '../model/desired.ts';
import type { DomainName } from '../model/names.ts';
import type { Account } from '../model/observed.ts';
import type { Plan, Warning } from '../model/plan.ts';
import { succeed, type Result } from '../model/result.ts';
import { makePlan, type PlanInput } from '../plan/plan.ts';
import type { Policy } from '../plan/policy.ts';
import type { ManifestSize } from '../plan/size.ts';
import { findChangedPasswords } from './changed-passwords.ts';

/** What is wanted of an account, and how. */
export interface PlanRequest {
  /** The manifest, or the domains of it that the run is about. */
  readonly desired: Desired;
  /** Of the whole manifest. */
  readonly manifestSize: ManifestSize;
  /** Only these domains are looked at; absent: the whole list of the account's domains. */
  readonly domains?: readonly DomainName[] | undefined;
  readonly policy: Policy;
}

export interface PlanPorts {
  readonly client: Client;
  readonly clock: Clock;
  /** What earlier runs of this account left behind. */
  readonly openState: (account: string) => StateStore;
  /** Null: not set. Passwords are looked up to see whether they changed; none goes into the plan. */
  readonly resolvePassword: (reference: Reference) => string | null;
  readonly onRead?: ((done: number, total: number) => void) | undefined;
}

/** A plan with all that it was made from. */
export interface Planned {
  readonly request: PlanRequest;
  readonly input: PlanInput;
  readonly plan: Plan;
  /** What of the state directory could not be read. */
  readonly warnings: readonly Warning[];
}

/** Observes the account and plans; sends nothing but GET. */
export async function planOnce(request: PlanRequest, ports: PlanPorts): Promise<Result<Planned, ApiError>> {
  const account = await ports.client.getAccount();
  if (!account.ok) return account;
  const state = ports.openState(account.value.email);
  return planAccount(request, { ...ports, account: account.value, state });
}

/** The same where the account was read and its state directory opened before. */
export async function planAccount(
  request: PlanRequest,
  {
    client,
    clock,
    account,
    state,
    onRead,
    resolvePassword,
  }: PlanPorts & { readonly account: Account; readonly state: StateStore },
): Promise<Result<Planned, ApiError>> {
  const { desired, domains, policy, manifestSize } = request;
  const { prior, warnings } = await state.prior(desired.files);
  const observed = await observe(client, { desired, domains, account, clock, onProgress: onRead });
  if (!observed.ok) return observed;
  const api = { url: client.url, version: client.version };
  const changedPasswords = await findChangedPasswords(desired, prior, { state, resolvePassword });
  const input = {
    desired,
    observed: observed.value,
    policy,
    prior,
    now: clock.now(),
    api,
    manifestSize,
    changedPasswords,
  };
  return succeed({ request, input, plan: makePlan(input), warnings });
}

/** The same account planned again under another policy, without a new reading. */
export function planWith(planned: Planned, policy: Policy): Planned {
  const input = { ...planned.input, policy };
  return { ...planned, request: { ...planned.request, policy }, input, plan: makePlan(input) };
}
