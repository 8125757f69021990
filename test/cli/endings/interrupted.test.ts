import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RequestSummary } from '../../../src/emulator/http/protocol.ts';
import { openWorkspace, OWNER, type Workspace } from '../../support/workspace.ts';
import { PROGRAM } from '../../support/program.ts';
import { everyNth, IS_FULL } from '../../support/share.ts';

// Real processes and signals, while the service keeps requests waiting.

const NAMES = ['acme.example', 'beta.example', 'corp.example'];
const MANIFEST = `version: 1
api: { account: ${OWNER} }
domains:
${NAMES.map((name) => `  ${name}: { aliases: { sales: bob@corp.example } }`).join('\n')}
`;

interface Waiting extends Workspace {
  /** Holds every request that matches. */
  readonly hold: (which: (request: RequestSummary) => boolean) => void;
  /** Resolves when this many requests are held. */
  readonly held: (count: number) => Promise<void>;
  readonly release: () => void;
}

async function open(): Promise<Waiting> {
  const released = Promise.withResolvers<void>();
  const work = await openWorkspace(
    NAMES.map((domain) => ({ domain, aliases: [{ alias: 'sales', forward: 'ana@corp.example' }] })),
  );
  onTestFinished(() => released.resolve());
  await work.write(MANIFEST);
  let which: (request: RequestSummary) => boolean = () => false;
  let waiting = 0;
  work.emulator.onRequest(async (request) => {
    if (request.phase !== 'before' || !which(request)) return;
    waiting += 1;
    await released.promise;
  });
  return {
    ...work,
    hold: (chosen) => {
      which = chosen;
    },
    held: (count) => expect.poll(() => waiting).toBe(count),
    release: () => released.resolve(),
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: ReturnType<Workspace['run']>;
  readonly stderr: () => string;
}

function start({ run }: Waiting, args: readonly string[]): Running {
  let child: ChildProcess | undefined;
  let text = '';
  const ended = run(args, {
    onSpawn(spawned) {
      child = spawned;
      spawned.stderr?.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
    },
  });
  if (child === undefined) throw new Error('it was not started');
  return { child, ended, stderr: () => text };
}

async function interrupt(running: Running, expected: string | RegExp): Promise<void> {
  running.child.kill('SIGINT');
  await expect.poll(running.stderr).toMatch(expected);
}

const acknowledged = (requests: string): string =>
  `interrupting: waiting for ${requests}; press Ctrl-C again to stop now`;
const ONE = acknowledged('1 request');

const IN_FLIGHT = [
  [['plan'], 1, 130],
  [['who', 'ana@corp.example', '--live'], 1, 130],
  [['export'], 2, 130],
  [['why', 'sales@acme.example'], 1, 130],
  // This is its only request, so nothing is left undone.
  [['verify', 'acme.example'], 1, 0],
  [['verify'], 1, 130],
] as const;

test.each(everyNth(6, IN_FLIGHT))(
  '%j: the first signal answers at once, and what is in flight finishes',
  async (args, sent, exit) => {
    const work = await open();
    work.hold(() => true);
    const running = start(work, args);
    await work.held(sent);
    await interrupt(running, sent === 1 ? ONE : acknowledged(`${sent} requests`));
    work.release();
    const { code } = await running.ended;
    expect([code, work.emulator.journal.total()]).toEqual([exit, sent]);
  },
);

const WITH_REQUESTS = [
  [['plan', '--format', 'json']],
  [['plan', '--domain', 'acme.example']],
  [['apply', '--yes']],
  [['run', '--once']],
  [['export', '--domain', 'acme.example']],
  [['export', '--update', 'fwdsync.yaml']],
  [['verify', 'acme.example']],
  [['logs', 'acme.example']],
  [['logs', 'acme.example', '--follow']],
  [['route', 'sales@acme.example', '--live']],
  [['who', 'ana@corp.example', '--live']],
  [['why', 'sales@acme.example']],
] as const;

test.runIf(IS_FULL).each(WITH_REQUESTS)(
  '%j: the second ends it while requests are in flight',
  async (args) => {
    const work = await open();
    work.hold(({ path }) => !path.startsWith('/account'));
    const running = start(work, args);
    await work.held(1);
    await interrupt(running, ONE);
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stdout + stderr).not.toContain('internal error');
  },
);

test('while it waits for the next poll nothing is in flight', async () => {
  const work = await open();
  const running = start(work, ['logs', 'acme.example', '--follow']);
  // Polls are 5 s apart, so after half a second without a request the last one has been answered.
  let known = 0;
  const isQuiet = (): boolean => {
    const before = known;
    known = work.emulator.journal.total();
    return known > 0 && known === before;
  };
  await expect.poll(isQuiet, { interval: 500 }).toBe(true);
  await interrupt(running, 'interrupting: nothing more is sent; press Ctrl-C again to stop now');
  expect((await running.ended).code).toBe(130);
});

test.runIf(IS_FULL)('before there is anything to wait for the first signal ends it', async () => {
  const work = await open();
  const child = spawn(PROGRAM, ['plan', '-f', '-'], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...work.env },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.on('error', () => {});
  // More than a pipe holds, so it is written only when the test reads.
  await new Promise((resolve) => child.stdin.write('#'.repeat(1_000_000), resolve));
  child.kill('SIGINT');
  await once(child, 'exit');
  expect([child.exitCode, work.emulator.journal.total()]).toEqual([130, 0]);
});

describe('apply, while it writes', () => {
  /** The first request runs alone, because the limit is unknown before its answer. */
  const isLaterWrite = ({ method, path }: RequestSummary): boolean =>
    method !== 'GET' && !path.includes('acme');
  /** Both writes; a read of another domain may be in flight too. */
  const TWO = new RegExp(acknowledged('[23] requests'));

  test('the first signal: what is in flight finishes, is reported, and 3', async () => {
    const work = await open();
    work.hold(isLaterWrite);
    const running = start(work, ['apply', '--yes']);
    await work.held(2);
    await interrupt(running, TWO);
    work.release();
    const { code, stdout } = await running.ended;
    expect(stdout).toContain('stopped: interrupted');
    expect(stdout).toMatch(/3 updated/);
    expect(code).toBe(3);
  });

  test('the second: what was cut off is reported as not known, and 3; the next run converges', async () => {
    const work = await open();
    work.hold(isLaterWrite);
    const running = start(work, ['apply', '--yes', '--format', 'json']);
    await work.held(2);
    await interrupt(running, TWO);
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    const report = JSON.parse(stdout) as { readonly failed: readonly object[]; readonly outcome: string };
    expect(report).toMatchObject({ outcome: 'partial', stopped: { kind: 'interrupted' } });
    expect(report.failed).toHaveLength(2);
    expect(code).toBe(3);
    work.release();
    expect((await work.run(['apply', '--yes'])).code).toBe(0);
  });
});

test.runIf(IS_FULL)('verify reports the domains that were verified by then', async () => {
  const work = await open();
  work.hold(({ path }) => path.includes('beta'));
  const running = start(work, ['verify']);
  await work.held(1);
  await expect.poll(() => work.emulator.journal.total()).toBe(3);
  await interrupt(running, ONE);
  running.child.kill('SIGINT');
  const { code, stdout } = await running.ended;
  expect(stdout).toContain('; acme.example: ready');
  expect(stdout).toContain('; beta.example: could not be verified');
  expect(code).toBe(130);
});

test.runIf(IS_FULL)('on a terminal each leaves a clean line, also where a key was pressed', async () => {
  const work = await open();
  work.hold(({ path }) => path.includes('/aliases'));
  const child = spawn('script', ['-qefc', `${PROGRAM} plan`, '/dev/null'], {
    cwd: work.directory,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', TERM: 'xterm', ...work.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (piece: Buffer) => {
    output += piece.toString();
  });
  const shows = (text: string) => expect.poll(() => output).toContain(text);
  await shows(' left');
  child.stdin.write('\r');
  child.stdin.write('\u0003');
  await shows(`\r\u001b[K${ONE}`);
  // Nothing is restored that may have changed since, such as a hidden cursor or its position.
  expect(output).not.toMatch(/\u001b(?:7|8|\[\?25l)/);
  expect(output.slice(output.lastIndexOf(' left')).replace(ONE, '')).not.toContain('%');
  child.stdin.write('\u0003');
  await once(child, 'close');
  const ends = output.slice(output.indexOf(ONE));
  expect(ends).toContain('\r\u001b[K');
  expect(ends).toMatch(/interrupted after 3 requests; nothing was written/);
  expect(child.exitCode).toBe(130);
});

test('SIGTERM says so in its own words', async () => {
  const work = await open();
  work.hold(() => true);
  const running = start(work, ['plan']);
  await work.held(1);
  running.child.kill('SIGTERM');
  const expected = 'terminating: waiting for 1 request; a second signal stops now\n';
  await expect.poll(running.stderr).toContain(expected);
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(143);
});
