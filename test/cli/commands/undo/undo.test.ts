import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  ACME,
  aliasesOf,
  applied,
  apply,
  BEFORE,
  byHand,
  editAlias,
  MANIFEST,
} from '../../support/applied.ts';
import { commandScene, OWNER, type CommandInput } from '../../support/scene.ts';
import { everyNth } from '../../../support/share.ts';

describe('changes by other users since then stay', () => {
  test('by hand: it is listed, the rest is undone, and the exit code is 3', async () => {
    const { scene, run } = await applied(MANIFEST, [ACME]);
    await editAlias(scene, 'sales', 'mallory@elsewhere.example');
    const { code, stdout } = await scene.run(['undo', '--yes', run]);
    expect(code, stdout).toBe(3);
    expect(stdout).toContain(
      'Left alone:\n  alias acme.example/sales: it was changed outside fwdsync since\n',
    );
    expect(stdout.replace(/\s+/g, ' ').split('what this undoes: fwdsync.yaml:4:')).toHaveLength(2);
    expect(aliasesOf(scene)).toEqual({ ...BEFORE, sales: 'mallory@elsewhere.example' });
    // The restored items are as before, so undoing the same run again writes nothing.
    scene.emulator.journal.clear();
    const again = await scene.run(['undo', '--yes', run]);
    expect([again.code, scene.writes()], again.stdout).toEqual([6, []]);
  });

  test('by a later run: who and when', async () => {
    const { scene, run } = await applied(MANIFEST, [ACME]);
    await scene.manifest(MANIFEST.replace('sales: bob', 'sales: carol'));
    const later = await apply(scene);
    const { code, stdout } = await scene.run(['undo', '--yes', run, '--format', 'json']);
    expect(code, stdout).toBe(3);
    const report = JSON.parse(stdout) as { readonly skipped: readonly object[] };
    expect(report.skipped).toEqual([
      {
        action: 'update',
        kind: 'alias',
        domain: 'acme.example',
        name: 'sales',
        source: { file: 'fwdsync.yaml', line: 4, column: 16 },
        reason: expect.stringMatching(
          new RegExp(`^it was changed since by apply ${later} \\(2\\d{3}-.*\\)$`),
        ),
      },
    ]);
    expect(aliasesOf(scene)).toEqual({ ...BEFORE, sales: 'carol@corp.example' });
  });

  test('changed and changed back by runs: the history names it, and it stays', async () => {
    const { scene, run } = await applied(MANIFEST, [ACME]);
    await scene.manifest(MANIFEST.replace('sales: bob', 'sales: carol'));
    await apply(scene);
    await scene.manifest(MANIFEST);
    await apply(scene);
    const { code, stdout } = await scene.run(['undo', '--yes', run]);
    expect(code, stdout).toBe(3);
    expect(aliasesOf(scene)).toEqual({ ...BEFORE, sales: 'bob@corp.example' });
  });

  test('all of it: nothing is written, 6', async () => {
    const { scene, run } = await applied(MANIFEST.replace(/, info.*/, ' }'), [ACME]);
    await editAlias(scene, 'sales', 'mallory@elsewhere.example');
    scene.emulator.journal.clear();
    const { code, stdout } = await scene.run(['undo', '--yes', run, '--format', 'json']);
    expect([code, scene.writes()]).toEqual([6, []]);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'refused',
      undo: null,
      skipped: [{ name: 'sales' }],
    });
  });

  test('nothing is left to undo: 0, and nothing is written', async () => {
    const { scene, run } = await applied(MANIFEST, [ACME]);
    expect((await scene.run(['undo', '--yes', run])).code).toBe(0);
    expect(aliasesOf(scene)).toEqual(BEFORE);
    scene.emulator.journal.clear();
    const again = await scene.run(['undo', '--yes', run]);
    expect([again.code, scene.writes()], again.stdout).toEqual([0, []]);
    expect(again.stdout).toContain('no changes');
  });
});

describe('domains', () => {
  const NEW = `domains: { new.example: { aliases: { info: ana@corp.example } } }\n`;

  test('one that the run added is deleted with what the run and the service made, once that is allowed', async () => {
    const { scene, run } = await applied(NEW, []);
    expect(aliasesOf(scene, 'new.example')).toEqual({ '*': OWNER, info: 'ana@corp.example' });
    const refused = await scene.run(['undo', '--yes', run]);
    expect(refused.code, refused.stdout).toBe(4);
    expect(refused.stdout).toContain('--allow-domain-delete new.example');
    const { code, stdout } = await scene.run(['undo', '--yes', run, '--allow-domain-delete', 'new.example']);
    expect(code, stdout).toBe(0);
    expect(scene.emulator.store.dump().domains).toEqual([]);
  });

  test.each(
    everyNth(2, [
      [
        'an alias of somebody else',
        'POST',
        '/aliases',
        { alias: 'mine', forward: 'me@corp.example' },
        'alias mine',
      ],
      [
        'a credential',
        'POST',
        '/credentials',
        { username: 'app', password: 'long enough' },
        'credential app',
      ],
    ]),
  )('one that holds %s stays', async (_, method, path, body, what) => {
    const { scene, run } = await applied(NEW, []);
    await byHand(scene, method, `/domains/new.example${path}`, body);
    const { code, stdout } = await scene.run(['undo', '--yes', run, '--allow-domain-delete', 'new.example']);
    expect(code, stdout).toBe(3);
    expect(stdout.replace(/["“”]/g, '')).toContain(
      `domain new.example: it has an item that the run did not make: ${what}`,
    );
    expect(Object.keys(aliasesOf(scene, 'new.example'))).toContain('*');
  });

  test.each<[setting: string, version: 'v4' | 'v3', manifest: string, value: string]>(
    everyNth(5, [
      ['notification_email', 'v4', NEW, 'me@corp.example'],
      ['notification_email', 'v3', NEW, 'me@corp.example'],
      [
        'notification_email',
        'v4',
        NEW.replace('aliases:', 'notification_email: none, aliases:'),
        'me@corp.example',
      ],
      ['whitelabel', 'v4', NEW, 'mail.partner.example'],
      ['webhook', 'v3', NEW, 'https://hooks.corp.example/mail'],
      [
        'webhook',
        'v3',
        NEW.replace('aliases:', 'webhook: https://old.corp.example/, aliases:'),
        'https://hooks.corp.example/mail',
      ],
    ]),
  )('one whose %s was set since stays (%s, %s)', async (setting, version, manifest, value) => {
    const scene = await commandScene({ seed: { whitelabels: ['mail.partner.example'] }, manifest, version });
    const run = await apply(scene);
    await byHand(scene, 'PUT', '/domains/new.example', { [setting]: value }, version);
    const { code, stdout } = await scene.run(['undo', '--yes', run, '--allow-domain-delete', 'new.example']);
    expect(code, stdout).toBe(3);
    expect(stdout).toContain(`domain new.example: its ${setting} was changed outside fwdsync since`);
    expect(scene.emulator.store.dump().domains).toMatchObject([{ domain: 'new.example', [setting]: value }]);
  });

  test('one that got a fallback for its rules in the dashboard stays', async () => {
    const { scene, run } = await applied(NEW, []);
    const domain = scene.emulator.store.state.domains.get('new.example');
    Object.assign(domain?.fields ?? {}, { rules_fallback_email: 'rest@corp.example' });
    const { code, stdout } = await scene.run(['undo', '--yes', run, '--allow-domain-delete', 'new.example']);
    expect(code, stdout).toBe(3);
    expect(stdout).toContain(
      'domain new.example: its rules_fallback_email was changed outside fwdsync since',
    );
  });

  test.each(everyNth(2, ['v4', 'v3']))('one whose settings the run wrote goes (%s)', async (version) => {
    const settings = `notification_email: ops@corp.example, whitelabel: mail.partner.example`;
    const more = version === 'v3' ? ', webhook: https://hooks.corp.example/mail' : '';
    const scene = await commandScene({
      seed: { whitelabels: ['mail.partner.example'] },
      manifest: `domains: { new.example: { ${settings}${more} } }\n`,
      version,
    });
    const run = await apply(scene);
    const { code, stdout } = await scene.run(['undo', '--yes', run, '--allow-domain-delete', 'new.example']);
    expect(code, stdout).toBe(0);
    expect(scene.emulator.store.dump().domains).toEqual([]);
  });

  test.each(everyNth(2, ['v3', 'v4']))(
    'one that the run deleted comes back with its settings (%s)',
    async (version) => {
      const settings = {
        notification_email: 'ops@corp.example',
        whitelabel: 'mail.partner.example',
        ...(version === 'v3' ? { webhook: 'https://hooks.corp.example/mail' } : {}),
      };
      const scene = await commandScene({
        seed: { whitelabels: ['mail.partner.example'], domains: [{ ...ACME, ...settings }] },
        manifest: 'domains: { acme.example: { state: absent } }\n',
        version,
      });
      const run = await apply(scene, ['--allow-domain-delete', 'acme.example']);
      const { code, stdout } = await scene.run(['undo', '--yes', run]);
      expect(code, stdout).toBe(0);
      expect(scene.emulator.store.dump().domains).toMatchObject([settings]);
      expect(aliasesOf(scene)).toEqual(BEFORE);
    },
  );

  test('one whose `*` was changed stays', async () => {
    const { scene, run } = await applied(NEW, []);
    const [made] = scene.emulator.store.dump().domains;
    const id = made?.aliases.find(({ alias }) => alias === '*')?.id;
    await byHand(scene, 'PUT', `/domains/new.example/aliases/${id}`, { forward: 'all@corp.example' });
    const { code } = await scene.run(['undo', '--yes', run, '--allow-domain-delete', 'new.example']);
    expect(code).toBe(3);
    expect(aliasesOf(scene, 'new.example')).toEqual({ '*': 'all@corp.example' });
  });

  test('one that the run deleted and another user added again is left unchanged', async () => {
    const scene = await commandScene({
      seed: { domains: [ACME] },
      manifest: 'domains: { acme.example: { state: absent } }\n',
    });
    const run = await apply(scene, ['--allow-domain-delete', 'acme.example']);
    await byHand(scene, 'POST', '/domains', { domain: 'acme.example' });
    scene.emulator.journal.clear();
    const { code, stdout } = await scene.run(['undo', '--yes', run]);
    expect([code, scene.writes()], stdout).toEqual([6, []]);
    expect(stdout).toContain('acme.example was added again since');
  });
});

describe('values behind references', () => {
  const SECRET = `destinations: { boss: { env: BOSS } }
domains: { acme.example: { aliases: { sales: boss, info: bob@corp.example } } }
`;
  const at = (boss: string): CommandInput => ({ env: { BOSS: boss } });

  test('come back where the reference still has the value; else the item is skipped, and no value is shown', async () => {
    const { scene } = await applied(SECRET, [ACME], at('boss@private.example'));
    await scene.manifest(MANIFEST);
    const run = await apply(scene);
    const other = await scene.run(['undo', '--yes', run], at('other@private.example'));
    expect(other.code, other.stdout).toBe(3);
    expect(other.stdout).toContain('alias acme.example/sales: the old value of { env: BOSS } is not kept');
    expect(aliasesOf(scene)).toMatchObject({ sales: 'bob@corp.example', old: 'dan@corp.example' });
    const same = await scene.run(['undo', '--yes', run], at('boss@private.example'));
    expect(same.code, same.stdout).toBe(0);
    expect(same.stdout).toContain('bob@corp.example -> { env: BOSS }');
    expect(aliasesOf(scene)).toMatchObject({ sales: 'boss@private.example' });
    expect(other.stdout + same.stdout + same.stderr).not.toContain('private.example');
  });
});

test('a snapshot brings back no value that a reference has got since, and all else', async () => {
  const secret = `destinations: { boss: { env: BOSS } }
domains: { acme.example: { aliases: { sales: boss, info: boss } } }
`;
  const [old, other] = ['boss@private.example', 'other@private.example'];
  const { scene } = await applied(secret, [ACME], { env: { BOSS: old } });
  await scene.manifest(
    secret.replace(
      '{ sales: boss, info: boss }',
      '{ sales: boss, info: bob@corp.example, new: eve@corp.example }',
    ),
  );
  scene.clock.advance(60_000);
  const run = await scene.run(['apply', '--yes'], { env: { BOSS: old } });
  const [, path = 'none'] = /^snapshot: fwdsync apply -f (\S+)/m.exec(run.stdout) ?? [];
  expect(await readFile(path, 'utf8')).toMatch(/^# \{ env: BOSS \} had the value with the fingerprint \S+$/m);
  const changed = await scene.run(['apply', '-f', path, '--yes'], { env: { BOSS: other } });
  expect(changed.code, changed.stdout + changed.stderr).toBe(3);
  expect(changed.stdout).toContain('the old value of { env: BOSS } is not kept');
  expect(aliasesOf(scene)).toMatchObject({ sales: old, info: 'bob@corp.example' });
  expect(aliasesOf(scene)).not.toHaveProperty('new');
  // The only item left to restore is lost, so nothing is written, as with an undo.
  scene.emulator.journal.clear();
  const none = await scene.run(['apply', '-f', path, '--yes'], { env: { BOSS: other } });
  expect([none.code, scene.writes()], none.stdout).toEqual([6, []]);
  const same = await scene.run(['apply', '-f', path, '--yes'], { env: { BOSS: old } });
  expect(same.code, same.stdout + same.stderr).toBe(0);
  expect(aliasesOf(scene)).toMatchObject({ sales: old, info: old });
});

describe('guards', () => {
  test('numbers do not hold an undo back: a hundred deletes and an emptied section', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}: a@corp.example`).join(', ');
    const { scene, run } = await applied(`domains: { acme.example: { aliases: { ${names} } } }\n`, [
      { domain: 'acme.example' },
    ]);
    const { code, stdout } = await scene.run(['undo', '--yes', run]);
    expect(code, stdout).toBe(0);
    expect(aliasesOf(scene)).toEqual({});
  });

  test('a catch-all does', async () => {
    const { scene, run } = await applied(
      'domains: { acme.example: { aliases: { "*": a@corp.example } } }\n',
      [ACME],
    );
    const refused = await scene.run(['undo', '--yes', run]);
    expect(refused.code, refused.stdout).toBe(4);
    expect(aliasesOf(scene)).toHaveProperty('*');
    const { code } = await scene.run(['undo', '--yes', run, '--allow-unrouted', '*@acme.example']);
    expect(code).toBe(0);
    expect(aliasesOf(scene)).toEqual(BEFORE);
  });

  test('an address that would lose its delivery does', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const stop = { name: 'stop', id, alias: 'sales', forward: 'discard', active: false };
    const { scene, run } = await applied(
      `domains: { acme.example: { rules: [${JSON.stringify(stop)}] } }\n`,
      [
        {
          ...ACME,
          routing_engine: 'rules',
          rules: [
            { id, type: 'alias', config: { alias: 'sales', forward: 'null' }, rank: 1 },
            { type: 'alias', config: { alias: 'sales', forward: 'ana@corp.example' }, rank: 2 },
          ],
        },
      ],
    );
    const refused = await scene.run(['undo', '--yes', run]);
    expect(refused.code, refused.stdout).toBe(4);
    expect(refused.stdout).toContain('--allow-unrouted sales@acme.example');
    const allowed = await scene.run(['undo', '--yes', run, '--allow-unrouted', 'sales@acme.example']);
    expect(allowed.code, allowed.stdout).toBe(0);
    expect(scene.emulator.store.dump().domains[0]?.rules[0]).toMatchObject({ id, active: true });
  });

  test('a domain of which most vanished does, and no flag lets it pass', async () => {
    const aliases = Array.from({ length: 9 }, (_, index) => ({
      alias: `n${index}`,
      forward: 'a@corp.example',
    }));
    const { scene, run } = await applied(
      'domains: { acme.example: { aliases: { new: eve@corp.example } } }\n',
      [{ domain: 'acme.example', aliases }],
    );
    for (const { id, alias } of scene.emulator.store.dump().domains[0]?.aliases ?? []) {
      if (alias !== 'new') await byHand(scene, 'DELETE', `/domains/acme.example/aliases/${id}`, {});
    }
    const { code, stdout } = await scene.run(['undo', '--yes', run, '--allow-unrouted', 'new@acme.example']);
    expect(code, stdout).toBe(4);
    expect(stdout).toContain('[remote-shrink]');
    expect(stdout).not.toContain('--allow-deletes');
    expect(aliasesOf(scene)).toEqual({ new: 'eve@corp.example' });
  });
});
