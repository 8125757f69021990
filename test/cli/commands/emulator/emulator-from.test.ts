import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApiVersion } from '../../../../src/core/model/endpoints.ts';
import { fwdsync } from '../../../support/command.ts';
import { commandScene, type CommandScene } from '../../support/scene.ts';

const MANIFEST = `api: { account: ops@acme.example, key: { env: NOT_SET } }
destinations:
  oncall: [ana@corp.example, ben@corp.example]
  boss: { env: BOSS }
domains:
  acme.example:
    whitelabel: mail.partner.example
    notification_email: ops@corp.example
    prune: true
    aliases:
      sales: [oncall, boss]
      vip: { file: vip }
      spam: discard
      fax: { state: absent }
      "*": ana@corp.example
    credentials: { carol: { password: { env: CAROL } } }
  münchen.example:
    rules:
      - { name: gone, state: absent }
      - { name: invoices, regex: ".*invoice.*", scopes: [subject], forward: oncall }
      - { name: vip, expression: 'sender.endsWith("@vip.example")', forward: boss, active: false }
      - { name: jobs, alias: jobs, forward: hr@corp.example }
  old.example: { state: absent }
`;

/** The emulator command, and the environment with which another command reaches it. */
async function serve(scene: CommandScene, ...args: readonly string[]) {
  const stopping = new AbortController();
  let listening: (urls: Record<ApiVersion, string>) => void = () => undefined;
  const urls = new Promise<Record<ApiVersion, string>>((resolve) => {
    listening = resolve;
  });
  const ended = scene.run(['emulator', '--port', '0', ...args], {
    signal: stopping.signal,
    onOutput: (text) => listening(JSON.parse(text) as Record<ApiVersion, string>),
  });
  const { v4, v3 } = await Promise.race([
    urls,
    ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return {
    v4,
    v3,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

describe('emulator --from', () => {
  test.each(['v4', 'v3'] as const)(
    'makes the account that the manifest wants: its plan on %s is empty',
    async (version) => {
      const scene = await commandScene({ manifest: MANIFEST });
      const emulator = await serve(scene, '--from', 'fwdsync.yaml');
      const { FWDSYNC_ACCOUNT: _, ...env } = scene.env;
      await writeFile(join(scene.directory, 'vip'), 'file-vip@reference.invalid');
      const plan = await fwdsync(['plan', '--detailed-exitcode'], {
        cwd: scene.directory,
        env: {
          ...env,
          FWDSYNC_API_URL: emulator[version],
          NOT_SET: 'emulator',
          BOSS: 'env-boss@reference.invalid',
          CAROL: 'emulator',
        },
      });
      expect(plan.stdout).toContain('Nothing to change');
      expect(plan.code).toBe(0);
      expect((await emulator.stop()).code).toBe(0);
    },
  );

  test('an exported manifest can be tried at once', async () => {
    const aliases = [{ alias: 'sales', forward: 'a@corp.example, b@corp.example' }];
    const scene = await commandScene({ seed: { domains: [{ domain: 'acme.example', aliases }] } });
    await scene.run(['export', '--out', 'exported.yaml']);
    const emulator = await serve(scene, '--from', 'exported.yaml');
    const plan = await scene.run(['plan', '-f', 'exported.yaml', '--detailed-exitcode'], {
      env: { FWDSYNC_API_URL: emulator.v4, FWDSYNC_API_KEY: 'emulator' },
    });
    expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('Nothing to change')]);
    await emulator.stop();
  });

  test('--account names the account, without a manifest too', async () => {
    const scene = await commandScene({ manifest: 'domains: {}\n' });
    for (const args of [['--from', 'fwdsync.yaml'], []]) {
      const emulator = await serve(scene, ...args, '--account', 'me@here.example');
      const account = await scene.run(['account', '--account', 'me@here.example'], {
        env: { FWDSYNC_API_URL: emulator.v4, FWDSYNC_API_KEY: 'emulator' },
      });
      expect(account.stdout).toContain('me@here.example');
      await emulator.stop();
    }
  });

  test('--state keeps the account that was made; 64 where the file exists', async () => {
    const scene = await commandScene({ manifest: MANIFEST });
    const emulator = await serve(scene, '--from', 'fwdsync.yaml', '--state', 'state.json');
    await emulator.stop();
    const again = await scene.run([
      'emulator',
      '--port',
      '0',
      '--from',
      'fwdsync.yaml',
      '--state',
      'state.json',
    ]);
    expect(again.code).toBe(64);
    expect(again.stderr).toContain('state.json already has an account');
  });

  test.each([
    ['64: another account than the manifest names', MANIFEST, ['--account', 'else@acme.example'], 64],
    ['5: an invalid manifest', 'domains: { acme.example: 1 }\n', [], 5],
  ])('%s', async (_, manifest, args, code) => {
    const scene = await commandScene({ manifest });
    const result = await scene.run(['emulator', '--port', '0', '--from', 'fwdsync.yaml', ...args]);
    expect([result.code, result.stdout]).toEqual([code, '']);
  });

  test('64: --smtp-password without --from; 1: a manifest that is not there', async () => {
    const scene = await commandScene();
    expect((await scene.run(['emulator', '--port', '0', '--smtp-password', 'longenough'])).code).toBe(64);
    expect((await scene.run(['emulator', '--port', '0', '--from', 'missing.yaml'])).code).toBe(1);
  });
});
