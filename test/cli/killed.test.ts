import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { routeMail } from '../../src/emulator/delivery-routing.ts';
import { startEmulator, type Emulator } from '../../src/emulator/server.ts';
import type { Clock } from '../../src/model/clock.ts';
import { readCases, type GoldenCase } from '../golden/case.ts';
import { runCommand, type Terminal } from '../golden/cli.ts';
import { restorable } from '../golden/undo.ts';
import { fwdsync } from '../support/command.ts';
import { temporaryDirectory } from '../support/directory.ts';

// The real command, killed with SIGKILL at every single one of its requests; then the same command again.

const KEY = 'key-of-the-killed';
const CASES = readCases(join(import.meta.dirname, '../golden'));
/** Kills that are tried side by side. */
const AT_ONCE = 4;

interface Probe {
  readonly to: string;
  readonly from?: string;
  readonly subject?: string;
  readonly body?: string;
}

/** Mails of which none may ever be without a route unless it is so before or after the run. */
const PROBES: Readonly<Record<string, readonly Probe[]>> = {
  'aliases-of-all-kinds': [
    ...'info sales support jobs press fax legal old-1 careers events nobody'
      .split(' ')
      .map((local) => ({ to: `${local}@acme.example` })),
    ...'front desk office reception'.split(' ').map((local) => ({ to: `${local}@mail-hub.example` })),
  ],
  'rules-of-all-kinds': [
    ...'jobs orders winter spring summer nobody'.split(' ').map((local) => ({ to: `${local}@acme.example` })),
    { to: 'orders@acme.example', from: 'ceo@vip.example', subject: 'invoice 7' },
    { to: 'any@acme.example', from: 'ceo@vip.example' },
    { to: 'any@acme.example', subject: 'invoice 7' },
    { to: 'any@acme.example', body: 'your invoice' },
    { to: 'any@acme.example', subject: '[alarm] invoice' },
    { to: 'jobs@acme.example', subject: 'invoice 7' },
  ],
  'new-domain-with-everything': [
    { to: 'info@acme.example' },
    { to: 'info@new.example' },
    { to: 'any@new.example' },
    { to: 'jobs@new.example' },
  ],
};

interface Kill {
  /** Which of the requests, from 1. */
  readonly nth: number;
  readonly moment: 'before' | 'after';
}

describe.each(Object.keys(PROBES))('%s', (name) => {
  test('survives a kill before and after each of its requests', { timeout: 180_000 }, async () => {
    const golden = CASES.find((candidate) => candidate.name === name) as GoldenCase;
    const whole = await attempt(golden, null);
    expect(whole.code, whole.output).toBe(0);
    const queue = whole.methods.flatMap((method, index) => killsAt(index + 1, method));
    expect(queue.length).toBeGreaterThanOrEqual(12);
    const work = Array.from({ length: AT_ONCE }, async () => {
      for (let kill = queue.shift(); kill !== undefined; kill = queue.shift()) {
        await tryKill(golden, kill, whole);
      }
    });
    await Promise.all(work);
  });
});

/** Whether a GET was processed makes no difference to anybody. */
function killsAt(nth: number, method: string): readonly Kill[] {
  const after = { nth, moment: 'after' } as const;
  return method === 'GET' ? [after] : [{ nth, moment: 'before' }, after];
}

async function tryKill(golden: GoldenCase, kill: Kill, whole: Attempt): Promise<void> {
  const killed = await attempt(golden, kill);
  const about = `killed ${kill.moment} request ${kill.nth}: ${killed.output}`;
  expect(killed.code, about).toBe(0);
  expect(killed.planExit, about).toBe(0);
  expect(killed.end, about).toEqual(whole.end);
  const [first, last] = [killed.routes[0] ?? [], killed.routes.at(-1) ?? []];
  for (const [at, routes] of killed.routes.entries()) {
    const lost = routes.filter((routed, index) => !routed && first[index] === true && last[index] === true);
    expect(lost, `${about}\nmail without a route after request ${at}`).toEqual([]);
  }
}

interface Attempt {
  /** Of the last run: the one that was not killed. */
  readonly code: number;
  readonly output: string;
  /** Of a plan after it. */
  readonly planExit: number;
  readonly end: unknown;
  /** Of each request of the last run. */
  readonly methods: readonly string[];
  /** Whether each probe had a route: at the start, and after each request of any run. */
  readonly routes: readonly (readonly boolean[])[];
}

/** Runs the case in a process of its own, kills it where that is asked for, and runs it again in this one. */
async function attempt(
  { name, directory, manifest, account, options }: GoldenCase,
  kill: Kill | null,
): Promise<Attempt> {
  const cwd = await temporaryDirectory();
  await cp(join(directory, manifest), join(cwd, manifest), { recursive: true });
  const clock = hastyClock();
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    state: account,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: randomUUID,
  });
  try {
    const env = {
      FWDSYNC_API_URL: emulator.urls.v4,
      FWDSYNC_API_KEY: KEY,
      FWDSYNC_STATE_DIR: join(cwd, 'state'),
      ...options.env,
    };
    const routes = [routed(emulator, name)];
    emulator.onRequest(({ phase }) => {
      if (phase === 'after') routes.push(routed(emulator, name));
    });
    const args = ['apply', '-f', manifest, '--yes', ...(options.flags ?? [])];
    if (kill !== null) {
      const result = await fwdsync(args, { cwd, env, onSpawn: (child) => killAt(emulator, child, kill) });
      expect(result.code, `request ${kill.nth} never came: ${result.stdout}${result.stderr}`).toBeNull();
    }
    const terminal: Terminal = { cwd, env, clock };
    emulator.journal.clear();
    const { exitCode, stdout, stderr } = await runCommand(args, terminal);
    const methods = emulator.journal.entries().map(({ method }) => method);
    const end = restorable(emulator.store.dump(), []);
    const plan = await runCommand(['plan', '-f', manifest, '--detailed-exitcode'], terminal);
    return { code: exitCode, output: stdout + stderr, planExit: plan.exitCode, end, methods, routes };
  } finally {
    await emulator.close();
  }
}

/** The process is gone before the request is processed, or before it is answered. */
function killAt(emulator: Emulator, child: ChildProcess, { nth, moment }: Kill): void {
  let arrived = 0;
  let struck = 0;
  emulator.onRequest(async ({ phase }) => {
    if (phase === 'before') arrived += 1;
    if (arrived !== nth || phase !== moment || struck > 0) return;
    struck += 1;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    if (moment === 'before') emulator.faults.push({ match: {}, do: { kind: 'drop', when: 'before' } });
  });
}

/** Refused mail, and mail that only the fallback of a domain takes, has no route. */
function routed(emulator: Emulator, name: string): readonly boolean[] {
  const { state } = emulator.store;
  return (PROBES[name] ?? []).map(({ to, from = 'someone@home.example', subject = '', body = '' }) => {
    const domain = state.domains.get(to.slice(to.indexOf('@') + 1));
    if (domain === undefined) return false;
    const route = routeMail(state, domain, { recipient: to, sender: from, subject, body });
    return route.kind === 'alias' || route.kind === 'rule';
  });
}

/** The time of day, plus all that was slept. */
function hastyClock(): Clock {
  let skipped = 0;
  return {
    now: () => Date.now() + skipped,
    monotonic: () => performance.now() + skipped,
    sleep: async (milliseconds) => {
      skipped += milliseconds;
    },
  };
}
