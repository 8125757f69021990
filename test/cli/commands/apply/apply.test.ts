import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import reportSchema from '../../../../schemas/report.v1.schema.json' with { type: 'json' };
import { commandScene } from '../../support/scene.ts';
import { openWorkspace, OWNER, type Workspace } from '../../../support/workspace.ts';
import { PROGRAM } from '../../../support/program.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';

const validate = new Ajv2020({ validateFormats: false }).compile(reportSchema);

const ACCOUNT = [
  {
    domain: 'acme.example',
    aliases: [
      { alias: 'sales', forward: 'bob@corp.example' },
      { alias: 'a', forward: 'ana@corp.example' },
      { alias: 'b', forward: 'ana@corp.example' },
      { alias: 'c', forward: 'ana@corp.example' },
      { alias: 'd', forward: 'ana@corp.example' },
      { alias: 'e', forward: 'ana@corp.example' },
      { alias: 'old', forward: 'ana@corp.example' },
    ],
  },
];

const head = (account: string | null = OWNER): string =>
  `version: 1\n${account === null ? '' : `api: { account: ${account} }\n`}domains:\n  acme.example:\n`;
const KEPT = ['a', 'b', 'c', 'd', 'e'].map((name) => `      ${name}: ana@corp.example\n`).join('');
const MANIFEST = `${head()}    prune: { aliases: true }
    aliases:
      sales: carol@corp.example
${KEPT}      info: ana@corp.example
`;

async function workspace(manifest = MANIFEST): Promise<Workspace> {
  const opened = await openWorkspace(ACCOUNT);
  await opened.write(manifest);
  return opened;
}

describe('apply', () => {
  test('0: converged, then unchanged; what it says is what is there', async () => {
    const { run, emulator, writes } = await workspace();
    const first = await run(['apply', '--yes']);
    expect(first.stdout).toContain('~ alias  sales');
    expect(first.stdout).toContain('converged: 1 added, 1 updated, 1 deleted.');
    expect(first.code, first.stderr).toBe(0);
    expect(writes()).toHaveLength(3);
    emulator.journal.clear();
    const second = await run(['apply', '--yes']);
    expect(second.stdout).toContain('no changes.');
    expect(second.code).toBe(0);
    expect(writes()).toEqual([]);
    expect((await run(['plan', '--detailed-exitcode'])).code).toBe(0);
  });

  test('the report is a document that matches its schema', async () => {
    const { run } = await workspace();
    const { code, stdout } = await run(['apply', '--yes', '--format', 'json']);
    const report = JSON.parse(stdout) as { outcome: string; applied: unknown[] };
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(report).toMatchObject({ outcome: 'converged', summary: { added: 1, updated: 1, deleted: 1 } });
    expect(code).toBe(0);
  });

  test('3: a rejected item is named with its line, and the deletes of its domain wait', async () => {
    const opened = await openWorkspace(ACCOUNT, { switches: { ownDomainForward: 'refuse' } });
    await opened.write(`${MANIFEST}      bad: info@acme.example\n`);
    const { code, stdout } = await opened.run(['apply', '--yes']);
    expect(stdout).toMatch(/fwdsync\.yaml:14:7: alias acme\.example\/bad: .*own|itself/);
    expect(stdout).toContain('account: alias acme.example/old: not deleted');
    expect(stdout).toContain('partial: 1 added, 1 updated, 1 failed, 1 skipped.');
    expect(code).toBe(3);
    const json = await opened.run(['apply', '--yes', '--format', 'json']);
    expect(validate(JSON.parse(json.stdout)), JSON.stringify(validate.errors)).toBe(true);
  });

  test('1: nothing could be written, for the service refused all of it', async () => {
    const { run, emulator } = await workspace(`${head()}    aliases: { info: ana@corp.example }\n`);
    emulator.faults.push({
      match: { method: 'POST', times: 'always' },
      do: { kind: 'status', code: 400, body: { message: 'no' } },
    });
    const { code, stdout } = await run(['apply', '--yes']);
    expect(stdout).toContain(
      'fwdsync.yaml:5:16: alias acme.example/info: no (POST /domains/:domain/aliases, 400)',
    );
    expect(code).toBe(1);
  });

  test('1: a wrong key', async () => {
    const { run, writes } = await workspace();
    const { code, stderr } = await run(['apply', '--yes'], { env: { FWDSYNC_API_KEY: 'wrong-key-value' } });
    expect(stderr).toContain('401');
    expect(code).toBe(1);
    expect(writes()).toEqual([]);
  });

  test('1: a domain that cannot be read; the others go on with --skip-refused', async () => {
    const { run, emulator, writes } = await workspace(
      `${head()}    aliases: { info: ana@corp.example }\n  new.example:\n    aliases: { info: ana@corp.example }\n`,
    );
    emulator.faults.push({
      match: { method: 'GET', path: '^/domains/acme\\.example/aliases', times: 'always' },
      do: { kind: 'listing', empty: true },
    });
    const refused = await run(['apply', '--yes']);
    expect(refused.stderr).toContain('acme.example');
    expect(refused.code).toBe(1);
    expect(writes()).toEqual([]);
    const skipped = await run(['apply', '--yes', '--skip-refused']);
    expect(skipped.stdout).toContain('withheld: acme.example');
    expect(skipped.code).toBe(3);
  });

  test.runIf(IS_FULL)('1: the lock is held, and its holder is named', { timeout: 30_000 }, async () => {
    const { run, writes, emulator } = await workspace();
    await run(['plan']);
    const first = run(['apply', '--yes']);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { promise: writing, resolve: wrote } = Promise.withResolvers<void>();
    const stop = emulator.onRequest(async ({ method }) => {
      if (method === 'GET') return;
      wrote();
      await held;
    });
    await writing;
    const second = await run(['apply', '--yes']);
    stop();
    release();
    expect(second.stderr).toContain(hostname());
    expect(second.stderr).toContain('apply');
    expect(second.code).toBe(1);
    expect((await first).code).toBe(0);
    expect(writes()).toHaveLength(3);
  });

  test('1: no snapshot, no write', async () => {
    const { run, directory, writes } = await workspace();
    await writeFile(join(directory, 'state'), 'a file where the directory should be');
    const { code, stderr } = await run(['apply', '--yes']);
    expect(stderr).toContain('state');
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(code).toBe(1);
    expect(writes()).toEqual([]);
  });

  test('4: a guard refuses, with the way to allow it; its number allows it', async () => {
    const { run, writes } = await workspace(
      `${head()}    prune: { aliases: true }\n    aliases: { a: ana@corp.example }\n`,
    );
    const refused = await run(['apply', '--yes']);
    expect(refused.stdout).toContain('allow it with --allow-deletes 6');
    expect(refused.code).toBe(4);
    expect(writes()).toEqual([]);
    const json = await run(['apply', '--yes', '--format', 'json']);
    expect(validate(JSON.parse(json.stdout)), JSON.stringify(validate.errors)).toBe(true);
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'refused' });
    expect(json.code).toBe(4);
    expect((await run(['apply', '--yes', '--allow-deletes', '6'])).code).toBe(0);
  });

  test('4: --yes without a stated account, and with another one than answers', async () => {
    const { run, writes } = await workspace(`${head(null)}    aliases: { info: ana@corp.example }\n`);
    const unstated = await run(['apply', '--yes']);
    expect(unstated.stdout).toContain('account-required');
    expect(unstated.code).toBe(4);
    const other = await run(['apply', '--yes', '--account', 'other@acme.example']);
    expect(other.stdout).toContain('account-mismatch');
    expect(other.code).toBe(4);
    expect(writes()).toEqual([]);
    expect((await run(['apply', '--yes', '--account', OWNER])).code).toBe(0);
  });

  test('5: the manifest is invalid, and nothing is requested', async () => {
    const { run, emulator } = await workspace(`${head()}    aliases: { info: nobody }\n`);
    const { code, stderr } = await run(['apply', '--yes']);
    expect(stderr).toContain('fwdsync.yaml:5:22: error:');
    expect(code).toBe(5);
    expect(emulator.journal.entries()).toEqual([]);
  });

  test('5: a password that would be sent is not set, or too short; nothing is written', async () => {
    const { run, writes } = await workspace(
      `${head()}    credentials: { carol: { password: { env: CAROL } } }\n`,
    );
    const unset = await run(['apply', '--yes']);
    expect(unset.stderr).toContain('CAROL');
    expect(unset.code).toBe(5);
    const short = await run(['apply', '--yes'], { env: { CAROL: 'sevench' } });
    expect(short.stderr).not.toContain('sevench');
    expect(short.code).toBe(5);
    expect(writes()).toEqual([]);
    expect((await run(['apply', '--yes'], { env: { CAROL: 'long enough' } })).code).toBe(0);
  });

  test('5: a rule whose type is fixed shows only when the account is read; nothing is written', async () => {
    const { run, writes } = await workspace(`${head()}    rules:
      - { name: vip, alias: vip, forward: ana@corp.example }
`);
    expect((await run(['apply', '--yes'])).code).toBe(0);
    const before = writes().length;
    const listed = await run(['export']);
    const id = /id: ([0-9a-f-]{36})/.exec(listed.stdout)?.[1] ?? 'missing';
    const changed = `${head()}    rules:\n      - { name: vip, id: ${id}, regex: "vip", scopes: [subject], forward: ana@corp.example }\n`;
    const { code, stdout } = await run(['apply', '--yes', '-f', '-'], { stdin: changed });
    expect(stdout).toContain('rule-type-fixed');
    expect(code).toBe(5);
    expect(writes()).toHaveLength(before);
  });

  test('64: no terminal to ask and no --yes; accounts that differ', async () => {
    const { run, emulator } = await workspace();
    const unasked = await run(['apply']);
    expect(unasked.stderr).toContain('--yes');
    expect(unasked.code).toBe(64);
    expect((await run(['apply', '--yes', '--account', 'other@acme.example'])).code).toBe(64);
    expect(emulator.journal.entries()).toEqual([]);
  });

  test.each(
    everyNth(2, [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ]),
  )('%s before anything was written: %i', async (signal, expected) => {
    const { run, emulator, writes } = await workspace();
    let kill = (): void => {};
    const stop = emulator.onRequest(({ path }) => {
      if (!path.startsWith('/domains/')) return;
      stop(); // a second signal would end it at once
      kill();
    });
    const { code } = await run(['apply', '--yes'], {
      onSpawn: (child) => {
        kill = () => child.kill(signal);
      },
    });
    expect(code).toBe(expected);
    expect(writes()).toEqual([]);
  });

  test('SIGTERM once something was written: 3, and the next run converges', async () => {
    const { run, emulator, writes } = await workspace();
    let kill = (): void => {};
    const stop = emulator.onRequest(({ method, phase }) => {
      if (method === 'GET' || phase !== 'before') return;
      stop(); // a second signal would end it at once
      kill();
    });
    const { code, stdout } = await run(['apply', '--yes'], {
      onSpawn: (child) => {
        kill = () => child.kill('SIGTERM');
      },
    });
    expect(stdout).toContain('stopped');
    expect(code).toBe(3);
    expect(writes().length).toBeLessThan(3);
    expect((await run(['apply', '--yes'])).code).toBe(0);
  });

  test('leaves a snapshot that undoes it, and its report, for the owner alone', async () => {
    const { run } = await workspace();
    const { stdout } = await run(['apply', '--yes']);
    const snapshot = /snapshot: fwdsync apply -f (\S+)/.exec(stdout)?.[1] ?? 'missing';
    expect(await readFile(snapshot, 'utf8')).toContain('state: absent');
    const undone = await run(['apply', '--yes', '-f', snapshot, '--account', OWNER]);
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    const exported = await run(['export']);
    expect(exported.stdout).toContain('sales: bob@corp.example');
    expect(exported.stdout).toContain('old: ana@corp.example');
    expect(exported.stdout).not.toContain('info:');
  });
});

describe('apply on a terminal', () => {
  // `script` gives the command its own terminal.
  const typed = (work: Workspace, answers: string, args: readonly string[] = []) =>
    work.terminal([PROGRAM, 'apply', ...args].join(' '), answers);

  test.runIf(IS_FULL)('asks, and applies after a yes', async () => {
    const work = await workspace();
    const { code, output } = await typed(work, 'yes\n');
    expect(output).toContain('Only "yes" is accepted');
    expect(output).toContain('converged');
    expect(code).toBe(0);
  });

  test('writes nothing after anything else', async () => {
    const manifest = 'domains: { acme.example: { aliases: { info: ana@corp.example } } }\n';
    const scene = await commandScene({ seed: { domains: ACCOUNT }, manifest });
    const { code, stdout, stderr } = await scene.run(['apply'], { seat: 'terminal', stdin: 'y\n' });
    expect(stdout + stderr).toContain('nothing was written');
    expect(code).toBe(1);
    expect(scene.writes()).toEqual([]);
  });

  const SHRUNK = `${head()}    prune: { aliases: true }\n    aliases: { a: ana@corp.example }\n`;

  test.runIf(IS_FULL)('writes nothing after another number than that of a guard', async () => {
    const wrong = await workspace(SHRUNK);
    expect((await typed(wrong, '7\n')).code).toBe(4);
    expect(wrong.writes()).toEqual([]);
  });

  test('asks for the number of a guard', async () => {
    const right = await workspace(SHRUNK);
    const { code, output } = await typed(right, '6\nyes\n');
    expect(output).toContain('Type 6 to allow it');
    expect(code, output).toBe(0);
  });
});
