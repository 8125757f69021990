import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RateLimitRule } from '../../src/emulator/http/rate-limit.ts';
import { commandScene, type CommandScene } from './support/scene.ts';
import { everyNth, IS_FULL } from '../support/share.ts';

// Compares the printed time left with the real scheduler and budgets, in virtual time.

const LIMIT = 20;

const WINDOWS = {
  first: { window: 'fixed', align: 'first' },
  clock: { window: 'fixed', align: 'clock' },
  sliding: { window: 'sliding' },
} as const satisfies Readonly<Record<string, Partial<RateLimitRule>>>;

interface Told {
  /** In milliseconds. */
  readonly at: number;
  readonly left: number;
  readonly percent: number;
}

interface Course {
  readonly told: readonly Told[];
  readonly started: number;
  readonly ended: number;
}

/** Remaining times that a command prints, and the moments when it prints them. */
async function courseOf(scene: CommandScene, args: readonly string[]): Promise<Course> {
  const told: Told[] = [];
  const started = scene.clock.monotonic();
  let partStarted = started;
  const { code, stderr } = await scene.run(args, {
    onError(text) {
      for (const [, percent, left = '', end] of text.matchAll(/: (\d+)%, (.+?) left( to read)?/g)) {
        const at = scene.clock.monotonic();
        if (end === undefined) told.push({ at, left: parse(left), percent: Number(percent) });
        else partStarted = at;
      }
    },
  });
  expect(code, stderr).toBe(0);
  return { told, started: partStarted, ended: scene.clock.monotonic() };
}

function parse(text: string): number {
  const unit = { h: 3_600_000, min: 60_000, s: 1_000 } as const;
  return [...text.matchAll(/(\d+) (h|min|s)/g)].reduce(
    (sum, [, count, name]) => sum + Number(count) * unit[name as keyof typeof unit],
    0,
  );
}

/** Largest error after the first tenth, as a part of the whole. */
function largestError({ told, started, ended }: Course): number {
  const whole = ended - started;
  const late = told.filter(({ at }) => at - started >= whole / 10);
  expect(late.length).toBeGreaterThan(5);
  return Math.max(...late.map(({ at, left }) => Math.abs(left - (ended - at)) / whole));
}

interface Shape {
  readonly domains: number;
  readonly aliases: number;
  /** Domains in which one alias changes. */
  readonly changed: number;
  /** Domains that are new, after the others. */
  readonly added?: number;
}

async function open(
  rule: Partial<RateLimitRule>,
  { domains, aliases, changed, added = 0 }: Shape,
): Promise<CommandScene> {
  const names = Array.from({ length: domains + added }, (_, index) => `d${index}.example`);
  const entries = Array.from({ length: aliases }, (_, index) => `a${index}`);
  const scene = await commandScene({
    seed: {
      domains: names.slice(0, domains).map((domain) => ({
        domain,
        aliases: entries.map((alias) => ({ alias, forward: 'ana@corp.example' })),
      })),
    },
    manifest: `domains:\n${names
      .map((domain, index) => {
        const first = index < changed ? '[ana@corp.example, bob@corp.example]' : 'ana@corp.example';
        return `  ${domain}: { aliases: { ${entries.map((name, at) => `${name}: ${at === 0 ? first : 'ana@corp.example'}`).join(', ')} } }\n`;
      })
      .join('')}`,
    server: { rateLimit: [{ per: 'template', limit: LIMIT, windowSeconds: 60, ...rule }] },
  });
  // A start within a minute.
  scene.clock.advance(23_400);
  return scene;
}

const PLAN = { domains: 200, aliases: 1, changed: 0 };
const PAGES = { domains: 40, aliases: 1000, changed: 0 };
const APPLY = { domains: 200, aliases: 1, changed: 200 };
const ADD = { domains: 1, aliases: 2, changed: 1, added: 200 };

declare module 'vitest' {
  interface TaskMeta {
    /** Maximum error of the time left after the first tenth; `bench/` shows it. */
    largestError?: number;
  }
}

const COURSES = [
  ['clock', ['apply', '--yes'], APPLY],
  ['first', ['plan'], PLAN],
  ['clock', ['plan'], PLAN],
  ['sliding', ['plan'], PAGES],
  ['clock', ['export', '--out', 'out.yaml'], PLAN],
  ['first', ['apply', '--yes'], APPLY],
  ['sliding', ['apply', '--yes'], APPLY],
  ['first', ['apply', '--yes'], ADD],
  ['clock', ['apply', '--yes'], ADD],
] as const;

test.for(everyNth(9, COURSES))(
  '%s windows, %j of %j: the time left is right within 15 %%',
  async ([window, args, shape], { task }) => {
    const course = await courseOf(await open(WINDOWS[window], shape), args);
    expect(course.ended - course.started).toBeGreaterThan(8 * 60_000);
    const error = largestError(course);
    task.meta.largestError = error;
    expect(error).toBeLessThanOrEqual(0.15);
    for (const { percent } of course.told) expect(percent).toBeGreaterThan(0);
  },
);

test.runIf(IS_FULL)(
  'a new domain goes on as soon as it is there, and the forecast says how long that takes',
  async () => {
    const scene = await open(WINDOWS.first, ADD);
    const { stdout } = await scene.run(['plan', '--format', 'json']);
    const { forecast } = JSON.parse(stdout) as {
      readonly forecast: {
        readonly requests: number;
        readonly seconds: number;
        readonly total: { readonly requests: number };
      };
    };
    const planned = scene.requests().length;
    const began = scene.clock.monotonic();
    await scene.run(['apply', '--yes']);
    const requests = scene.requests().slice(planned);
    expect(requests.length).toBe(forecast.total.requests);
    // Ten windows for 200 domains. Without parallel domains, domains, aliases and reads would take thirty.
    const took = (scene.clock.monotonic() - began) / 60_000;
    expect(took).toBeLessThan(12);
    expect(Math.abs(forecast.seconds / 60 - took)).toBeLessThan(1);
    const names = requests.filter(({ method }) => method === 'POST').map(({ endpoint }) => endpoint);
    expect(names.indexOf('/domains/:domain/aliases/batch')).toBeLessThan(16 + 1);
    // The existing domain does not wait either.
    expect(requests.findIndex(({ method }) => method === 'PUT')).toBeLessThan(40);
  },
);

test('the time that a person takes to answer is no time of the run', async () => {
  const scene = await open(WINDOWS.first, { domains: 1, aliases: 1, changed: 1 });
  const { code, stdout } = await scene.run(['apply'], {
    seat: 'terminal',
    stdin: 'yes\n',
    onError: (text) => {
      if (text.includes('Apply this plan?')) scene.clock.advance(600_000);
    },
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/requests in 0 s\./);
  const reports = join(scene.directory, 'state');
  const [account = ''] = await readdir(reports);
  const [name = ''] = await readdir(join(reports, account, 'reports'));
  const report: unknown = JSON.parse(await readFile(join(reports, account, 'reports', name), 'utf8'));
  expect(report).toMatchObject({ askedSeconds: 600 });
});
