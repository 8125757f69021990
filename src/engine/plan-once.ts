import type { Client } from '../client/client.ts';
import type { ApiError } from '../client/errors.ts';
import { observe, observeDomains } from '../client/observe.ts';
import type { ResolvePassword } from './apply/send/passwords.ts';
import type { StateStore } from './state/store.ts';
import { decodeForward, type Destination, type References } from '../core/model/destinations.ts';
import type { Clock } from '../core/model/clock.ts';
import { type Desired, presentEntries } from '../core/model/desired.ts';
import { type DomainName, domainPartOf } from '../core/model/names.ts';
import type { Account, Observed } from '../core/model/observed.ts';
import type { Plan, Warning } from '../core/model/plan.ts';
import type { ManifestSize, Prior } from '../core/model/prior.ts';
import type { SkippedItem } from '../core/model/report.ts';
import { succeed, type Result } from '../core/model/result.ts';
import { makePlan, type PlanInput } from '../core/plan/plan.ts';
import type { Policy } from '../core/plan/policy.ts';
import { keepDomains, pendingDomains } from './domain-digests.ts';
import { planWithForwards } from './plan-with-forwards.ts';
import { findChangedPasswords } from './changed-passwords.ts';
import type { DriftQuestion } from './quick-drift.ts';
import { destinationsOf } from '../core/fields/fields.ts';
import { managedState, SETTINGS } from '../core/kinds/domain/fields.ts';
import { SECTION_KINDS, KINDS } from '../core/kinds/registry.ts';

/** A request for a plan of an account. */
export interface PlanRequest {
  /** The manifest, or the domains of it that the run covers. */
  readonly desired: Desired;
  /** Size of the whole manifest. */
  readonly manifestSize: ManifestSize;
  readonly manifestKind?: PlanInput['manifestKind'];
  /** Domains to read. If absent, all domains of the account are listed and read. */
  readonly domains?: readonly DomainName[] | undefined;
  /** `pending` leaves out the domains that an earlier run left in sync with their current desired state. */
  readonly scope?: 'all' | 'pending' | undefined;
  /** Account as a sweep has read it. Only the account itself and the domains that would change are read again. */
  readonly observed?: Observed | undefined;
  readonly policy: Policy;
  /** More values to show as references. */
  readonly concealed?: References | undefined;
  /** Computes the desired state of an undo or a snapshot from the current account and references. */
  readonly resolveDesired?: ((read: ResolveDesiredInput) => Promise<ResolvedDesired>) | undefined;
}

export interface ResolveDesiredInput {
  readonly observed: Observed;
  readonly prior: Prior;
  readonly state: StateStore;
  readonly resolvePassword: ResolvePassword;
}

/** Desired state after it was resolved against the account. */
export interface ResolvedDesired {
  readonly desired: Desired;
  /** Items that the request leaves unchanged, with the reason. */
  readonly leftAlone: readonly SkippedItem[];
  /** Facts about the desired state, for the reader. */
  readonly notes: readonly string[];
}

export interface PlanPorts {
  readonly client: Client;
  readonly clock: Clock;
  /** Opens the state that earlier runs of this account left behind. */
  readonly openState: (account: string) => StateStore;
  /** Looks up passwords to see whether they changed. No password goes into the plan. */
  readonly resolvePassword: ResolvePassword;
  /** Returns the domains that must be read although scope `pending` leaves them out. */
  readonly findDrift?: ((question: DriftQuestion) => Promise<ReadonlySet<DomainName>>) | undefined;
}

/** A plan with everything that it was made from. */
export interface Planned {
  readonly request: PlanRequest;
  readonly input: PlanInput;
  readonly plan: Plan;
  /**
   * Values to show as references, by normalised value: values of the manifest, and values that came from a reference
   * in an earlier run.
   */
  readonly references: References;
  /** `none` means that this state does not remember which values came from references. */
  readonly memory: 'some' | 'none';
  /** Warnings about parts of the state directory that could not be read. */
  readonly warnings: readonly Warning[];
  /** Items of the request that are not in the plan, and facts about it; see `ResolvedDesired`. */
  readonly leftAlone: readonly SkippedItem[];
  readonly notes: readonly string[];
}

/** Observes the account and plans. Sends only GET requests. */
export async function planOnce(request: PlanRequest, ports: PlanPorts): Promise<Result<Planned, ApiError>> {
  const account = await readAccount(request, ports.client);
  if (!account.ok) return account;
  const state = ports.openState(account.value.email);
  return planAccount(request, { ...ports, account: account.value, state });
}

/** Reads the account, or takes it from the sweep that has just read it. */
export async function readAccount(
  { observed }: Pick<PlanRequest, 'observed'>,
  client: Client,
): Promise<Result<Account, ApiError>> {
  return observed === undefined ? client.getAccount() : succeed(observed.account);
}

function shownReferences(
  { concealed = new Map() }: PlanRequest,
  desired: Desired,
  earlier: References = new Map(),
): References {
  return new Map([...concealed, ...earlier, ...desired.references]);
}

/** Plans an account that was read before, with its state directory already open. */
export async function planAccount(
  whole: PlanRequest,
  {
    client,
    clock,
    account,
    state,
    resolvePassword,
    findDrift,
  }: PlanPorts & { readonly account: Account; readonly state: StateStore },
): Promise<Result<Planned, ApiError>> {
  const { prior, warnings } = await state.prior();
  const api = { url: client.url, version: client.version };
  const changedPasswords = await findChangedPasswords(whole.desired, prior, { state, resolvePassword });
  const { policy, manifestSize, manifestKind } = whole;
  const fixed = { policy, prior, api, manifestSize, manifestKind, changedPasswords };
  const question = { ...fixed, desired: whole.desired, now: clock.now(), account };
  const request =
    whole.scope === 'pending' ? await pendingPart(whole, client, { question, findDrift }) : whole;
  const { domains, observed: swept } = request;
  const inputOf = (observed: Observed, desired = request.desired): PlanInput => {
    return { ...fixed, desired, observed, now: clock.now() };
  };
  const observed =
    swept === undefined
      ? await observe(client, { desired: request.desired, domains, account, clock })
      : await reread(inputOf(swept), { client, clock });
  if (!observed.ok) return observed;
  const read = { observed: observed.value, prior, state, resolvePassword };
  const resolved = (await request.resolveDesired?.(read)) ?? AS_ASKED;
  const { desired = request.desired, leftAlone, notes } = resolved;
  const planned = await planWithForwards(inputOf(observed.value, desired), { client, clock });
  if (!planned.ok) return planned;
  const { input, plan } = planned.value;
  const shown = await findReferences(whole, input, state);
  return succeed({ request, input, plan, ...shown, warnings, leftAlone, notes });
}

async function findReferences(
  whole: PlanRequest,
  { observed, desired }: PlanInput,
  state: StateStore,
): Promise<Pick<Planned, 'references' | 'memory'>> {
  const recognise = await state.openReferences();
  return {
    references: shownReferences(whole, desired, recognise?.(destinationsIn(observed, desired))),
    memory: recognise === null ? 'none' : 'some',
  };
}

const AS_ASKED: Partial<ResolvedDesired> & Omit<ResolvedDesired, 'desired'> = { leftAlone: [], notes: [] };

/** Yields every destination that the account has or the manifest asks for. Some of them come more than once. */
function* destinationsIn({ domains: live }: Observed, { domains: wanted }: Desired): Generator<Destination> {
  for (const domain of live.values()) {
    yield* destinationsOf(SETTINGS, [domain]);
    yield* decodeForward(domain.rulesFallbackEmail ?? '');
    for (const kind of SECTION_KINDS)
      yield* destinationsOf(KINDS[kind].fields, domain[KINDS[kind].section] ?? []);
  }
  for (const domain of wanted.values()) {
    if (domain.state === 'absent') continue;
    yield* destinationsOf(SETTINGS, [managedState(domain)]);
    for (const kind of SECTION_KINDS) {
      yield* destinationsOf(KINDS[kind].fields, presentEntries(domain[KINDS[kind].section]));
    }
  }
}

/** Leaves out the domains, with their passwords, that an earlier run left in sync with the same desired state. */
async function pendingPart(
  request: PlanRequest,
  { hmac }: Client,
  { question, findDrift }: Pick<PlanPorts, 'findDrift'> & { readonly question: DriftQuestion },
): Promise<PlanRequest> {
  const { prior, changedPasswords = [] } = question;
  const pending = new Set<string>(pendingDomains(request.desired, prior, hmac));
  for (const item of changedPasswords) pending.add(domainPartOf(item));
  for (const { domain } of request.policy.rotate) pending.add(domain);
  const skipped = keepDomains(request.desired, (name) => !pending.has(name));
  for (const domain of (await findDrift?.({ ...question, desired: skipped })) ?? []) pending.add(domain);
  const desired = keepDomains(request.desired, (name) => pending.has(name));
  return { ...request, desired, domains: [...desired.domains.keys()] };
}

/**
 * Reads the account, its limits and the domains that a plan would change again. The sweep read them before the lock
 * was taken.
 */
async function reread(
  input: PlanInput,
  { client, clock }: Pick<PlanPorts, 'client' | 'clock'>,
): Promise<Result<Observed, ApiError>> {
  const { desired, observed } = input;
  const stale = [...new Set(makePlan(input).changes.map(({ domain }) => domain))];
  if (stale.length === 0) return succeed(observed);
  const [account, again] = await Promise.all([
    client.getAccount(),
    observeDomains(client, stale, { desired, clock }),
  ]);
  if (!account.ok) return account;
  if (!again.ok) return again;
  const domains = new Map(observed.domains);
  const unproven = new Map(observed.unproven);
  for (const name of stale) {
    domains.delete(name);
    unproven.delete(name);
  }
  for (const [name, domain] of again.value.domains) domains.set(name, domain);
  for (const [name, reason] of again.value.unproven) unproven.set(name, reason);
  return succeed({ ...observed, account: account.value, domains, unproven });
}

/** Plans the same account under another policy, without another read. */
export function planWith(planned: Planned, policy: Policy): Planned {
  const input = { ...planned.input, policy };
  return { ...planned, request: { ...planned.request, policy }, input, plan: makePlan(input) };
}
