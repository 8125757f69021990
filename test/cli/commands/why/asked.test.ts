import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { editAlias, apply } from '../../support/applied.ts';
import { deliver } from '../../support/deliver.ts';
import { commandScene, KEY, OWNER, type CommandScene, type SceneOptions } from '../../support/scene.ts';
import { openTwoAccounts } from '../../support/two-accounts.ts';
import { why } from './support/ask.ts';
import { ACME, HUB, MANIFEST, SALES } from './support/cases.ts';

async function open(options: SceneOptions = {}): Promise<CommandScene> {
  return commandScene({ manifest: MANIFEST, seed: { domains: [ACME, HUB] }, ...options });
}

describe.each(['v4', 'v3'] as const)('why through %s', (version) => {
  test('lists the messages to this address alone, the newest first', async () => {
    const scene = await open({ version });
    deliver(scene, { ...SALES, from: 'eve@corp.example', subject: 'first', outcome: 'SOFT-BOUNCE' });
    deliver(scene, { to: 'team@acme.example', subject: 'about sales@acme.example' });
    deliver(scene, { to: 'SALES@acme.example', from: 'sales@acme.example', subject: 'second' });
    deliver(scene, { to: 'presales@acme.example', subject: 'other' });
    const { document } = await why(scene, [SALES.to]);
    expect(
      document.messages.map(({ sender, subject, outcome, code, destination }) => [
        sender,
        subject,
        outcome,
        code,
        destination,
      ]),
    ).toEqual([
      ['sales@acme.example', 'second', 'delivered', 250, 'ana@corp.example'],
      ['eve@corp.example', 'first', 'soft', 451, 'ana@corp.example'],
    ]);
    expect(document).toMatchObject({ verdict: 'delivered', receiving: true, differs: false });
    const asked = scene.requests().map(({ path }) => path);
    expect(asked.filter((path) => path.includes('/logs'))).toEqual([
      expect.stringContaining(version === 'v4' ? 'recipient=sales%40' : '/logs/search?text=sales%40'),
    ]);
  });

  test('a log that cannot be read makes it unknown, unless what was read suffices', async () => {
    const scene = await open({ version });
    deliver(scene, SALES);
    const fault = {
      match: { method: 'GET', path: 'domains/acme.example/logs*', times: 'always' },
      do: { kind: 'status', code: 400 },
    } as const;
    scene.emulator.faults.push(fault);
    const { code, document } = await why(scene, [SALES.to]);
    expect([code, document.verdict, document.complete]).toEqual([0, 'unknown', false]);
    expect(document.sentence).toMatch(
      /^It is not known why mail to sales@acme\.example did not arrive: GET \/domains\/:domain\/logs/,
    );
    const refused = await why(scene, ['nobody@acme.example']);
    expect([refused.code, refused.document.verdict]).toEqual([2, 'refused']);
  });

  test('without a manifest the account alone answers', async () => {
    const scene = await open({ version, manifest: '' });
    deliver(scene, SALES);
    const { code, document } = await why(scene, [SALES.to]);
    expect([code, document.verdict, document.manifest, document.differs]).toEqual([
      0,
      'delivered',
      null,
      null,
    ]);
    const text = await scene.run(['why', SALES.to]);
    expect(text.stdout).toContain('account   ana@corp.example, by alias sales (only in the account)');
  });

  test('rules that depend on the content use that of the newest message', async () => {
    const config = { scopes: ['sender'], regex: 'vip', forward: 'vip@corp.example' };
    const domain = {
      domain: 'acme.example',
      routing_engine: 'rules' as const,
      rules: [{ type: 'regex' as const, config }],
    };
    const scene = await open({ version, manifest: '', seed: { domains: [domain] } });
    deliver(scene, { ...SALES, from: 'ana@vip.example' });
    const { document } = await why(scene, [SALES.to]);
    expect([document.verdict, document.account?.forward]).toEqual(['delivered', [config.forward]]);
  });
});

describe('the last change of it', () => {
  test('is the run that wrote it, and who started that', async () => {
    const scene = await open();
    await scene.manifest(MANIFEST.replace('sales: ana@', 'sales: dan@'));
    const env = {
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTOR: 'carol',
      GITHUB_SHA: 'abcdef1234567890abcdef1234567890abcdef12',
    };
    const run = await apply(scene, [], { env });
    deliver(scene, SALES);
    const { document } = await why(scene, [SALES.to]);
    expect(document.lastChange).toMatchObject({
      action: 'update',
      kind: 'alias',
      name: 'sales',
      run: expect.stringMatching(new RegExp(`^${run}`)) as never,
      person: 'carol',
    });
    const { stdout } = await scene.run(['why', SALES.to]);
    expect(stdout).toMatch(/^changed {3}.* by run \S+, carol: update alias sales ana@/m);
  });

  test('is an edit by another user, once a run has seen it', async () => {
    const scene = await open();
    await apply(scene);
    await editAlias(scene, 'sales', 'anna@corp.example');
    await scene.run(['run', '--once', '--mode', 'observe']);
    const { document } = await why(scene, [SALES.to]);
    expect([document.verdict, document.lastChange?.run]).toEqual(['differs', null]);
    const { stdout } = await scene.run(['why', SALES.to]);
    expect(stdout).toContain(' outside fwdsync: ');
  });

  test('is null where the history knows nothing', async () => {
    expect((await why(await open(), [SALES.to])).document.lastChange).toBeNull();
  });
});

test('with many accounts, asks the one whose manifest has the domain', async () => {
  const { acme, beta, directory, env } = await openTwoAccounts();
  const scene = await commandScene();
  const input = { env: { ...env, FWDSYNC_ACCOUNT: '', FWDSYNC_API_URL: '', FWDSYNC_API_KEY: '' } };
  const args = ['--accounts', `${directory}/many`];
  const { code, document } = await why(scene, ['sales@beta.example', ...args], input);
  expect([code, document.verdict, document.manifest?.source?.line]).toEqual([2, 'refused', 4]);
  expect([acme.journal.total(), beta.journal.total() > 0]).toEqual([0, true]);
  const none = await scene.run(['why', 'sales@gamma.example', ...args], input);
  expect([none.code, none.stderr]).toMatchObject([64, expect.stringContaining('gamma.example')]);
});

test.each([
  ['64', ['why', 'sales'], 'sales'],
  ['64', ['why'], "missing required argument 'address'"],
  ['64', ['why', 'sales@nowhere.example'], 'neither the account nor the manifest has nowhere.example'],
  ['64', ['why', SALES.to, '--since', 'yesterday'], '--since'],
  ['64', ['why', SALES.to, '--limit-requests', '0'], '--limit-requests'],
  ['4', ['why', SALES.to, '--account', 'other@corp.example'], 'owner@account.example'],
  ['5', ['why', SALES.to, '-f', 'invalid.yaml'], 'version'],
])('%s: %j', async (code, line, words) => {
  const scene = await open();
  await writeFile(`${scene.directory}/invalid.yaml`, 'domains: {}\n');
  const ended = await scene.run(line);
  expect([String(ended.code), ended.stderr.includes(words)], ended.stderr).toEqual([code, true]);
  expect(scene.writes()).toEqual([]);
});

test('1: a key that the service does not know', async () => {
  const scene = await open();
  const { code, stdout, stderr } = await scene.run(['why', SALES.to], {
    env: { FWDSYNC_API_KEY: `${KEY}-not`, FWDSYNC_ACCOUNT: OWNER },
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('401');
});
