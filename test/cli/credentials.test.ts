import { describe, expect, test } from 'vitest';
import { everyNth } from '../support/share.ts';
import { commandScene, type CommandScene, type SceneOptions } from './support/scene.ts';

const FIRST = 'correct horse battery';
const SECOND = 'staple stapler stapled';
const MANIFEST = `domains:
  acme.example:
    credentials:
      carol: { password: { env: CAROL } }
`;
const NO_CREDENTIAL = { domains: [{ domain: 'acme.example' }] };
const LIVE_CAROL = {
  domains: [{ domain: 'acme.example', credentials: [{ username: 'carol', password: 'set by hand' }] }],
};

/** Credentials of the emulated service. */
function passwords({ emulator }: CommandScene): Record<string, string> {
  const credentials = emulator.store.dump().domains.flatMap((domain) => domain.credentials);
  return Object.fromEntries(credentials.map(({ username, password }) => [username, password]));
}

function apply(scene: CommandScene, carol: string, ...flags: readonly string[]) {
  return scene.run(['apply', '--yes', ...flags], { env: { CAROL: carol } });
}

describe.each(everyNth(2, ['v4', 'v3']))('credentials through %s', (version) => {
  const open = (options: SceneOptions): Promise<CommandScene> => commandScene({ version, ...options });

  test('one that is missing is added, with the note that its DNS records are checked anew', async () => {
    const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
    const { code, stdout } = await apply(scene, FIRST);
    expect(stdout).toContain('+ credential  carol');
    expect(stdout).toContain('note: acme.example has its first SMTP credential');
    expect([code, passwords(scene)]).toEqual([0, { carol: FIRST }]);
    const again = await apply(scene, FIRST);
    expect(again.stdout).toContain('Nothing to change');
    expect(again.code).toBe(0);
  });

  test('its password is sent again when it changed, once', async () => {
    const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
    await apply(scene, FIRST);
    const plan = await scene.run(['plan', '--detailed-exitcode'], { env: { CAROL: SECOND } });
    expect(plan.stdout).toContain('~ credential  carol');
    expect(plan.code).toBe(2);
    const changed = await apply(scene, SECOND);
    expect([changed.code, passwords(scene)]).toEqual([0, { carol: SECOND }]);
    scene.emulator.journal.clear();
    await apply(scene, SECOND);
    expect(scene.writes()).toEqual([]);
  });

  test('a reference that is not set leaves a live one as it is', async () => {
    const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
    await apply(scene, FIRST);
    const { code, stdout } = await scene.run(['apply', '--yes']);
    expect(stdout).toContain('Nothing to change');
    expect([code, passwords(scene)]).toEqual([0, { carol: FIRST }]);
  });

  test('without a record is unchanged with a warning; --rotate sends it', async () => {
    const scene = await open({ seed: LIVE_CAROL, manifest: MANIFEST });
    const first = await apply(scene, FIRST);
    expect(first.stdout).toContain('[password-unknown]');
    expect(first.stdout).toContain('--rotate carol@acme.example sends it');
    expect(passwords(scene)).toEqual({ carol: 'set by hand' });
    const rotated = await apply(scene, FIRST, '--rotate', 'carol@acme.example');
    expect(rotated.code).toBe(0);
    expect(passwords(scene)).toEqual({ carol: FIRST });
    const after = await apply(scene, FIRST);
    expect(after.stdout).not.toContain('password-unknown');
    expect(after.stdout).toContain('Nothing to change');
  });

  test('--rotate sends a password that did not change', async () => {
    const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
    await apply(scene, FIRST);
    scene.emulator.journal.clear();
    const { code } = await apply(scene, FIRST, '--rotate', 'carol@acme.example');
    expect([code, scene.writes().map(({ method }) => method)]).toEqual([0, ['PUT']]);
  });

  test('{} manages the existence alone', async () => {
    const manifest = 'domains:\n  acme.example:\n    credentials: { carol: {} }\n';
    const scene = await open({ seed: LIVE_CAROL, manifest });
    const { code, stdout } = await scene.run(['apply', '--yes']);
    expect(stdout).toContain('Nothing to change');
    expect(stdout).not.toContain('password-unknown');
    expect([code, scene.writes()]).toEqual([0, []]);
  });

  test('5: {} of one that does not exist, and nothing else to do', async () => {
    const manifest = 'domains:\n  acme.example:\n    credentials: { carol: {} }\n';
    const scene = await open({ seed: NO_CREDENTIAL, manifest });
    const { code, stdout } = await scene.run(['apply', '--yes']);
    expect(stdout).toContain('fwdsync.yaml:4:20: error:');
    expect(stdout).toContain('[password-required]');
    expect([code, scene.writes()]).toEqual([5, []]);
  });

  const NOT_SENT = [
    ['is not set', {}, 'CAROL'],
    ['is too short', { CAROL: 'short' }, 'shorter than 8 characters'],
  ] as const;

  test.each(everyNth(2, NOT_SENT))(
    '5: a password that is to be sent and %s, and nothing else to do',
    async (_, env, words) => {
      const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
      const { code, stderr } = await scene.run(['apply', '--yes'], { env });
      expect(stderr).toContain(words);
      expect(stderr).toContain('fwdsync.yaml:5:');
      expect([code, scene.writes()]).toEqual([5, []]);
    },
  );

  test('5: plan refuses a password that is too short as apply does, in every format', async () => {
    const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
    const text = await scene.run(['plan', '--detailed-exitcode'], { env: { CAROL: 'short' } });
    expect(text.code).toBe(5);
    expect(text.stdout.replaceAll(/\s+/g, ' ')).toMatch(/yaml:5:\d+: error: .*shorter than 8 characters/);
    const json = await scene.run(['plan', '--format', 'json'], { env: { CAROL: 'short' } });
    expect([json.code, (JSON.parse(json.stdout) as { problems: unknown }).problems]).toEqual([
      5,
      [expect.objectContaining({ code: 'short-password', severity: 'error' })],
    ]);
  });

  test('plan without a password that is needed warns that apply will leave it out; set later, the saved plan runs', async () => {
    const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
    const { code, stdout } = await scene.run(['plan', '--detailed-exitcode', '--out', 'plan.json']);
    expect(code).toBe(2);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '{ env: CAROL } is not set: apply will leave it out, and end with 3 or 5 [password-not-set]',
    );
    expect((await scene.run(['apply', 'plan.json'])).code).toBe(5);
    const applied = await scene.run(['apply', 'plan.json'], { env: { CAROL: FIRST } });
    expect([applied.code, passwords(scene)]).toEqual([0, { carol: FIRST }]);
  });

  test('5: a changed password that is too short', async () => {
    const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
    await apply(scene, FIRST);
    const { code } = await apply(scene, 'short');
    expect([code, passwords(scene)]).toEqual([5, { carol: FIRST }]);
  });

  test('are deleted when pruned or absent, not when ignored', async () => {
    const credentials = ['carol', 'dan', 'erin', 'tmp-1'].map((username) => ({ username }));
    const manifest = `domains:
  acme.example:
    prune: { credentials: true }
    ignore: { credentials: ["tmp-*"] }
    credentials:
      carol: {}
      dan: { state: absent }
`;
    const scene = await open({ seed: { domains: [{ domain: 'acme.example', credentials }] }, manifest });
    const { code, stdout } = await scene.run(['apply', '--yes', '--allow-deletes', '2']);
    expect(stdout).toMatch(/- credential {2}erin .*prune/);
    expect([code, Object.keys(passwords(scene))]).toEqual([0, ['carol', 'tmp-1']]);
  });

  test('a password that may not have arrived is sent again by the next run', async () => {
    const scene = await open({ seed: NO_CREDENTIAL, manifest: MANIFEST });
    await apply(scene, FIRST);
    scene.emulator.faults.push({
      match: { method: 'PUT', times: 'always' },
      do: { kind: 'status', code: 500 },
    });
    expect((await apply(scene, SECOND)).code).toBe(3);
    scene.emulator.faults.clear();
    expect((await apply(scene, SECOND)).code).toBe(0);
    expect(passwords(scene)).toEqual({ carol: SECOND });
  });
});

test('a manifest applied through one generation has an empty plan through the other', async () => {
  const scene = await commandScene({ seed: NO_CREDENTIAL, manifest: MANIFEST });
  await apply(scene, FIRST);
  const v3 = { FWDSYNC_API_URL: scene.emulator.urls.v3, CAROL: FIRST };
  const plan = await scene.run(['plan', '--detailed-exitcode'], { env: v3 });
  expect([plan.code, plan.stderr]).toEqual([0, '']);
  expect(plan.stdout).toContain('Nothing to change');
});
