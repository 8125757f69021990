import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/http/server.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import { readCases, type GoldenCase } from '../../golden/support/case.ts';
import { runCommand, type Terminal } from '../../golden/support/cli.ts';
import { loadDesired } from '../../golden/support/desired.ts';
import { probesOf, routesOf, strayed } from '../../golden/support/routes.ts';
import { restorable } from '../../golden/support/undo.ts';
import { fwdsync } from '../../support/command.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { everyNth } from '../../support/share.ts';

// The real command, killed with SIGKILL at each of its requests; then the same command again.

const KEY = 'key-of-the-killed';
const CASES = readCases(join(import.meta.dirname, '../../golden'));
/** Number of kills that run in parallel. */
const AT_ONCE = 4;

const NAMES = ['rules-of-all-kinds', 'new-domain-with-everything'];

interface Kill {
  /** Number of the request, from 1. */
  readonly nth: number;
  readonly moment: 'before' | 'after';
}

describe.each(NAMES)('%s', (name) => {
  test('survives a kill before and after each of its requests', { timeout: 180_000 }, async () => {
    const golden = CASES.find((candidate) => candidate.name === name) as GoldenCase;
    const whole = await attempt(golden, null);
    expect(whole.code, whole.output).toBe(0);
    const kills = whole.methods.flatMap((method, index) => killsAt(index + 1, method));
    expect(kills.length).toBeGreaterThanOrEqual(12);
    const queue = [...everyNth(20, kills)];
    const work = Array.from({ length: AT_ONCE }, async () => {
      for (let kill = queue.shift(); kill !== undefined; kill = queue.shift()) {
        await tryKill(golden, kill, whole);
      }
    });
    await Promise.all(work);
  });
});

/** It makes no difference whether a GET was processed. */
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
  expect(killed.strayed, about).toEqual([]);
}

interface Attempt {
  /** Outcome of the last run, which was not killed. */
  readonly code: number;
  readonly output: string;
  /** Result of a plan after it. */
  readonly planExit: number;
  readonly end: unknown;
  /** Requests of the last run. */
  readonly methods: readonly string[];
  /** Mails that would have been lost or sent to a wrong destination between two requests of any run. */
  readonly strayed: readonly string[];
}

/** Runs the case in a separate process, kills it at the given request, and runs it again in this process. */
async function attempt(golden: GoldenCase, kill: Kill | null): Promise<Attempt> {
  const { directory, manifest, account, options } = golden;
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
    const probes = probesOf(emulator.store.dump(), loadDesired(golden, 'v4'));
    const way = [routesOf(emulator, probes)];
    emulator.onRequest(({ phase }) => {
      if (phase === 'after') way.push(routesOf(emulator, probes));
    });
    const args = ['apply', '-f', manifest, '--yes', ...(options.flags ?? [])];
    if (kill !== null) {
      const result = await fwdsync(args, { cwd, env, onSpawn: (child) => killAt(emulator, child, kill) });
      expect(result.code, `request ${kill.nth} never came: ${result.stdout}${result.stderr}`).toBeNull();
    }
    const terminal: Terminal = { cwd, env, clock };
    emulator.journal.clear();
    const { exitCode, stdout, stderr } = await runAllowed(args, terminal);
    const methods = emulator.journal.entries().map(({ method }) => method);
    const end = restorable(emulator.store.dump(), []);
    const plan = await runCommand(['plan', '-f', manifest, '--detailed-exitcode'], terminal);
    const output = stdout + stderr;
    return { code: exitCode, output, planExit: plan.exitCode, end, methods, strayed: strayed(probes, way) };
  } finally {
    await emulator.close();
  }
}

/**
 * If a run is killed before it has read the items that the service made with a new domain, the origin of the `*` there is unknown.
 * The next run asks, and this function gives the flag that allows it.
 */
async function runAllowed(args: readonly string[], terminal: Terminal): ReturnType<typeof runCommand> {
  const run = await runCommand(args, terminal);
  const allowed = [...run.stdout.matchAll(/--allow-unrouted '?([^\s'\]]+)/g)].map(
    ([, address = '']) => address,
  );
  if (run.exitCode !== 4 || allowed.length === 0) return run;
  return runCommand([...args, ...allowed.flatMap((address) => ['--allow-unrouted', address])], terminal);
}

/** The process is killed before the request is processed, or before it is answered. */
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

/** The real time, plus all sleeps. */
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
