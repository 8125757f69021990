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

/** What is wanted of an account, and how. */
export interface PlanRequest {
  /** The manifest, or the domains of it that the run is about. */
  readonly desired: Desired;
  /** Of the whole manifest. */
  readonly manifestSize: ManifestSize;
  readonly manifestKind?: PlanInput['manifestKind'];
  /** Only these domains are read; absent: the whole list of the account's domains. */
  readonly domains?: readonly DomainName[] | undefined;
  /** `pending`: without the domains that an earlier run left in sync as they are desired now. */
  readonly scope?: 'all' | 'pending' | undefined;
  /** What a sweep read already; of it only the account and the domains that would be changed are read again. */
  readonly observed?: Observed | undefined;
  readonly policy: Policy;
  /** What else is shown as a reference. */
  readonly concealed?: References | undefined;
  /** What an undo or a snapshot wants depends on what the account and the references have by now. */
  readonly resolveDesired?: ((read: ResolveDesiredInput) => Promise<ResolvedDesired>) | undefined;
}

export interface ResolveDesiredInput {
  readonly observed: Observed;
  readonly prior: Prior;
  readonly state: StateStore;
  readonly resolvePassword: ResolvePassword;
}

/** What is wanted after all. */
export interface ResolvedDesired {
  readonly desired: Desired;
  /** What is not wanted, with the reason. */
  readonly leftAlone: readonly SkippedItem[];
  /** Facts worth knowing of what is wanted. */
  readonly notes: readonly string[];
}

export interface PlanPorts {
  readonly client: Client;
  readonly clock: Clock;
  /** What earlier runs of this account left behind. */
  readonly openState: (account: string) => StateStore;
  /** Passwords are looked up to see whether they changed; none goes into the plan. */
  readonly resolvePassword: ResolvePassword;
  /** Of domains that scope `pending` leaves out: those that are to be read nevertheless. */
  readonly findDrift?: ((question: DriftQuestion) => Promise<ReadonlySet<DomainName>>) | undefined;
}

/** A plan with all that it was made from. */
export interface Planned {
  readonly request: PlanRequest;
  readonly input: PlanInput;
  readonly plan: Plan;
  /**
   * What is shown as a reference, normalised value -> how: values of the manifest, and those in the account or written out that
   * came from a reference in an earlier run.
   */
  readonly references: References;
  /** `none`: what came from references in earlier runs is not remembered here. */
  readonly memory: 'some' | 'none';
  /** What of the state directory could not be read. */
  readonly warnings: readonly Warning[];
  /** What the request was about and the plan is not, and facts about it; see `ResolvedDesired`. */
  readonly leftAlone: readonly SkippedItem[];
  readonly notes: readonly string[];
}

/** Observes the account and plans; sends nothing but GET. */
export async function planOnce(request: PlanRequest, ports: PlanPorts): Promise<Result<Planned, ApiError>> {
  const account = await readAccount(request, ports.client);
  if (!account.ok) return account;
  const state = ports.openState(account.value.email);
  return planAccount(request, { ...ports, account: account.value, state });
}

/** The account, as a sweep read it where there was one. */
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

/** The same where the account was read and its state directory opened before. */
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

/** Every destination that the account has or the manifest asks for, some of them more than once. */
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

/** Those of which the same is desired as an earlier run left in sync are left out, their passwords included. */
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

/** Reads again what a plan would change, and the account with its limits: the sweep read them before the lock was taken. */
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

/** The same account planned again under another policy, without another read. */
export function planWith(planned: Planned, policy: Policy): Planned {
  const input = { ...planned.input, policy };
  return { ...planned, request: { ...planned.request, policy }, input, plan: makePlan(input) };
}
