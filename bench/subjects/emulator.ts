import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createEmulator, type EmulatorCore } from '../../src/emulator/emulator.ts';
import { problemsOf } from '../../src/emulator/http/schemas.ts';
import type { Seed, SeedDomain } from '../../src/emulator/account/seed.ts';
import { stateText } from '../../src/emulator/account/dump.ts';
import type { Section } from '../section.ts';

const DOMAINS = 9_500;
const LARGE = '/domains/large.example';
const RUNS = 30;
const PAGES = [
  ['200 domains', '/v4/domains?limit=200&page=40'],
  ['200 domains by substring', '/v4/domains?limit=200&query=77'],
  ['200 of 50,000 aliases', `/v4${LARGE}/aliases?limit=200&page=250`],
  ['200 of 50,000 aliases by substring', `/v4${LARGE}/aliases?limit=200&query=499`],
  ['200 of 5,000 rules', `/v4${LARGE}/rules?limit=200&page=13`],
  ['100 domains with 100 aliases each (v3)', '/v3/domains?limit=100'],
] as const;

/** Measures the emulator with a million aliases. */
export async function measureEmulator(): Promise<Section> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const usedMegabytes = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const text = JSON.stringify(makeSeed());
  const before = usedMegabytes();
  const begun = performance.now();
  const core = start(JSON.parse(text) as Seed);
  const rows = [
    ['start with 1,000,000 aliases', secondsSince(begun)],
    ['memory for them', `${(usedMegabytes() - before).toFixed(0)} MB`],
  ];
  for (const [name, target] of PAGES) rows.push([`CPU time of a page: ${name}`, await costOf(core, target)]);
  const writing = performance.now();
  let bytes = 0;
  for (const piece of stateText(core.store.state)) bytes += piece.length;
  rows.push([`state of ${(bytes / 1e6).toFixed(0)} MB as text`, secondsSince(writing)]);
  return {
    title: 'The emulator',
    text: [
      'With a million aliases in 9,501 domains. One domain has 50,000. Page times are from the arrival of a ' +
        'request to the text of its answer.',
    ],
    head: ['measurement', 'figure'],
    rows,
    figures: [],
  };
}

async function costOf(core: EmulatorCore, target: string): Promise<string> {
  for (let run = 0; run < RUNS / 3; run += 1) await call(core, target);
  const { user } = process.threadCpuUsage();
  for (let run = 0; run < RUNS; run += 1) await call(core, target);
  return `${((process.threadCpuUsage().user - user) / 1000 / RUNS).toFixed(2)} ms`;
}

function secondsSince(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(1)} s`;
}
function start(state: Seed): EmulatorCore {
  if (problemsOf('state', state).length > 0) throw new Error('the seed is not valid');
  return createEmulator({
    apiKey: 'key',
    plan: 'paid',
    rateLimit: 1e9,
    journalSize: 10,
    now: () => Date.now(),
    sleep: async () => {},
    randomId: randomUUID,
    state,
  });
}

function makeSeed(): Seed {
  const domains: SeedDomain[] = Array.from({ length: DOMAINS }, (_, index) => ({
    domain: `d${(index * 7919) % DOMAINS}.example`,
    aliases: makeAliases(100),
  }));
  const rules = Array.from({ length: 5000 }, (_, index) => ({
    type: 'alias' as const,
    config: { alias: `r${index}`, forward: 'ana@corp.example' },
    rank: (index * 7919) % 5000,
  }));
  domains.push({ domain: 'large.example', aliases: makeAliases(50_000), rules });
  return { domains };
}

function makeAliases(count: number): NonNullable<SeedDomain['aliases']> {
  return Array.from({ length: count }, (_, index) => ({
    alias: `name${(index * 7919) % count}`,
    forward: `person${index % 500}@corp.example`,
  }));
}

async function call({ dispatch }: EmulatorCore, target: string): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from('api:key').toString('base64')}` };
  const outcome = await dispatch({ method: 'GET', target, headers, body: undefined });
  if (outcome.kind !== 'answer' || outcome.answer.status !== 200) throw new Error(`GET ${target} failed`);
}
