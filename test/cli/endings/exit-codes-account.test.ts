import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { deliverMessage } from '../../../src/emulator/delivery/delivery.ts';
import { openWorkspace, OWNER, type Workspace } from '../../support/workspace.ts';
import { PROGRAM } from '../../support/program.ts';
import { everyNth, IS_FULL } from '../../support/share.ts';

const DOMAINS = [
  {
    domain: 'acme.example',
    dns: 'valid' as const,
    aliases: [{ alias: 'sales', forward: 'ana@corp.example' }],
  },
  { domain: 'new.example', dns: 'missing' as const },
];

async function open(): Promise<Workspace> {
  const workspace = await openWorkspace(DOMAINS);
  await workspace.write('version: 1\ndomains:\n  acme.example:\n    aliases: { sales: ana@corp.example }\n');
  return workspace;
}

/** True if a code other than 0 answers a question and means no failure. */
function isAnswer(command: string | undefined, code: number): boolean {
  return (command === 'verify' && code < 64) || code === 2 || (command === 'replace' && code === 4);
}

describe('the commands that look at the account', () => {
  const lines = [
    [0, ['verify', 'acme.example']],
    [1, ['verify', 'other.example']],
    [2, ['verify']],
    [64, ['verify', 'acme']],
    [0, ['logs', 'acme.example', '--format', 'json']],
    [0, ['logs', 'acme.example', '--count']],
    [1, ['logs', 'other.example']],
    [64, ['logs']],
    [64, ['logs', 'acme.example', '--count', '--follow']],
    [64, ['logs', 'acme.example', '--sender', 'a@b.example', '--api-version', 'v3']],
    [0, ['route', 'sales@acme.example']],
    [0, ['route', 'nobody@acme.example']],
    [0, ['route', 'sales@acme.example', '--live']],
    [1, ['route', 'sales@other.example', '--live']],
    [64, ['route', 'sales@other.example']],
    [0, ['who', 'ana@corp.example']],
    [0, ['who', 'nobody@corp.example']],
    [64, ['who', 'ana']],
    [0, ['why', 'sales@acme.example']],
    [2, ['why', 'nobody@acme.example']],
    [64, ['why', 'sales@other.example']],
    [0, ['replace', 'ana@corp.example', 'ben@corp.example', '--dry-run']],
    [0, ['replace', 'ana@corp.example', 'ben@corp.example']],
    [0, ['replace', 'nobody@corp.example', 'ben@corp.example']],
    [4, ['replace', '--remove', 'ana@corp.example']],
    [64, ['replace', 'ana@corp.example']],
    [0, ['account']],
    [64, ['account', '--format', 'xml']],
  ] as const;

  test.each(everyNth(2, lines))('%i: %j', async (expected, args) => {
    const { code, stderr } = await (await open()).run(args);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stderr === '').toBe(expected === 0 || isAnswer(args[0], expected));
    expect(code).toBe(expected);
  });

  const refused: readonly string[][] = [
    ['verify'],
    ['logs', 'acme.example'],
    ['route', 'a@acme.example', '--live'],
    ['why', 'a@acme.example'],
    ['account'],
  ];

  test.each(everyNth(2, refused))('1: a wrong key, which is never shown: %s', async (...args) => {
    const workspace = await open();
    const env = { FWDSYNC_API_KEY: 'wrong-key-value' };
    const { code, stdout, stderr } = await workspace.run(args, { env });
    expect(stderr).toContain('401');
    expect(stdout + stderr).not.toContain('wrong-key-value');
    expect(code).toBe(1);
  });

  test('130: logs --follow, interrupted', async () => {
    const workspace = await open();
    let interrupt = (): void => undefined;
    workspace.emulator.onRequest(({ phase }) => {
      if (phase === 'after') interrupt();
    });
    const { code } = await workspace.run(['logs', 'acme.example', '--follow'], {
      onSpawn(child) {
        interrupt = () => void child.kill('SIGINT');
      },
    });
    expect(code).toBe(130);
  });

  test.runIf(IS_FULL)('0: logs --follow, with a closed output', { timeout: 20_000 }, async () => {
    const workspace = await open();
    const message = { to: 'sales@acme.example', from: 'x@corp.example' };
    deliverMessage(workspace.emulator.store.state, message);
    // The second output goes to a closed pipe.
    const deliver = workspace.emulator.onRequest(({ phase }) => {
      if (phase === 'after') deliverMessage(workspace.emulator.store.state, message);
    });
    const line =
      'logs acme.example --follow --after 2000-01-01 | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}';
    const code = await bash(workspace, line);
    deliver();
    expect(code).toBe(0);
  });

  // `test/cli/process/lost-output.test.ts` checks the same in `npm test`.
  test.runIf(IS_FULL)('0: an apply whose reader goes away comes to its end', async () => {
    const workspace = await open();
    await workspace.write('version: 1\ndomains:\n  acme.example:\n    aliases: { info: ana@corp.example }\n');
    const line = `apply --yes --account ${OWNER} | true; exit \${PIPESTATUS[0]}`;
    expect(await bash(workspace, line)).toBe(0);
    const [domain] = workspace.emulator.store.dump().domains;
    expect(domain?.aliases.map(({ alias }) => alias)).toEqual(['info', 'sales']);
  });
});

/** Runs `fwdsync` in a shell, followed by this text. Returns the exit code. */
async function bash({ directory, env }: Workspace, line: string): Promise<number | null> {
  const child = spawn('bash', ['-c', `${PROGRAM} ${line}`], {
    cwd: directory,
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
  });
  await once(child, 'close');
  return child.exitCode;
}
