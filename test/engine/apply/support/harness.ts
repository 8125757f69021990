import { expect } from 'vitest';
import type { ClientOptions } from '../../../../src/client/create.ts';
import { observe } from '../../../../src/client/observe.ts';
import { applyPlan, type ApplyFault } from '../../../../src/engine/apply/apply.ts';
import type { ApplyPorts, Progress } from '../../../../src/engine/apply/ports.ts';
import type { StateStore } from '../../../../src/engine/state/store.ts';
import type { Dump } from '../../../../src/emulator/account/dump.ts';
import type { JournalEntry } from '../../../../src/emulator/http/journal.ts';
import type { Seed } from '../../../../src/emulator/account/seed.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import type { Desired } from '../../../../src/core/model/desired.ts';
import type { Plan } from '../../../../src/core/model/plan.ts';
import type { ManifestSize } from '../../../../src/core/model/prior.ts';
import type { Report } from '../../../../src/core/model/report.ts';
import type { Result } from '../../../../src/core/model/result.ts';
import { forecast } from '../../../../src/core/plan/requests/forecast.ts';
import { firstRequestsOf } from '../../../../src/core/plan/requests/requests.ts';
import { makePlan, type PlanInput } from '../../../../src/core/plan/plan.ts';
import { allowancesInForce, type Policy } from '../../../../src/core/plan/policy.ts';
import { manifestSize } from '../../../../src/core/plan/size.ts';
import { digestDomains } from '../../../../src/engine/domain-digests.ts';
import { withholdRefused } from '../../../../src/core/plan/withhold.ts';
import { unmanagedPart } from '../../../golden/support/unmanaged.ts';
import { TEST_ORIGIN } from '../../../support/origin.ts';
import { testAccount, type TestAccount, type TestAccountOptions } from '../../../support/account.ts';

/** The file name under which manifests are loaded. */
export const FILE = 'fwdsync.yaml';

export interface Setup extends TestAccountOptions {
  /** Text of the manifest below `version: 1`. */
  readonly manifest: string;
  readonly seed?: Seed;
}

export interface RunOptions {
  /** Manifest that replaces the one of the scene. */
  readonly manifest?: string;
  readonly maxFailures?: number;
  /** The whole manifest, if the run is about a part of it. */
  readonly size?: ManifestSize;
  /** `left` for a plan that runs exactly as approved. */
  readonly newcomers?: 'taken-up' | 'left';
  readonly client?: Partial<ClientOptions>;
  readonly ports?: Partial<ApplyPorts>;
  readonly policy?: Partial<Policy>;
  /** True if refused parts are withheld, as in the daemon. Otherwise the plan is applied as it is. */
  readonly refusals?: 'ignored' | 'withheld';
  /** True if another user changes the account during the run, so that unmanaged items may change. */
  readonly company?: 'alone' | 'others';
  /** Called after planning, before the first write. */
  readonly beforeApply?: () => void | Promise<void>;
}

export interface RunResult {
  readonly plan: Plan;
  readonly report: Report;
  /** Requests of apply only. */
  readonly requests: readonly JournalEntry[];
  readonly writes: readonly JournalEntry[];
  readonly progress: readonly Progress[];
  /** A later plan, without faults. */
  readonly after: Plan;
  readonly end: Dump;
}

export interface Scene {
  readonly account: TestAccount;
  /** Observes, plans and applies. The faults end after it. */
  run(options?: RunOptions): Promise<RunResult>;
  /** Runs a manifest that must write nothing. */
  attempt(options?: RunOptions): Promise<Result<Report, ApplyFault>>;
  plan(options?: RunOptions): Promise<Plan>;
}

/** Opens an emulated account with a manifest for it. Everything is closed and deleted after the test. */
export async function openScene({ manifest, seed, ...options }: Setup): Promise<Scene> {
  const account = await testAccount(seed, options);
  const version = options.version ?? 'v4';
  const prepare = async (run: RunOptions): Promise<Prepared> => {
    const client = account.client({
      ...run.client,
      ...(run.ports?.signal === undefined ? {} : { signal: run.ports.signal }),
    });
    const state = account.state();
    const desired = load(run.manifest ?? manifest, version);
    const { prior } = await state.prior();
    const observed = await observe(client, { desired, clock: account.clock });
    if (!observed.ok) throw new Error(`the account cannot be read: ${observed.error.message}`);
    const policy = policyOf(desired, account.clock.now(), run.policy);
    const api = { url: client.url, version };
    const input = { desired, observed: observed.value, policy, prior, now: account.clock.now(), api };
    return { client, state, input };
  };
  const apply = async (prepared: Prepared, run: RunOptions, progress: Progress[]): Promise<Applied> => {
    const whole = makePlan(prepared.input);
    const plan = run.refusals === 'withheld' ? withholdRefused(whole) : whole;
    const kept = new Set(plan.changes);
    await run.beforeApply?.();
    account.forget();
    const result = await applyPlan(
      {
        ...prepared.input,
        plan,
        requests: firstRequestsOf(plan),
        digest: 'sha256:test',
        heldBack: whole.changes.filter((change) => !kept.has(change)),
        references: prepared.input.desired.references,
        domainDigests: digestDomains(prepared.input.desired),
        manifestSize: run.size ?? manifestSize(prepared.input.desired),
        maxFailures: run.maxFailures ?? null,
        newcomers: run.newcomers,
        origin: TEST_ORIGIN,
        startedAt: prepared.input.now,
        totalsBefore: NO_REQUESTS,
      },
      {
        client: prepared.client,
        state: prepared.state,
        clock: account.clock,
        onProgress: (event) => progress.push(event),
        resolvePassword: (reference) =>
          reference.kind === 'env' ? (PASSWORDS[reference.name] ?? null) : null,
        ...run.ports,
      },
    );
    return { plan, result, requests: account.requests() };
  };
  return {
    account,
    plan: async (run = {}) => makePlan((await prepare(run)).input),
    attempt: async (run = {}) => (await apply(await prepare(run), run, [])).result,
    async run(run = {}) {
      const progress: Progress[] = [];
      const start = account.emulator.store.dump();
      const prepared = await prepare(run);
      const { plan, result, requests } = await apply(prepared, run, progress);
      if (!result.ok) throw new Error(`nothing was written: ${JSON.stringify(result.error)}`);
      account.emulator.faults.clear();
      const end = account.emulator.store.dump();
      const later = await prepare(run.manifest === undefined ? {} : { manifest: run.manifest });
      const after = makePlan(later.input);
      const writes = requests.filter(({ method }) => method !== 'GET');
      const outcome = { plan, report: result.value, requests, writes, progress, after, end };
      checkReport(outcome);
      if (options.faults === undefined && run.beforeApply === undefined) checkForecast(outcome, prepared);
      if (run.company !== 'others') checkUnmanaged(prepared, plan, start, end);
      return outcome;
    },
  };
}

/** One scene with one run. */
export async function runScene(setup: Setup, options: RunOptions = {}): Promise<RunResult> {
  return (await openScene(setup)).run(options);
}

interface Prepared {
  readonly client: ReturnType<TestAccount['client']>;
  readonly state: StateStore;
  readonly input: PlanInput;
}

interface Applied {
  readonly plan: Plan;
  readonly result: Result<Report, ApplyFault>;
  readonly requests: readonly JournalEntry[];
}

/** Opens a client; each run has its own. */
const NO_REQUESTS = { total: 0, retried: 0, rateLimited: 0, waitedSeconds: 0 };

/** Values of `{ env: NAME }` in these tests. */
const PASSWORDS: Readonly<Record<string, string>> = { PASSWORD: 'correct horse', BOSS: 'boss@corp.example' };

export function load(manifest: string, version: 'v4' | 'v3'): Desired {
  const text = `version: 1\n${manifest}`;
  const loaded = loadManifest([{ file: FILE, text: text.endsWith('\n') ? text : `${text}\n` }], {
    references: 'required',
    resolve: (reference) => (reference.kind === 'env' ? (PASSWORDS[reference.name] ?? null) : null),
    apiVersion: version,
  });
  if (loaded.desired === null) throw new Error(`the manifest is invalid: ${JSON.stringify(loaded.problems)}`);
  return loaded.desired;
}

function policyOf(desired: Desired, now: number, policy: Partial<Policy> = {}): Policy {
  return {
    guards: desired.guards,
    allowances: allowancesInForce(desired.guards, now),
    account: null,
    accountRequired: false,
    rotate: [],
    domainDeletes: 'allowed',
    ...policy,
  };
}

/** Checks promise 4, and that the outcome is `converged` only if the next plan is empty. */
function checkReport({ report, plan, after }: RunResult): void {
  const { outcome } = report;
  if (outcome === 'converged' || outcome === 'unchanged') {
    expect(after.changes).toEqual([]);
    expect([report.failed, report.skipped, report.notKept]).toEqual([[], [], []]);
  }
  const reported = new Set(
    [...report.failed, ...report.skipped, ...report.notKept].map(
      ({ kind, domain, name }) => `${kind} ${domain} ${name}`,
    ),
  );
  const planned = new Set(plan.changes.map(({ kind, domain, name }) => `${kind} ${domain} ${name}`));
  const open = after.changes.map(({ kind, domain, name }) => `${kind} ${domain} ${name}`);
  const unreported = open.filter((item) => planned.has(item) && !reported.has(item));
  if (outcome !== 'refused') expect(unreported).toEqual([]);
}

/** Checks promise 3: without faults or other users, a run sends exactly the requests of its forecast. */
function checkForecast({ plan, report, requests, progress }: RunResult, { input, client }: Prepared): void {
  const looks = progress.filter(({ kind }) => kind === 'verifying').length;
  const smooth = requests.every(({ status }) => status !== null && status < 207);
  const certain = plan.changes.every(({ conditional }) => !conditional);
  if (report.outcome !== 'converged' || looks !== 1 || !smooth || !certain) return;
  const options = { version: client.version, batches: 'allowed' } as const;
  const { endpoints } = forecast(firstRequestsOf(plan), {
    ...input,
    ...options,
    budgets: client.budgets(),
    monotonic: 0,
    reading: { requests: 0, seconds: 0 },
    latency: null,
  });
  const sent = Map.groupBy(requests, ({ method, endpoint }) => `${method} ${endpoint}`);
  const counts = Object.fromEntries([...sent].map(([endpoint, list]) => [endpoint, list.length]));
  expect(counts).toEqual(
    Object.fromEntries(endpoints.map(({ endpoint, requests: count }) => [endpoint, count])),
  );
}

/** Checks that unmanaged items are byte for byte the same, including ids and times. */
function checkUnmanaged({ input }: Prepared, plan: Plan, start: Dump, end: Dump): void {
  const ids = new Set(plan.changes.flatMap(({ kind, id }) => (kind === 'rule' && id !== null ? [id] : [])));
  const before = unmanagedPart(start, input.desired, ids);
  const gone = new Set(
    plan.changes.flatMap(({ kind, action, domain }) =>
      kind === 'domain' && action === 'add' ? [domain as string] : [],
    ),
  );
  const known = { ...end, domains: end.domains.filter(({ domain }) => !gone.has(domain)) };
  expect(JSON.stringify(unmanagedPart(known, input.desired, ids))).toBe(JSON.stringify(before));
}
