import { chartSvg, type Curve } from '../chart.ts';
import type { Section } from '../section.ts';
import { leastWork, requestsOf, type LeastWork } from '../../test/prove/support/limits/least.ts';
import { leastMakespan } from '../../test/prove/support/limits/schedule.ts';
import { WINDOW_SECONDS, type Shape } from '../../test/prove/support/limits/shapes.ts';
import { CONCURRENCY } from '../../test/prove/support/limits/measured.ts';
import { runShape, TRAVEL_MS } from '../../test/prove/support/limits/virtual-run.ts';

const DOMAINS = [10, 30, 100, 300, 1_000, 3_000];
const ALIASES = 20;
const ADDED = 3;
const PICTURE = 'growth.svg';

interface Effort {
  readonly requests: number;
  readonly seconds: number;
}

type Client = 'this program' | 'one request an alias' | 'theoretical least';
type Efforts = Readonly<Record<Client, Effort>>;

/** Measures seconds and requests as a function of the number of domains, each of which gets three more aliases. */
export async function measureGrowth(): Promise<Section> {
  const measured: { readonly domains: number; readonly efforts: Efforts }[] = [];
  for (const domains of DOMAINS) measured.push({ domains, efforts: await effortsOf(domains) });
  const last = measured.at(-1);
  if (last === undefined) throw new Error('nothing was measured');
  return {
    title: 'How it grows',
    text: [
      `Accounts of ${ALIASES} aliases per domain; each domain gets ${ADDED} more. The limit is 200 requests per ` +
        'minute and endpoint. This program reads the account, writes and verifies, in virtual time. The other ' +
        'client sends one request per alias, as a provider of an infrastructure tool does. It reads and adds each ' +
        'alias separately and verifies nothing. It has perfect knowledge of the windows.',
      `![Seconds and requests against the number of domains](${PICTURE})`,
    ],
    head: ['domains', 'client', 'requests', 'time'],
    rows: measured.flatMap(({ domains, efforts }) =>
      Object.entries(efforts).map(([client, { requests, seconds }]) => {
        return [domains.toLocaleString('en'), client, requests.toLocaleString('en'), durationOf(seconds)];
      }),
    ),
    figures: [],
    pictures: { [PICTURE]: pictureOf(measured) },
  };
}

async function effortsOf(domains: number): Promise<Efforts> {
  const shape = shapeOf(domains);
  const run = await runShape(shape);
  if (run.outcome !== 'converged') throw new Error(`${domains} domains: ${run.outcome}`);
  return {
    'this program': { requests: run.requests, seconds: run.total },
    'one request an alias': effortOf(oneByOne(domains), shape),
    'theoretical least': effortOf(leastWork(shape), shape),
  };
}

function effortOf(work: LeastWork, { limit, phaseMs }: Shape): Effort {
  const span = leastMakespan(work, { limit, phaseMs, latency: 2 * TRAVEL_MS, concurrency: CONCURRENCY });
  return { requests: requestsOf(work), seconds: span.total / 1000 };
}

function shapeOf(domains: number): Shape {
  return {
    name: 'growth',
    version: 'v4',
    limit: { per: 'template', limit: 200, window: 'fixed', align: 'clock', windowSeconds: WINDOW_SECONDS },
    phaseMs: 0,
    others: 0,
    domains: Array.from({ length: domains }, (_, index) => ({
      name: `domain${index}.example`,
      state: 'live',
      settings: 'kept',
      aliases: { kept: ALIASES, added: ADDED, updated: 0, deleted: 0 },
      rules: null,
      credentials: null,
    })),
  };
}

function oneByOne(domains: number): LeastWork {
  return {
    first: ['GET account'],
    relist: [],
    domains: Array.from({ length: domains }, () => ({
      reads: Array.from({ length: ALIASES }, () => 'GET one of aliases' as const),
      stageOne: Array.from({ length: ADDED }, () => 'POST one of aliases' as const),
      rereads: [],
      stageTwo: [],
      verification: [],
    })),
  };
}

function pictureOf(measured: readonly { readonly domains: number; readonly efforts: Efforts }[]): string {
  const curves = (of: (effort: Effort) => number): readonly Curve[] => {
    const clients = { 'one request an alias': 'b', 'this program': 'a', 'theoretical least': 'c' } as const;
    return (Object.keys(clients) as readonly Client[]).map((name) => ({
      name,
      tone: clients[name],
      points: measured.map(({ domains, efforts }) => [domains, of(efforts[name])] as const),
    }));
  };
  return chartSvg(
    {
      about: 'Seconds and requests against the number of domains',
      xTitle: 'domains',
      xTicks: DOMAINS,
    },
    [
      {
        title: 'time',
        ticks: [
          [0.6, '0.6 s'],
          [6, '6 s'],
          [60, '1 min'],
          [600, '10 min'],
          [6_000, '100 min'],
          [30_000, '8 h'],
        ],
        curves: curves(({ seconds }) => seconds),
      },
      {
        title: 'requests',
        ticks: [
          [10, '10'],
          [100, '100'],
          [1_000, '1,000'],
          [10_000, '10,000'],
          [100_000, '100,000'],
        ],
        curves: curves(({ requests }) => requests),
      },
    ],
  );
}

function durationOf(seconds: number): string {
  if (seconds < 90) return `${seconds.toFixed(0)} s`;
  return seconds < 5_400 ? `${(seconds / 60).toFixed(0)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
