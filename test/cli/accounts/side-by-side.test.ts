import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import { fwdsync, type CommandResult } from '../../support/command.ts';
import { openTwoAccounts, type TwoAccounts } from '../support/two-accounts.ts';
import { everyNth } from '../../support/share.ts';

interface Pair extends TwoAccounts {
  /** Runs a command line in this process. */
  readonly run: (...args: readonly string[]) => Promise<CommandResult>;
  /** Starts a process. */
  readonly start: (...args: readonly string[]) => Running;
}

interface Running {
  readonly ended: Promise<CommandResult>;
  /** Resolves when standard output contains this text. */
  printed(text: RegExp): Promise<void>;
  readonly stop: () => void;
}

async function pair(): Promise<Pair> {
  const accounts = await openTwoAccounts();
  const { directory: cwd, env } = accounts;
  return {
    ...accounts,
    run: (...args) => fwdsync([...args, '--accounts', 'many'], { cwd, env }),
    start: (...args) => start(accounts, args),
  };
}

function start({ directory, env }: TwoAccounts, args: readonly string[]): Running {
  let output = '';
  let stop = (): void => {};
  const waiting = new Set<() => void>();
  const ended = fwdsync([...args, '--accounts', 'many'], {
    cwd: directory,
    env,
    onSpawn(child) {
      stop = () => child.kill('SIGTERM');
      onTestFinished(() => void child.kill('SIGKILL'));
      child.stdout?.on('data', (text) => {
        output += String(text);
        for (const look of waiting) look();
      });
    },
  });
  return {
    ended,
    stop: () => stop(),
    printed(text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = (): void => {
        if (text.test(output)) resolve();
      };
      waiting.add(look);
      look();
      void ended.then(({ stdout, stderr }) => reject(new Error(`never printed:\n${stdout}${stderr}`)));
      return promise;
    },
  };
}

/** Holds every request until it is called. `arrived` resolves with the first request. */
function hold(emulator: Emulator): { readonly arrived: Promise<void>; readonly release: () => void } {
  const gate = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const forget = emulator.onRequest(({ phase }) => {
    if (phase !== 'before') return undefined;
    first.resolve();
    return gate.promise;
  });
  onTestFinished(() => gate.resolve());
  return {
    arrived: first.promise,
    release() {
      forget();
      gate.resolve();
    },
  };
}

/** Resolves after the first write to the account. */
function written(emulator: Emulator): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  emulator.onRequest(({ method, phase }) => {
    if (method !== 'GET' && phase === 'after') resolve();
  });
  return promise;
}

function places(text: string, ...parts: readonly string[]): readonly number[] {
  return parts.map((part) => text.indexOf(part));
}

describe('an account that never answers', () => {
  test('apply: the next one is written and shown meanwhile; the end is in the order of names', async () => {
    const { acme, beta, start } = await pair();
    const { arrived, release } = hold(acme);
    const isWritten = written(beta);
    const running = start('apply', '--yes');
    await Promise.all([arrived, isWritten, running.printed(/undo: /)]);
    expect(acme.journal.entries()).toEqual([]);
    release();
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
    const order = places(stdout, '==> beta <==', '==> acme <==', '\n2 accounts\n  acme  ', '\n  beta  ');
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(stdout.match(/^==> /gm)).toHaveLength(2);
    expect(stdout.match(/^ {2}\w+ {2}converged: 1 added\./gm)).toHaveLength(2);
  });

  test('plan: documents and the saved plans are in the order of names', async () => {
    const { acme, beta, directory, run } = await pair();
    const { arrived, release } = hold(acme);
    const read = Promise.withResolvers<void>();
    beta.onRequest(({ path, phase }) => {
      if (path.startsWith('/domains/') && phase === 'after') read.resolve();
    });
    const ended = run('plan', '--format', 'json', '--out', 'plans.json');
    await Promise.all([arrived, read.promise]);
    release();
    const { code, stdout } = await ended;
    const saved = await readFile(join(directory, 'plans.json'), 'utf8');
    for (const text of [stdout, saved]) {
      expect(JSON.parse(text)).toMatchObject({
        kind: 'fwdsync/accounts@1',
        accounts: [
          { name: 'acme', exitCode: 0, document: { kind: 'fwdsync/plan@1', summary: { add: 1 } } },
          { name: 'beta', exitCode: 0, document: { kind: 'fwdsync/plan@1', summary: { add: 1 } } },
        ],
      });
    }
    expect(code).toBe(0);
  });

  test.each(
    everyNth(2, [
      ['--once', (): void => {}],
      ['--listen=127.0.0.1:0', ({ stop }: Running): void => stop()],
    ] as const),
  )(
    'run %s: the next one is written meanwhile, and each line of the log names its account',
    async (flag, end) => {
      const { acme, beta, start } = await pair();
      const { arrived, release } = hold(acme);
      const isWritten = written(beta);
      const running = start('run', flag);
      await Promise.all([arrived, isWritten, running.printed(/converged/)]);
      expect(acme.journal.entries()).toEqual([]);
      release();
      await running.printed(/"account":"acme".*"converged"/);
      end(running);
      const { code, stdout } = await running.ended;
      expect(code).toBe(0);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { account?: string; outcome?: string });
      const converged = lines.filter(({ outcome }) => outcome === 'converged');
      expect(converged.map(({ account }) => account)).toEqual(['beta', 'acme']);
    },
  );
});

describe('an account that fails', () => {
  test.each(everyNth(2, [401, 503]))('%i: the next one is applied, and the exit code is 3', async (code) => {
    const { acme, beta, run } = await pair();
    acme.faults.push({
      match: { times: 'always' },
      do: { kind: 'status', code, headers: { 'Retry-After': '600' } },
    });
    const isWritten = written(beta);
    const result = await run('apply', '--yes');
    await isWritten;
    expect(result.code).toBe(3);
    expect(result.stderr).toMatch(new RegExp(`^==> acme <==\nerror: GET /account: .*${code}`));
    expect(result.stdout).toMatch(
      /2 accounts\n {2}acme {2}failed: GET \/account: .*\n {2}beta {2}converged:/,
    );
  });

  test('429 with a wait of minutes: the next one is applied meanwhile, and SIGTERM ends the wait', async () => {
    const { acme, beta, start } = await pair();
    const limited = Promise.withResolvers<void>();
    acme.onRequest(({ phase }) => {
      if (phase === 'after') limited.resolve();
    });
    acme.faults.push({
      match: { times: 'always' },
      do: { kind: 'status', code: 429, headers: { 'Retry-After': '600' } },
    });
    const isWritten = written(beta);
    const running = start('apply', '--yes');
    await Promise.all([limited.promise, isWritten, running.printed(/undo: /)]);
    running.stop();
    const { code, stdout } = await running.ended;
    expect(code).toBe(3);
    expect(stdout).toMatch(/2 accounts\n {2}acme {2}terminated: .*\n {2}beta {2}converged:/);
    expect(acme.journal.entries()).toHaveLength(1);
  });
});

test('validate: SARIF and JUnit are one document of all accounts', async () => {
  const { directory, run } = await pair();
  await appendFile(join(directory, 'many/beta.yaml'), 'domain: typo\n');
  const sarif = await run('validate', '--format', 'sarif');
  expect(sarif.code).toBe(5);
  expect(JSON.parse(sarif.stdout)).toMatchObject({ runs: [{ results: [{ ruleId: 'unknown-key' }] }] });
  const junit = await run('validate', '--format', 'junit');
  expect(junit.code).toBe(5);
  expect(junit.stdout.match(/<testsuites tests="2" failures="1"/g)).toHaveLength(1);
});

test('many accounts in Markdown: each below a heading with its name', async () => {
  const { run } = await pair();
  const { stdout } = await run('plan', '--format', 'markdown');
  expect(stdout.match(/^## .*\n\n### fwdsync plan$/gm)).toHaveLength(2);
  expect(stdout).not.toContain('==>');
});
