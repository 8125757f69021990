import { execFileSync } from 'node:child_process';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { daemon } from '../cli/support/daemon-process.ts';
import { commandScene, KEY, OWNER, type CommandScene } from '../cli/support/scene.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { everyNth } from '../support/share.ts';
import { openWorkspace } from '../support/workspace.ts';

const ADDRESS = 'boss@corp.example';

/** A directory with the manifest, and one without it. */
async function open(reference: string): Promise<{ scene: CommandScene; outside: string }> {
  const scene = await commandScene({ manifest: manifestWith(reference) });
  const outside = await realpath(await temporaryDirectory());
  await writeFile(join(outside, 'secret'), `${ADDRESS}\n`);
  return { scene, outside };
}

function manifestWith(reference: string): string {
  return `domains: { acme.example: { aliases: { sales: ${reference} } } }\n`;
}

/** Returns the message of `plan` about a reference, and checks that a refused one causes no request. */
async function plan(scene: CommandScene, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await scene.run(['plan'], { env });
  if (code === 0) return stdout.includes('+ alias') ? 'planned' : stdout;
  expect([code, scene.requests()]).toEqual([5, []]);
  return stderr;
}

function credentialsSent(scene: CommandScene): readonly unknown[] {
  return scene.writes().filter(({ path }) => path.includes('/credentials'));
}

describe('a file behind a reference', () => {
  const DEVICES = [
    ['/dev/zero', 'it is not a regular file'],
    ['/dev/stdin', /it is not a regular file|is not set/],
    ['/proc/kmsg', /it cannot be read \(E|it is not a regular file/],
    ['/dev/zero/x', 'is not set'],
    ['.', 'it is not'],
  ] as const;

  test.each(everyNth(2, DEVICES))(
    '%s ends plan and validate at once, wherever references may lead',
    async (path, reason) => {
      const { scene } = await open(`{ file: ${path} }`);
      const env = { FWDSYNC_REFERENCE_PATH: '/' };
      expect(await plan(scene, env)).toMatch(reason);
      const { code, stderr } = await scene.run(['validate'], { env });
      expect(code).toBe(0);
      expect(stderr).toMatch(reason);
    },
  );

  test.each(['/dev/zero', '/proc/kmsg', '/proc/self/environ', '/etc/passwd'])(
    '%s is not below a directory of references',
    async (path) => {
      const { scene } = await open(`{ file: ${path} }`);
      expect(await plan(scene)).toContain('it is not below /run/secrets or /var/run/secrets');
    },
  );

  test('a FIFO without a writer ends plan at once', async () => {
    const { scene } = await open('{ file: pipe }');
    execFileSync('mkfifo', [join(scene.directory, 'pipe')]);
    expect(await plan(scene)).toContain('it is not a regular file');
  });

  test('it holds up to 64 KiB', async () => {
    const { scene } = await open('{ file: large }');
    const list = (bytes: number): string => `${ADDRESS}${' '.repeat(bytes - ADDRESS.length)}`;
    await writeFile(join(scene.directory, 'large'), list(64 * 1024));
    expect(await plan(scene)).toBe('planned');
    scene.emulator.journal.clear();
    await writeFile(join(scene.directory, 'large'), list(64 * 1024 + 1));
    expect(await plan(scene)).toContain('it is larger than 64 KiB');
  });

  test('a relative one stays below the directory of its manifest, links followed', async () => {
    const { scene, outside } = await open('{ file: secrets/boss }');
    await mkdir(join(scene.directory, '..data'));
    await writeFile(join(scene.directory, '..data/boss'), ADDRESS);
    await symlink('..data', join(scene.directory, 'secrets'));
    expect(await plan(scene)).toBe('planned');
    scene.emulator.journal.clear();
    await symlink(join(outside, 'secret'), join(scene.directory, 'link'));
    for (const path of ['link', `../${outside.split('/').at(-1)}/secret`]) {
      await scene.manifest(manifestWith(`{ file: ${path} }`));
      expect(await plan(scene)).toContain(`it is not below ${scene.directory}`);
    }
  });

  test('an absolute one stays below FWDSYNC_REFERENCE_PATH, links followed', async () => {
    const { scene, outside } = await open('{ file: /nowhere }');
    const allowed = await temporaryDirectory();
    await scene.manifest(manifestWith(`{ file: ${outside}/secret }`));
    expect(await plan(scene, { FWDSYNC_REFERENCE_PATH: `${allowed}:${outside}` })).toBe('planned');
    scene.emulator.journal.clear();
    expect(await plan(scene, { FWDSYNC_REFERENCE_PATH: allowed })).toContain(`it is not below ${allowed}`);
    await symlink(join(outside, 'secret'), join(allowed, 'link'));
    await scene.manifest(manifestWith(`{ file: ${allowed}/link }`));
    expect(await plan(scene, { FWDSYNC_REFERENCE_PATH: allowed })).toContain(`it is not below ${allowed}`);
  });

  test('the token of a Kubernetes service account is refused', async () => {
    const { scene, outside } = await open('{ file: /nowhere }');
    const directory = join(outside, 'kubernetes.io/serviceaccount');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'token'), ADDRESS);
    await symlink(join(directory, 'token'), join(outside, 'token'));
    for (const path of [`${directory}/token`, `${outside}/token`]) {
      await scene.manifest(manifestWith(`{ file: ${path} }`));
      const said = await plan(scene, { FWDSYNC_REFERENCE_PATH: outside });
      expect(said).toContain('it is the token of a Kubernetes service account');
    }
  });

  test('one line break at its end is cut; an empty one is not set', async () => {
    const { scene } = await open('{ file: boss }');
    const write = (text: string): Promise<void> => writeFile(join(scene.directory, 'boss'), text);
    for (const text of ['x@y.example\r\n', 'x@y.example, z@y.example\n']) {
      await write(text);
      expect(await plan(scene)).toBe('planned');
    }
    scene.emulator.journal.clear();
    await write('\n');
    expect(await plan(scene)).toContain('{ file: boss } is not set');
  });
});

describe('a value that is a secret of the operator is refused', () => {
  const NOTIFY = 'https://hooks.corp.example/T0/s3cret';
  const WEBHOOK = 'https://hooks.corp.example/k3y-as-a-webhook';

  const OWN_VARIABLE = 'it is a variable that fwdsync itself uses';

  const SECRETS: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ['FWDSYNC_API_KEY', OWN_VARIABLE, { FWDSYNC_API_KEY: WEBHOOK }],
    [
      'A_COPY',
      'its value is the API key of an account',
      { FWDSYNC_API_KEY: WEBHOOK, A_COPY: `ana@corp.example, ${WEBHOOK}` },
    ],
    ['FWDSYNC_NOTIFY_URL', OWN_VARIABLE, { FWDSYNC_NOTIFY_URL: NOTIFY }],
    ['FWDSYNC_STORE_KEY', OWN_VARIABLE, {}],
    ['PGPASSWORD', OWN_VARIABLE, { PGPASSWORD: WEBHOOK }],
    ['A_COPY', 'its value is the password of the store', { PGPASSWORD: WEBHOOK, A_COPY: WEBHOOK }],
  ];

  test.each(everyNth(3, SECRETS))('as a destination: %s, because %s', async (name, why, env) => {
    const { scene } = await open(`{ env: ${name} }`);
    const said = await plan(scene, env);
    expect(said).toContain(`{ env: ${name} } cannot be used: ${why}`);
    expect(said).not.toContain('hooks.corp.example');
  });

  test('as a password, which apply would send', async () => {
    const { scene } = await open('discard');
    await scene.manifest(
      'domains: { acme.example: { credentials: { carol: { password: { env: COPY } } } } }',
    );
    const { code, stderr } = await scene.run(['apply', '--yes'], { env: { COPY: KEY } });
    expect([code, credentialsSent(scene)]).toEqual([3, []]);
    expect(stderr).toContain('cannot be used: its value is the API key of an account');
    expect(stderr).not.toContain(KEY);
  });

  test('if it is the key of another account, in the file of the operator or of a manifest', async () => {
    const { scene, outside } = await open('discard');
    await writeFile(join(outside, 'key'), `${KEY}\n`);
    const accounts = join(scene.directory, 'accounts');
    await mkdir(accounts);
    const account = (email: string, key: string, reference: string): string =>
      `version: 1\napi: { account: ${email}, key: { env: ${key} } }\n${manifestWith(reference)}`;
    await writeFile(join(accounts, 'a.yaml'), account('a@a.example', 'A_KEY', '{ env: COPY_OF_B }'));
    await writeFile(join(accounts, 'b.yaml'), account(OWNER, 'B_KEY', 'discard').replace('acme', 'other'));
    const { code, stderr } = await scene.run(['plan', '--accounts', accounts], {
      env: { A_KEY: KEY, B_KEY: WEBHOOK, COPY_OF_B: WEBHOOK, FWDSYNC_ACCOUNT: '' },
    });
    expect(code).toBe(5);
    expect(stderr).toContain('{ env: COPY_OF_B } cannot be used: its value is the API key of an account');
    await scene.manifest(
      `api: { key: { file: ${outside}/key } }\ndomains: { acme.example: { credentials: { carol: { password: { env: COPY } } } } }`,
    );
    const again = await scene.run(['apply', '--yes'], {
      env: { FWDSYNC_API_KEY: '', FWDSYNC_API_KEY_FILE: '', FWDSYNC_REFERENCE_PATH: outside, COPY: KEY },
    });
    expect([again.code, credentialsSent(scene)]).toEqual([3, []]);
  });

  const KEYS = [
    ['a variable', '{ env: B_KEY }', '{ env: B_KEY }'],
    ['a file', '{ file: OUTSIDE/b.key }', '{ file: OUTSIDE/b.key }'],
    ['a file behind a link', '{ file: OUTSIDE/b.key }', '{ file: OUTSIDE/link }'],
    ['a file that is not there yet', '{ file: OUTSIDE/late.key }', '{ file: OUTSIDE/late.key }'],
  ] as const;

  test.each(everyNth(2, KEYS))(
    'if the manifest of that account is broken, and its key is %s',
    async (_, key, password) => {
      const { scene, outside } = await open('discard');
      await writeFile(join(outside, 'b.key'), 'key-of-account-b\n');
      await symlink(join(outside, 'b.key'), join(outside, 'link'));
      await mkdir(join(scene.directory, 'accounts'));
      const write = (name: string, text: string): Promise<void> =>
        writeFile(join(scene.directory, 'accounts', name), text.replaceAll('OUTSIDE', outside));
      await write(
        'a.yaml',
        `version: 1\napi: { account: ${OWNER}, key: { env: A_KEY } }\ndomains: { acme.example: { credentials: { carol: { password: ${password} } } } }\n`,
      );
      const broken = [
        `version: 1\napi: { account: b@b.example, key: ${key} }\ndomains: { other.example: [\n`,
        `version: 1\napi:\n  # its key\n  key: # here\n    ${key.slice(2, -2).replace(': ', ': "')}"\ndomains: "\n`,
        `{ "version": 1, "api": { "key": ${key.replace('env', '"env"').replace('file', '"file"')} }, "nonsense"\n`,
        `version: 7\napi: { account: b@b.example, key: ${key} }\n`,
      ];
      for (const text of everyNth(3, broken)) {
        await write('b.yaml', text);
        const env = {
          A_KEY: KEY,
          B_KEY: 'key-of-account-b',
          FWDSYNC_ACCOUNT: '',
          FWDSYNC_REFERENCE_PATH: outside,
        };
        const { stdout, stderr } = await scene.run(['run', '--once', '--accounts', 'accounts'], { env });
        expect(stdout + stderr).toContain('cannot be used: it is the API key of an account');
        expect(credentialsSent(scene)).toEqual([]);
      }
    },
  );

  test.each(everyNth(3, ['FWDSYNC_API_KEY_FILE', 'FWDSYNC_PAGE_TOKEN_FILE', 'PGPASSFILE']))(
    'if it is the file of %s, by another path',
    async (name) => {
      const { scene, outside } = await open('discard');
      await writeFile(join(outside, 'secret'), `${KEY}\n`);
      await symlink(join(outside, 'secret'), join(outside, 'link'));
      await scene.manifest(
        `domains: { acme.example: { credentials: { carol: { password: { file: ${outside}/link } } } } }`,
      );
      const env = { FWDSYNC_REFERENCE_PATH: outside, [name]: join(outside, 'secret') };
      const { code, stderr } = await scene.run(['apply', '--yes'], { env });
      expect([code, credentialsSent(scene)]).toEqual([3, []]);
      expect(stderr).toContain('cannot be used: it is a file that fwdsync itself uses');
    },
  );

  test('a broken manifest with an alias named key keeps no other account from its references', async () => {
    const { scene } = await open('discard');
    await mkdir(join(scene.directory, 'accounts'));
    const account = (email: string, key: string, domain: string): string =>
      `version: 1\napi: { account: ${email}, key: { env: ${key} } }\ndomains: { ${domain}: { aliases: { key: { env: BOSS } } } }\n`;
    await writeFile(join(scene.directory, 'accounts', 'a.yaml'), account(OWNER, 'A_KEY', 'acme.example'));
    const broken = `${account('b@b.example', 'B_KEY', 'other.example')}domains: [\n`;
    await writeFile(join(scene.directory, 'accounts', 'b.yaml'), broken);
    const env = { A_KEY: KEY, BOSS: ADDRESS, FWDSYNC_ACCOUNT: '' };
    await scene.run(['run', '--once', '--accounts', 'accounts'], { env });
    expect(
      scene
        .writes()
        .map(({ path }) => path)
        .at(-1),
    ).toContain('aliases');
  });

  test('if a daemon reads the manifest of that account after the one that refers to its key', async () => {
    const { directory, emulator, env, write, writes } = await openWorkspace([{ domain: 'acme.example' }]);
    await mkdir(join(directory, 'many'));
    const account = (email: string, key: string, domain: string, reference: string): string =>
      `version: 1\napi: { account: ${email}, key: { env: ${key} } }\ndomains: { ${domain}: { aliases: { a: ${reference} } } }\n`;
    await write(account(OWNER, 'A_KEY', 'acme.example', '{ env: COPY_OF_B }'), 'many/a.yaml');
    // Read long after the other, for it is long.
    const padding = '# padding\n'.repeat(50_000);
    await write(`${account('b@b.example', 'B_KEY', 'other.example', 'discard')}${padding}`, 'many/b.yaml');
    const keys = { A_KEY: env['FWDSYNC_API_KEY'] ?? '', B_KEY: WEBHOOK, COPY_OF_B: WEBHOOK };
    const running = daemon({ directory, emulator, env }, ['--accounts', 'many'], keys);
    expect(JSON.stringify(await running.event('manifest.problem'))).toContain(
      'its value is the API key of an account',
    );
    expect(await running.end()).toBe(0);
    expect(writes()).toEqual([]);
  });

  test('a file for the key itself has the same bounds', async () => {
    const { scene } = await open('discard');
    await scene.manifest(`api: { key: { file: /dev/zero } }\n${manifestWith('discard')}`);
    const { code, stderr } = await scene.run(['plan'], { env: { FWDSYNC_REFERENCE_PATH: '/' } });
    expect([code, scene.requests()]).toEqual([5, []]);
    expect(stderr).toContain('api.key, { file: /dev/zero }, cannot be used: it is not a regular file');
  });
});

test('files that the operator names may be anywhere', async () => {
  const { scene, outside } = await open(ADDRESS);
  await writeFile(join(outside, 'key'), `${KEY}\n`);
  const env = { FWDSYNC_API_KEY: '', FWDSYNC_API_KEY_FILE: join(outside, 'key') };
  expect(await plan(scene, env)).toBe('planned');
});
