import { knownWindow, type Budget } from '../../rate-limit/budget.ts';
import type { ApiVersion } from '../../model/endpoints.ts';
import type { Observed } from '../../model/observed.ts';
import type { EndpointForecast, Forecast, PhaseForecast } from '../../model/plan.ts';
import { assumedWindow, type ScheduleOptions } from '../../rate-limit/scheduler.ts';
import { compareText } from '../sorting.ts';
import { foreseeRun } from './forecast-run.ts';
import type { ReadContext } from './reads.ts';
import type { RequestOptions, StageRequests } from './requests.ts';
import { plannedVerifications, type DueContext } from './verification.ts';
import { changesOfRequests } from './verification-order.ts';
import type { ForeseenRun, Reached } from './virtual-requests.ts';

export interface ForecastOptions extends RequestOptions, ReadContext, Omit<DueContext, 'now'> {
  readonly version: ApiVersion;
  readonly observed: Observed;
  /** By endpoint name, as the read of the account left them. */
  readonly budgets: ReadonlyMap<string, Budget>;
  /** The moment of the budgets, monotonic milliseconds. */
  readonly monotonic: number;
  /** The same moment, epoch milliseconds. */
  readonly now: number;
  /** What reading the account took. */
  readonly reading: PhaseForecast;
  /** One request, from sending to its answer, milliseconds; null: not known. */
  readonly latency: number | null;
}

/** The same where it is not known. */
const LATENCY = 150;
const CONCURRENCY = 8;
/** v4, Limits: paid plans, free accounts. */
const ASSUMED_LIMIT = { allowed: 200, refused: 30 } as const;

/**
 * What applying a plan will send, and how long that takes: its requests, the reads before stage 2 and those that verify.
 * The time comes from running them against the budgets in virtual time.
 */
export function forecast(stages: readonly StageRequests[], options: ForecastOptions): Forecast {
  const run = foresee(stages, options);
  return assemble(run.endpoints, phasesOf(run, options), options);
}

/** The same request by request. */
export function foresee(stages: readonly StageRequests[], options: ForecastOptions): ForeseenRun {
  const changes = stages.flatMap(({ domains }) => domains.flatMap(changesOfRequests));
  const verifications = plannedVerifications({ changes }, options);
  return foreseeRun(stages, { ...options, schedule: scheduleOf(options), verifications });
}

/** What is not known is taken from what is, or thought. */
export function scheduleOf({
  budgets,
  batches,
  latency,
  monotonic,
}: Pick<ForecastOptions, 'budgets' | 'batches' | 'latency' | 'monotonic'>): ScheduleOptions {
  const limits = [...budgets.values()].map(({ limit }) => limit).filter((limit) => limit !== null);
  return {
    budgets,
    assumedLimit: limits.length === 0 ? ASSUMED_LIMIT[batches] : Math.min(...limits),
    assumedWindow: assumedWindow(budgets.values(), monotonic),
    latency: latency ?? LATENCY,
    concurrency: CONCURRENCY,
  };
}

function phasesOf(
  { written, ended }: ForeseenRun,
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

function assemble(
  tally: ForeseenRun['endpoints'],
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

/** The rate of the endpoint that lets the least through, as its answers said. */
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

function isWrite(endpoint: string): boolean {
  return !endpoint.startsWith('GET ');
}

function writesFirst({ endpoint }: EndpointForecast): number {
  return isWrite(endpoint) ? 0 : 1;
}
