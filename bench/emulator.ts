/**
 * What the emulator costs with a million aliases: `node bench/emulator.ts`. Ends with 1 when a page of a listing takes
 * 2 ms or more of the server's time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { EmulatorCore } from '../src/emulator/emulator.ts';
import type { Seed, SeedDomain } from '../src/emulator/seed.ts';
import { SEED } from '../src/emulator/seed-shape.ts';
import { problemsOf } from '../src/emulator/shape.ts';
import { stateText } from '../src/emulator/state-text.ts';
import { call, meanTime, PAGE_LIMIT_MS, report, startCore, timeOf } from './emulator-calls.ts';
import { measureLogsByFilters } from './emulator-logs.ts';

const DOMAINS = 9_500;
const ALIASES = 100;
const LARGE = 'large.example';
const LARGE_ALIASES = 50_000;
const LOGS = 200_000;
const LOGS_PATH = `/domains/${LARGE}/logs`;
const SEARCH = `${LOGS_PATH}/search?after=0&before=99999999999`;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const before = usedMegabytes();
const { core, seconds } = startEmulator();
const used = usedMegabytes() - before;
report(
  `start with ${(core.store.state.aliasCount / 1e6).toFixed(2)} million aliases`,
  `${seconds.toFixed(1)} s`,
);
report('memory, without the logs', `${used.toFixed(0)} MB`);
addLogs(core);
core.makeReady();
report(
  `memory of ${LOGS.toLocaleString('en')} log entries`,
  `${(usedMegabytes() - before - used).toFixed(0)} MB`,
);
const slow = [
  ...(await measurePages(core)),
  ...(await measureFirstPages(core)),
  ...(await measurePagesAfterWrites(core)),
  ...(await measureLogsByFilters()),
];
await measureOthers(core);
await measureSaving(core);
for (const name of slow) report('TOO SLOW', name);
process.exitCode = slow.length === 0 ? 0 : 1;

function startEmulator(): { readonly core: EmulatorCore; readonly seconds: number } {
  const text = JSON.stringify(makeSeed());
  const begin = performance.now();
  const seed = JSON.parse(text) as Seed;
  const problems = problemsOf(SEED, seed);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const core = startCore(seed);
  return { core, seconds: (performance.now() - begin) / 1000 };
}

function makeSeed(): Seed {
  const domains: SeedDomain[] = Array.from({ length: DOMAINS }, (_, index) => ({
    domain: `d${(index * 7919) % DOMAINS}.example`,
    aliases: makeAliases(ALIASES),
  }));
  const rules = Array.from({ length: 5000 }, (_, index) => ({
    type: 'alias' as const,
    config: { alias: `r${index}`, forward: 'ana@corp.example' },
    rank: (index * 7919) % 5000,
  }));
  const credentials = Array.from({ length: 1000 }, (_, index) => ({ username: `u${index}` }));
  domains.push({ domain: LARGE, aliases: makeAliases(LARGE_ALIASES), rules, credentials });
  return { domains };
}

function makeAliases(count: number): NonNullable<SeedDomain['aliases']> {
  return Array.from({ length: count }, (_, index) => ({
    alias: `name${(index * 7919) % count}`,
    forward: `person${index % 500}@corp.example`,
  }));
}

function addLogs(core: EmulatorCore): void {
  for (let index = 0; index < LOGS; index += 1) {
    core.deliver({
      to: `name${index % 5000}@${LARGE}`,
      from: `sender${index % 700}@corp.example`,
      subject: `Order number ${index % 9000}`,
    });
  }
}

/** Of what nobody has asked for before: pages after the first, and filters in the other order. */
async function measureFirstPages(core: EmulatorCore): Promise<readonly string[]> {
  const slow: string[] = [];
  const name = 'domains with 100 aliases each (v3)';
  const last = DOMAINS / 100;
  const all = await timeOf(async () => {
    for (let page = 2; page <= last; page += 1) await call(core, 'GET', `/v3/domains?limit=100&page=${page}`);
  });
  const mean = all / (last - 1);
  report(`first page: ${name}`, `${mean.toFixed(2)} ms`);
  if (mean >= PAGE_LIMIT_MS) slow.push(`${name}, for the first time`);
  for (const [what, target] of [
    ['aliases of 50,000 by substring', `/v4/domains/${LARGE}/aliases?limit=200&query=499&order=created_desc`],
    ['rules of 5,000 by substring', `/v4/domains/${LARGE}/rules?limit=200&query=99&order=created_desc`],
    ['domains by substring', '/v4/domains?limit=200&query=77&order=created_desc'],
  ] as const) {
    // Once is too short for the processor's clock.
    const begin = performance.now();
    await call(core, 'GET', target);
    report(`first page: ${what}`, `${(performance.now() - begin).toFixed(2)} ms`);
  }
  return slow;
}

/** Gives the names of what took too long. */
async function measurePages(core: EmulatorCore): Promise<readonly string[]> {
  const slow: string[] = [];
  for (const [name, target] of [
    ['domains', '/v4/domains?limit=200'],
    ['domains, page 40', '/v4/domains?limit=200&page=40'],
    ['domains, newest first', '/v4/domains?limit=200&order=created_desc'],
    ['aliases of 100', '/v4/domains/d7.example/aliases?limit=200'],
    ['aliases of 50,000', `/v4/domains/${LARGE}/aliases?limit=200`],
    ['aliases of 50,000, page 250', `/v4/domains/${LARGE}/aliases?limit=200&page=250`],
    ['aliases of 50,000, newest first', `/v4/domains/${LARGE}/aliases?limit=200&order=created_desc`],
    ['aliases of 50,000 by prefix (v3)', `/v3/domains/${LARGE}/aliases?limit=100&alias=name4`],
    ['rules of 5,000', `/v4/domains/${LARGE}/rules?limit=200&page=13`],
    ['rules of 5,000 (v3)', `/v3/domains/${LARGE}/rules`],
    ['credentials of 1,000', `/v4/domains/${LARGE}/credentials?limit=200`],
    ['logs of 200,000', `/v4/domains/${LARGE}/logs?limit=200`],
    ['logs of 200,000 (v3)', `/v3/domains/${LARGE}/logs`],
    ['logs of one alias (v3)', `/v3/domains/${LARGE}/logs/name7`],
    ['count of 200,000 logs', `/v4/domains/${LARGE}/logs/count`],
    ['aliases of 50,000 by substring, some', `/v4/domains/${LARGE}/aliases?limit=200&query=499`],
    ['aliases of 50,000 by substring, all', `/v4/domains/${LARGE}/aliases?limit=200&query=corp&page=250`],
    ['aliases of 50,000 by substring (v3)', `/v3/domains/${LARGE}/aliases?limit=100&q=499`],
    ['domains by substring', '/v4/domains?limit=200&query=77'],
    ['domains by their flags', '/v4/domains?limit=200&send_ready=true&routing_engine=rules&whitelabel=null'],
    ['rules of 5,000 by substring', `/v4/domains/${LARGE}/rules?limit=200&query=99`],
    ['rules of 5,000 by substring (v3)', `/v3/domains/${LARGE}/rules?search=99`],
    ['domains with 100 aliases each (v3)', '/v3/domains?limit=100'],
    ['one domain with 200 of its aliases (v3)', `/v3/domains/${LARGE}`],
    ['logs by recipient', `/v4/domains/${LARGE}/logs?limit=200&recipient=name7@${LARGE}`],
    [
      'logs by sender, status and transport',
      `/v4/domains/${LARGE}/logs?sender=sender7@corp.example&status=REFUSED&transport=mx`,
    ],
    ['logs by all statuses', `/v4${LOGS_PATH}?limit=200&status=QUEUED,DELIVERED,SOFT-BOUNCE,BOUNCED,REFUSED`],
    ['logs by statuses that none has', `/v4${LOGS_PATH}?limit=200&status=BOUNCED,HARD-BOUNCE`],
    ['logs that failed (v3)', `/v3${SEARCH}&filter=failure`],
    ['count of logs by two statuses', `/v4${LOGS_PATH}/count?status=DELIVERED,REFUSED`],
    ['count of logs by status and transport', `/v4${LOGS_PATH}/count?status=DELIVERED&transport=mx`],
    ['count of logs by status', `/v4/domains/${LARGE}/logs/count?status=DELIVERED`],
  ] as const) {
    const mean = await meanTime(() => call(core, 'GET', target));
    report(`page: ${name}`, `${mean.toFixed(2)} ms`);
    if (mean >= PAGE_LIMIT_MS) slow.push(name);
  }
  return slow;
}

/** Each run writes, then reads a page. */
async function measurePagesAfterWrites(core: EmulatorCore): Promise<readonly string[]> {
  const slow: string[] = [];
  const path = `/v4/domains/${LARGE}/aliases`;
  for (const [name, target] of [
    ['aliases of 50,000', `${path}?limit=200`],
    ['aliases of 50,000 by substring', `${path}?limit=200&query=499`],
    ['one domain with 200 of its aliases (v3)', `/v3/domains/${LARGE}`],
  ] as const) {
    let written = 0;
    const write = async (): Promise<void> => {
      written += 1;
      await call(core, 'POST', path, {
        alias: `${name.length}written${written}`,
        forward: 'ana@corp.example',
      });
    };
    const both = await meanTime(async () => {
      await write();
      await call(core, 'GET', target);
    });
    report(`write and page at once: ${name}`, `${both.toFixed(2)} ms`);
    const ready = await meanTime(async () => {
      await write();
      core.makeReady();
    });
    report('write, and what follows its answer', `${ready.toFixed(2)} ms`);
    if (both >= PAGE_LIMIT_MS) slow.push(`${name}, after a write`);
  }
  return slow;
}

/** Scans, and answers that are long by what the documents say. */
async function measureOthers(core: EmulatorCore): Promise<void> {
  const aliases = Array.from({ length: 500 }, (_, index) => ({
    alias: `b${index}`,
    forward: 'a@corp.example',
  }));
  const batch = await timeOf(() => call(core, 'POST', `/v4/domains/${LARGE}/aliases/batch`, { aliases }));
  report('batch of 500 new aliases among 50,000', `${batch.toFixed(1)} ms`);
  core.makeReady();
  const spread = Array.from({ length: 500 }, (_, index) => ({
    alias: `name${index * 100}b`,
    forward: 'a@corp.example',
  }));
  await call(core, 'POST', `/v4/domains/${LARGE}/aliases/batch`, { aliases: spread });
  const ready = await timeOf(async () => core.makeReady());
  report('what follows a batch of 500 all over the alphabet', `${ready.toFixed(1)} ms`);
  for (const [name, target] of [
    ['text that none of 200,000 logs has (v3)', `/v3${SEARCH}&text=nobody-has-this`],
    ['text that 22 of 200,000 logs have (v3)', `/v3${SEARCH}&text=number+8999`],
  ] as const) {
    report(name, `${(await meanTime(() => call(core, 'GET', target))).toFixed(2)} ms`);
  }
  for (const name of ['first search of the logs', 'search of the logs']) {
    const time = await timeOf(() => call(core, 'GET', `/v4${LOGS_PATH}/search?query=nubmer+77`));
    report(name, `${time.toFixed(1)} ms`);
  }
}

/** The state file's text, taken as the command does: other work may run between two pieces. */
async function measureSaving(core: EmulatorCore): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begin = performance.now();
  let bytes = 0;
  for (const piece of stateText(core.store.state)) {
    bytes += piece.length;
    await turn();
  }
  const seconds = (performance.now() - begin) / 1000;
  delay.disable();
  report(`state of ${(bytes / 1e6).toFixed(0)} MB as text`, `${seconds.toFixed(1)} s`);
  report('longest pause of requests meanwhile', `${(delay.max / 1e6).toFixed(0)} ms`);
}

function usedMegabytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
