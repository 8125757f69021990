import { createHash } from 'node:crypto';
import { decodeDomain } from '../../src/client/operations/domains.ts';
import type { Desired, DesiredDomain } from '../../src/core/model/desired.ts';
import { normaliseDestination, type Destination } from '../../src/core/model/destinations.ts';
import { nameKey, type AliasName, type DomainName } from '../../src/core/model/names.ts';
import type { Account, Observed, ObservedDomain } from '../../src/core/model/observed.ts';
import type { Plan } from '../../src/core/model/plan.ts';
import { NO_PRIOR } from '../../src/core/model/prior.ts';
import type { DesiredAlias } from '../../src/core/kinds/alias/fields.ts';
import { planDigest } from '../../src/core/plan/document/digest.ts';
import { forecast } from '../../src/core/plan/requests/forecast.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import { planRoutes } from '../../src/core/plan/routes/routes.ts';
import { requestsOf } from '../../src/core/plan/requests/requests.ts';
import { median } from '../processes.ts';
import type { Section } from '../section.ts';
import { ALIAS_WIRE } from '../../src/core/kinds/alias/wire.ts';
import { objectOf } from '../../src/core/fields/json.ts';

const ROUNDS = 3;
const NOW = Date.UTC(2026, 10, 21);
const ACCOUNT: Account = {
  email: 'ops@acme.example',
  locked: false,
  lockReason: null,
  overQuota: false,
  plan: { name: null, domainsLimit: null, aliasesLimit: null, rulesLimit: null },
};

interface Size {
  readonly domains: number;
  readonly aliases: number;
  readonly changes: number;
}

const SIZES: Readonly<Record<string, Size>> = {
  '1 domain x 50,000 aliases, no change': { domains: 1, aliases: 50_000, changes: 0 },
  '1 domain x 50,000 aliases, 1,000 changes': { domains: 1, aliases: 50_000, changes: 1_000 },
  '1 domain x 50,000 aliases, all change': { domains: 1, aliases: 50_000, changes: 50_000 },
  '10,000 domains x 100 aliases, 1,000 changes': { domains: 10_000, aliases: 100, changes: 1_000 },
};

/** Measures planning of large accounts in one process, step by step: decoding answers, planning, batching and forecasting. */
export async function measurePlanning(): Promise<Section> {
  const rows = Object.entries(SIZES).map(([name, size]) => {
    const rounds = Array.from({ length: ROUNDS }, () => measure(size));
    const steps = [0, 1, 2, 3, 4, 5].map((step) => median(rounds.map((round) => round[step] ?? 0)));
    const peak = process.resourceUsage().maxRSS / 1024;
    return [name, ...steps.map((seconds) => seconds.toFixed(2)), peak.toFixed(0)];
  });
  return {
    title: 'Planning',
    text: [
      `CPU seconds, medians of ${ROUNDS}. The columns are the steps of a plan: decode the API's answers, plan, ` +
        'find whose mail changes (routes), make the requests, forecast, and compute the digest. MiB is the peak of ' +
        'the process so far, including the text of the answers.',
      'Time is linear, except for chains of aliases through domains of the manifest. Each route names all ' +
        'addresses on its way, so a chain of 2,000 takes 3 s. Tests of linear time bound CPU seconds, not elapsed ' +
        'time.',
    ],
    head: ['size', 'decode', 'plan', 'routes', 'requests', 'forecast', 'digest', 'MiB'],
    rows,
    figures: [],
  };
}

/** CPU seconds of each step. */
function measure({ domains, aliases, changes }: Size): readonly number[] {
  const names = Array.from({ length: domains }, (_, index) => `domain${index}.example` as DomainName);
  // Spreads the changes over all aliases: half are updates, the others adds and prunes.
  const stride = changes === 0 ? Infinity : Math.max(1, Math.floor((domains * aliases) / changes));
  const answers = names.map((_, index) => JSON.stringify(aliasAnswers(index, aliases, stride)));
  const desired = desiredOf(names, aliases);
  const seconds: number[] = [];
  const timed = <T>(run: () => T): T => {
    const begun = process.threadCpuUsage();
    const result = run();
    const { user, system } = process.threadCpuUsage(begun);
    seconds.push((user + system) / 1e6);
    return result;
  };
  const observed = timed(() => decode(names, answers));
  const plan = timed(() => planOf(desired, observed));
  if (plan.changes.length < changes * 0.9) throw new Error(`only ${plan.changes.length} changes`);
  const routes = timed(() => planRoutes({ ...plan, desired, observed }));
  const options = { version: 'v4', batches: 'allowed' } as const;
  const requests = timed(() => requestsOf(plan, options));
  timed(() =>
    forecast(requests, {
      ...options,
      desired,
      observed,
      prior: NO_PRIOR,
      budgets: new Map(),
      monotonic: 0,
      now: NOW,
      reading: { requests: 0, seconds: 0 },
      latency: null,
    }),
  );
  timed(() => planDigest(plan, routes, (text) => createHash('sha256').update(text).digest('hex')));
  return seconds;
}

function aliasAnswers(domain: number, aliases: number, stride: number): readonly unknown[] {
  return Array.from({ length: aliases }, (_, index) => {
    const number = domain * aliases + index;
    const differs = number % stride === 0;
    const renamed = differs && (number / stride) % 4 === 0;
    return {
      id: String(number),
      alias: renamed ? `old${index}` : `user${index}`,
      forward: differs ? `former${index}@corp.example` : forwardOf(index).join(),
      created_at: '2025-01-01T00:00:00Z',
      updated_at: '2025-01-01T00:00:00Z',
    };
  });
}

function forwardOf(index: number): readonly Destination[] {
  const several = ['ana@corp.example', 'ben@corp.example'];
  return (index % 10 === 0 ? several : [`person${index}@corp.example`]).map(normaliseDestination);
}

function desiredOf(names: readonly DomainName[], aliases: number): Desired {
  const entries = new Map(
    Array.from({ length: aliases }, (_, index) => {
      const alias: DesiredAlias = {
        state: 'present',
        name: `user${index}` as AliasName,
        forward: forwardOf(index),
        source: { file: 'fwdsync.yaml', line: index + 1, column: 7 },
      };
      return [nameKey(alias.name), alias] as const;
    }),
  );
  const domains = names.map((domain): [DomainName, DesiredDomain] => [
    domain,
    {
      state: 'present',
      domain,
      source: { file: 'fwdsync.yaml', line: 1, column: 1 },
      settings: {},
      aliases: { prune: true, ignore: ['tmp-*'], entries },
      expect: [],
      verify: false,
      lint: [],
      delivery: null,
    },
  ]);
  return {
    api: {},
    guards: { maxDeletes: 25, maxDeletePercent: 20, allow: [] },
    domains: new Map(domains),
    files: ['fwdsync.yaml'],
    digest: 'sha256:0',
    references: new Map(),
    lint: { off: [], silenced: 0 },
  };
}

function decode(names: readonly DomainName[], answers: readonly string[]): Observed {
  const domains = names.map((domain, index): [DomainName, ObservedDomain] => {
    const answer = { domain, notification_email: null, whitelabel: null, created_at: '2024-01-01T00:00:00Z' };
    const rows = JSON.parse(answers[index] ?? '[]') as readonly unknown[];
    return [
      domain,
      {
        ...decodeDomain(answer),
        readAt: NOW,
        aliases: rows.map((row) => ALIAS_WIRE.decode(objectOf(row, 'alias'))),
      },
    ];
  });
  return { account: ACCOUNT, domains: new Map(domains), unproven: new Map() };
}

function planOf(desired: Desired, observed: Observed): Plan {
  return makePlan({
    desired,
    observed,
    policy: {
      guards: desired.guards,
      allowances: [],
      account: null,
      accountRequired: false,
      rotate: [],
      domainDeletes: 'allowed',
    },
    prior: NO_PRIOR,
    now: NOW,
    api: { url: 'https://api.improvmx.com/v4', version: 'v4' },
  });
}
