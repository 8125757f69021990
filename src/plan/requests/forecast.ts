import { knownWindow, type Budget } from '../../rate-limit/budget.ts';
import { endpointName, type ApiVersion } from '../../model/endpoints.ts';
import type { Observed } from '../../model/observed.ts';
import type { Change, EndpointForecast, Forecast, PhaseForecast } from '../../model/plan.ts';
import type { DomainName } from '../../model/names.ts';
import { dependenciesOf } from './dependencies.ts';
import {
  readsAfterAdding,
  readsBeforeSettings,
  readsBeforeStageTwo,
  readsOfForwarders,
  verificationReads,
  type PlannedRead,
  type ReadContext,
} from './reads.ts';
import { compareText } from '../sorting.ts';
import type { RequestOptions, StageRequests } from './requests.ts';
import { createSchedule } from '../../rate-limit/scheduler.ts';
import { plannedVerifications, type DueContext } from './verification.ts';

export interface ForecastOptions extends RequestOptions, ReadContext, Omit<DueContext, 'now'> {
  readonly version: ApiVersion;
  readonly observed: Observed;
  /** By endpoint name, as the reading of the account left them. */
  readonly budgets: ReadonlyMap<string, Budget>;
  /** The moment of the budgets, monotonic milliseconds. */
  readonly monotonic: number;
  /** The same moment, epoch milliseconds. */
  readonly now: number;
  /** What reading the account took. */
  readonly reading: PhaseForecast;
}

/** One request, from sending to its answer, as far as is known in advance. Milliseconds. */
const LATENCY = 150;
const CONCURRENCY = 8;
/** v4, Limits: paid plans, free accounts. */
const ASSUMED_LIMIT = { allowed: 200, refused: 30 } as const;

/**
 * What applying a plan will send, and how long that takes: its requests, the reads before stage 2 and those that verify.
 * The time comes from running them against the budgets in virtual time. Stages add up, endpoints run side by side.
 */
export function forecast(stages: readonly StageRequests[], options: ForecastOptions): Forecast {
  const plan = { changes: [...new Set(stages.flatMap(changesOf))] };
  const tally: Tally = new Map();
  const limits = [...options.budgets.values()]
    .map((budget) => budget.limit)
    .filter((limit) => limit !== null);
  const schedule = createSchedule({
    budgets: options.budgets,
    assumedLimit: limits.length === 0 ? ASSUMED_LIMIT[options.batches] : Math.min(...limits),
    latency: LATENCY,
    concurrency: CONCURRENCY,
  });
  let moment = options.monotonic;
  const spend = (phase: Phase): void => {
    for (const [endpoint, { requests, items }] of phase.endpoints) count(tally, endpoint, requests, items);
    const requests = new Map([...phase.endpoints].map(([endpoint, sums]) => [endpoint, sums.requests]));
    moment = Math.max(schedule.run(requests, moment), moment + phase.longestChain * LATENCY);
  };
  const earlier = new Set<Change>();
  const forwarders = dependenciesOf(plan.changes);
  const seen = new Set<DomainName>();
  for (const [index, stage] of stages.entries()) {
    if (index === 0) spend(readPhase(readsAfterAdding(plan), options.version));
    const changes = changesOf(stage);
    if (stage.stage === 2) {
      const reads = readsBeforeStageTwo({ late: changes, earlier: [...earlier], moment }, options);
      const others = new Set(changes.flatMap((change) => [...(forwarders.get(change) ?? [])]));
      spend(readPhase(readsOfForwarders(others, earlier, options), options.version));
      spend(readPhase(reads, options.version));
      for (const domain of others) seen.add(domain);
    }
    const settings = readsBeforeSettings(changes);
    // One domain after another: see `prepare` of the pacing.
    spend({ ...readPhase(settings, options.version), longestChain: 2 * settings.length });
    spend(writePhase(stage, options.version));
    for (const change of changes) earlier.add(change);
  }
  const written = { requests: requestsIn(tally), moment };
  for (const { domain, stage } of plan.changes) if (stage === 2) seen.delete(domain);
  spend(readPhase(verificationReads(plan, seen, options), options.version));
  spend(readPhase(plannedVerifications(plan, options), options.version));
  return assemble(tally, phasesOf(written, { requests: requestsIn(tally), moment }, options), options);
}

/** How far a run has come: requests since the plan, and the monotonic milliseconds. */
interface Reached {
  readonly requests: number;
  readonly moment: number;
}

function phasesOf(
  written: Reached,
  ended: Reached,
  { reading, monotonic }: Pick<ForecastOptions, 'reading' | 'monotonic'>,
): Forecast['phases'] {
  const seconds = ({ moment }: Reached): number => tenths((moment - monotonic) / 1000);
  return {
    reading,
    writing: { requests: written.requests, seconds: seconds(written) },
    verifying: {
      requests: ended.requests - written.requests,
      seconds: tenths(seconds(ended) - seconds(written)),
    },
  };
}

interface Sums {
  requests: number;
  items: number;
}
type Tally = Map<string, Sums>;

/** Requests that run side by side, but for those of one domain, of which the longest row takes its time. */
interface Phase {
  readonly endpoints: Tally;
  readonly longestChain: number;
}

function writePhase(stage: StageRequests, version: ApiVersion): Phase {
  const endpoints: Tally = new Map();
  let longestChain = 0;
  for (const { requests } of stage.domains) {
    longestChain = Math.max(longestChain, requests.length);
    for (const { operation, items } of requests) {
      count(endpoints, endpointName(version, operation), 1, items.length);
    }
  }
  return { endpoints, longestChain };
}

function changesOf({ domains }: StageRequests): readonly Change[] {
  const sent = domains.flatMap(({ requests }) => requests);
  return [...new Set(sent.flatMap(({ items }) => items.map(({ change }) => change)))];
}

function readPhase(reads: readonly PlannedRead[], version: ApiVersion): Phase {
  const endpoints: Tally = new Map();
  for (const { operation, requests } of reads)
    count(endpoints, endpointName(version, operation), requests, 0);
  return { endpoints, longestChain: 0 };
}

function count(tally: Tally, endpoint: string, requests: number, items: number): void {
  const sums = tally.get(endpoint) ?? { requests: 0, items: 0 };
  tally.set(endpoint, { requests: sums.requests + requests, items: sums.items + items });
}

function assemble(
  tally: Tally,
  phases: Forecast['phases'],
  { budgets }: Pick<ForecastOptions, 'budgets'>,
): Forecast {
  const endpoints: readonly EndpointForecast[] = [...tally]
    .map(([endpoint, sums]) => ({ endpoint, ...sums }))
    .sort((a, b) => writesFirst(a) - writesFirst(b) || compareText(a.endpoint, b.endpoint));
  const { reading, writing, verifying } = phases;
  return {
    ...sumOf([writing, verifying]),
    writes: endpoints.reduce((sum, { endpoint, requests }) => sum + (isWrite(endpoint) ? requests : 0), 0),
    ...tightest(endpoints.flatMap(({ endpoint }) => budgets.get(endpoint) ?? [])),
    endpoints,
    phases,
    total: sumOf([reading, writing, verifying]),
  };
}

/** The rate of the endpoint that lets the least through, as its answers told it. */
function tightest(budgets: readonly Budget[]): Pick<Forecast, 'limit' | 'windowSeconds'> {
  const [least] = budgets
    .filter(({ limit }) => limit !== null)
    .toSorted((a, b) => (a.limit ?? 0) - (b.limit ?? 0));
  const window = least === undefined ? null : knownWindow(least);
  return { limit: least?.limit ?? null, windowSeconds: window === null ? null : Math.round(window / 1000) };
}

function sumOf(phases: readonly PhaseForecast[]): PhaseForecast {
  return {
    requests: phases.reduce((sum, { requests }) => sum + requests, 0),
    seconds: tenths(phases.reduce((sum, { seconds }) => sum + seconds, 0)),
  };
}

function tenths(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

function requestsIn(tally: Tally): number {
  return tally.values().reduce((sum, { requests }) => sum + requests, 0);
}

function isWrite(endpoint: string): boolean {
  return !endpoint.startsWith('GET ');
}

function writesFirst({ endpoint }: EndpointForecast): number {
  return isWrite(endpoint) ? 0 : 1;
}
