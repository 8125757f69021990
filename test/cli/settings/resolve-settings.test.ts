import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../../src/cli/process/secrets.ts';
import type { GivenFlags } from '../../../src/cli/settings/flags.ts';
import {
  assertOneDefault,
  resolveFormat,
  resolvePlaces,
  resolveSettings,
  settingsOfMember,
  wantsMask,
  type Settings,
} from '../../../src/cli/settings/resolve-settings.ts';
import { temporaryDirectory } from '../../support/directory.ts';

type Env = Readonly<Record<string, string>>;

const PLAN: readonly (keyof GivenFlags)[] = ['file', 'accounts', 'apiUrl', 'apiVersion', 'account', 'store'];

async function resolve(given: GivenFlags, env: Env = {}, takes = PLAN): Promise<Settings> {
  const context = { env: { HOME: '/home/ops', ...env }, cwd: '/work', secrets: createSecrets() };
  return resolveSettings(context, given, (flag) => takes.includes(flag));
}

describe('a flag comes before its variable, and that before the default', () => {
  test.each<[string, GivenFlags, Env, (settings: Settings) => unknown, unknown]>([
    ['paths', { file: ['a'] }, { FWDSYNC_FILE: 'b' }, ({ manifest }) => manifest.paths, ['a']],
    ['paths', {}, { FWDSYNC_FILE: 'b:c' }, ({ manifest }) => manifest.paths, ['b', 'c']],
    ['paths', {}, { FWDSYNC_FILE: '' }, ({ manifest }) => manifest.source, 'default'],
    ['accounts', { file: ['a'] }, { FWDSYNC_ACCOUNTS: 'd' }, ({ manifest }) => manifest.accounts, null],
    ['accounts', {}, { FWDSYNC_ACCOUNTS: 'd' }, ({ manifest }) => manifest.accounts, 'd'],
    ['state', { stateDir: 's' }, { FWDSYNC_STATE_DIR: 't' }, ({ state }) => state.directory, '/work/s'],
    ['state', {}, {}, ({ state }) => state.directory, '/home/ops/.local/state/fwdsync'],
    ['history', { history: '2d' }, { FWDSYNC_HISTORY: '1d' }, ({ state }) => state.historyMs, 172_800_000],
    ['job', {}, { CI: 'true' }, ({ state }) => state.endsWithJob, true],
    ['job', {}, { CI: 'true', FWDSYNC_STATE_DIR: '/lasting' }, ({ state }) => state.endsWithJob, false],
    [
      'account',
      { account: 'a@x.example' },
      { FWDSYNC_ACCOUNT: 'b@x.example' },
      ({ api }) => api.account,
      { value: 'a@x.example', source: 'flag' },
    ],
    [
      'address',
      {},
      { FWDSYNC_API_URL: 'https://api.example/v3' },
      ({ api }) => api.url,
      { value: 'https://api.example/v3', source: 'variable' },
    ],
  ])('%s of %j and %j', async (_, given, env, of, expected) => {
    expect(of(await resolve(given, env))).toEqual(expected);
  });
});

test('both manifests with a default name are paths; which one is meant is asked when they are read', async () => {
  const cwd = await temporaryDirectory();
  const places = () => resolvePlaces({}, { env: {}, cwd });
  expect(places()).toMatchObject({ paths: ['fwdsync.yaml'], source: 'default' });
  await mkdir(join(cwd, 'fwdsync'));
  expect(places().paths).toEqual(['fwdsync']);
  await writeFile(join(cwd, 'fwdsync.yaml'), 'version: 1\n');
  expect(places().paths).toEqual(['fwdsync.yaml', 'fwdsync']);
  expect(() => assertOneDefault(places())).toThrow('both fwdsync.yaml and fwdsync/ are here');
});

test('with many accounts each manifest states its own: a flag is compared with it, and a variable is for another one', async () => {
  const member = { paths: ['accounts/a.yaml'], domains: null };
  const byVariable = await resolve({ accounts: 'accounts' }, { FWDSYNC_ACCOUNT: 'b@x.example' });
  expect(settingsOfMember(byVariable, member).api.account).toBeNull();
  const byFlag = await resolve({ accounts: 'accounts', account: 'b@x.example' });
  expect(settingsOfMember(byFlag, member)).toMatchObject({
    api: { account: { value: 'b@x.example' } },
    manifest: { paths: ['accounts/a.yaml'], owner: 'member' },
  });
});

describe('a variable that is wrong', () => {
  const WRONG = [
    { FWDSYNC_API_URL: 'http://api.example/v4' },
    { FWDSYNC_API_VERSION: 'v5' },
    { FWDSYNC_MAX_ENTRIES: 'many' },
    { FWDSYNC_HISTORY: 'long' },
    { FWDSYNC_STORE: 'mysql://x/y' },
  ];

  test.each(WRONG)('ends a command that uses it: %j', async (env) => {
    await expect(resolve({}, env)).rejects.toMatchObject({ exitCode: 64 });
  });

  test.each(WRONG)('does not end another command: %j', async (env) => {
    await expect(resolve({}, env, [])).resolves.toBeDefined();
  });
});

test.each([
  [{}, {}, 'text'],
  [{}, { FWDSYNC_FORMAT: 'json' }, 'json'],
  [{ format: 'text' }, { FWDSYNC_FORMAT: 'json' }, 'text'],
])('the format of %j and %j', (given, env, expected) => {
  expect(resolveFormat(given, env, ['text', 'json'])).toBe(expected);
});

test.each(['', '0', 'false', 'No'])('FWDSYNC_MASK=%j masks nothing', (value) => {
  expect(wantsMask({}, { FWDSYNC_MASK: value })).toBe(false);
  expect(wantsMask({ mask: true }, { FWDSYNC_MASK: value })).toBe(true);
});
