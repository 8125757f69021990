import type { ApiVersion } from '../../model/endpoints.ts';
import type { Observed } from '../../model/observed.ts';
import type { EndpointForecast, Forecast, PhaseForecast } from '../../model/plan.ts';
import { knownWindow, type Budget } from '../../rate-limit/budget.ts';
import { mergeCounts } from '../../rate-limit/counts.ts';
import { requestsOfLeg, type Pace } from '../../rate-limit/estimate.ts';
import { compareText } from '../sorting.ts';
import type { ReadContext } from './reads.ts';
import type { RequestOptions, StageRequests } from './requests.ts';
import { plannedVerifications, type DueContext } from './verification.ts';
import { changesOfRequests } from './verification-order.ts';
import { workOf, type Reached, type RunWork } from './work.ts';
import { endpointName } from '../../kinds/endpoints.ts';

export interface ForecastOptions extends RequestOptions, ReadContext, Omit<DueContext, 'now'> {
  readonly version: ApiVersion;
  readonly observed: Observed;
  /** Budgets by endpoint name, as the read of the account left them. */
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Time of the budgets, in monotonic milliseconds. */
  readonly monotonic: number;
  /** Time of the budgets, in epoch milliseconds. */
  readonly now: number;
  /** The requests and seconds of reading the account. */
  readonly reading: PhaseForecast;
  /** Milliseconds from a request to its answer; null means not known. */
  readonly latency: number | null;
}

/** The assumed latency in milliseconds if it is unknown. */
const LATENCY = 150;
/** Requests per window of paid plans and free accounts (v4, Limits). */
const ASSUMED_LIMIT = { allowed: 200, refused: 30 } as const;

/**
 * Forecasts the requests and time of applying a plan: its writes, the reads before stage 2 and those that verify.
 * Requests are counted as they will be sent. Seconds are arithmetic over the budgets (`rate-limit/estimate.ts`).
 */
export function forecast(stages: readonly StageRequests[], options: ForecastOptions): Forecast {
  const work = plannedWork(stages, options);
  return assemble(endpointsOf(work, stages, options), phasesOf(work, options), options);
}

/** Returns the work that a forecast sums up. */
export function plannedWork(stages: readonly StageRequests[], options: ForecastOptions): RunWork {
  const changes = stages.flatMap(({ domains }) => domains.flatMap(changesOfRequests));
  const verifications = plannedVerifications({ changes }, options);
  return workOf(stages, { ...options, pace: paceOf(options), verifications });
}

/**
 * Returns the pace from what is known. An unknown limit is assumed to be the smallest known one, or that of the
 * account's plan.
 */
export function paceOf({
  budgets,
  batches,
  latency,
}: Pick<ForecastOptions, 'budgets' | 'batches' | 'latency'>): Pace {
  const limits = [...budgets.values()].map(({ limit }) => limit).filter((limit) => limit !== null);
  return {
    budgets,
    assumedLimit: limits.length === 0 ? ASSUMED_LIMIT[batches] : Math.min(...limits),
    latency: latency ?? LATENCY,
  };
}

function phasesOf(
  { written, ended }: RunWork,
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

function endpointsOf(
  { legs }: RunWork,
  stages: readonly StageRequests[],
  { version }: Pick<ForecastOptions, 'version'>,
): readonly EndpointForecast[] {
  const writes = stages.flatMap(({ domains }) => domains.flatMap(({ requests }) => requests));
  const items = mergeCounts(
    writes.map((write) => new Map([[endpointName(version, write.operation), write.items.length]])),
  );
  return [...mergeCounts(legs.map(requestsOfLeg))]
    .map(([endpoint, requests]) => ({ endpoint, requests, items: items.get(endpoint) ?? 0 }))
    .sort((a, b) => writesFirst(a) - writesFirst(b) || compareText(a.endpoint, b.endpoint));
}

function assemble(
  endpoints: readonly EndpointForecast[],
  phases: Forecast['phases'],
  { budgets }: Pick<ForecastOptions, 'budgets'>,
): Forecast {
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

/** Returns the rate of the endpoint with the smallest limit, as its answers stated it. */
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
