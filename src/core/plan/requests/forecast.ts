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
/** v4, Limits: paid plans, free accounts. */
const ASSUMED_LIMIT = { allowed: 200, refused: 30 } as const;

/**
 * Forecasts what applying a plan sends and how long that takes: its requests, the reads before stage 2 and those that verify.
 * Requests are counted as they will be sent; seconds are arithmetic over the budgets (`rate-limit/estimate.ts`).
 */
export function forecast(stages: readonly StageRequests[], options: ForecastOptions): Forecast {
  const work = plannedWork(stages, options);
  return assemble(endpointsOf(work, stages, options), phasesOf(work, options), options);
}

/** The work of which a forecast is the sum. */
export function plannedWork(stages: readonly StageRequests[], options: ForecastOptions): RunWork {
  const changes = stages.flatMap(({ domains }) => domains.flatMap(changesOfRequests));
  const verifications = plannedVerifications({ changes }, options);
  return workOf(stages, { ...options, pace: paceOf(options), verifications });
}

/** Returns the pace by what is known. A limit that is not known is taken to be the least that is, or that of the plan. */
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
