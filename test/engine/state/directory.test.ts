import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/core/model/clock.ts';
import { NO_PRIOR } from '../../../src/core/model/prior.ts';
import { systemProcesses, type ProcessTable } from '../../../src/engine/state/processes.ts';
import { openStateDirectory } from '../../../src/engine/state/directory.ts';
import { openSharedText } from '../../../src/engine/state/shared-text.ts';
import type { StateFs } from '../../../src/engine/state/own-files.ts';
import type { StateStore } from '../../../src/engine/state/store.ts';
import { virtualClock } from '../../support/clock.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { ACME, ACME_MEMORY, rememberAcme, sizeOf, storeContract } from './support/store-contract.ts';

function open(
  directory: string,
  options: { account?: string; apiUrl?: string; fs?: StateFs } = {},
): StateStore {
  return openStateDirectory({
    directory,
    account: 'ops@acme.example',
    apiUrl: 'https://api.example/v4',
    fs,
    clock: virtualClock(),
    processes: systemProcesses(fs, 'test'),
    ...options,
  });
}

let processes = 0;

storeContract('a directory', async () => {
  const directory = await temporaryDirectory();
  const clock = virtualClock();
  return {
    clock,
    open: ({
      account = 'ops@acme.example',
      apiUrl = 'https://api.example/v4',
      command = 'test',
      history,
    } = {}) =>
      openStateDirectory({
        directory,
        account,
        apiUrl,
        history,
        fs,
        clock,
        processes: elsewhere(command, (processes += 1), clock),
      }),
    openShared: () =>
      openSharedText({ directory, fs, clock, processes: elsewhere('run', (processes += 1), clock) }),
  };
});

/** A process of another container on this machine. */
function elsewhere(command: string, pid: number, clock: Clock): ProcessTable {
  return {
    pid,
    uid: process.getuid?.() ?? null,
    host: `host-${pid}`,
    command,
    realm: () => Promise.resolve({ boot: 'this one', namespace: null }),
    uptime: () => clock.monotonic(),
    startOf: () => Promise.resolve(null),
  };
}

test.each([
  '[]',
  '{"manifests":[]}',
  '{"kind":"fwdsync/manifests@2"}',
  '{"kind":"fwdsync/manifests@1","manifests":[["fwdsync.yaml",{"domains":1,"entries":4}]]}',
  '{"kind":"fwdsync/manifests@2","manifests":[null]}',
  '{"kind":"fwdsync/manifests@2","manifests":[{"domains":["a.example"],"entries":-1}]}',
  '{"kind":"fwdsync/manifests@2","manifests":[{"domains":["a.example",7],"entries":1}]}',
  '{"kind":"fwdsync/manifests@2","manifests":[{"domains":"a.example","entries":1}]}',
  '{"kind":"fwdsync/manifests@2","manifests":[{"domains":["../../.."],"entries":1}]}',
])('sizes that are none count as empty, with a warning: %s', async (text) => {
  const directory = await temporaryDirectory();
  const store = open(directory);
  await rememberAcme(store);
  await fs.writeFile(join(store.place, 'manifests.json'), text);
  const { prior, warnings } = await open(directory).prior();
  expect([prior.manifests, warnings.map(({ code }) => code)]).toEqual([[], ['state-damaged']]);
});

test('a place where no directory can be made is a fault at once', async () => {
  const store = open('/proc/nothing/here');
  expect(await store.saveSnapshot('version: 1\n')).toMatchObject({ ok: false });
  expect(await store.lock()).toMatchObject({ ok: false });
});

test('an empty directory, or none, holds nothing', async () => {
  const directory = await temporaryDirectory();
  const store = open(join(directory, 'not', 'there'));
  expect(await store.prior()).toEqual({ prior: NO_PRIOR, warnings: [] });
  await expect(fs.stat(join(directory, 'not'))).rejects.toThrow('ENOENT');
});

test('files are for the owner alone and nothing temporary stays', async () => {
  const directory = await temporaryDirectory();
  const store = open(directory);
  await rememberAcme(store);
  await store.saveSnapshot('version: 1\n');
  await store.saveReport('{}');
  await store.fingerprint('password');
  const lock = await store.lock();
  if (lock.ok) await lock.value.release();
  const entries = await fs.readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const { mode } = await fs.stat(join(entry.parentPath, entry.name));
    expect([entry.name, (mode & 0o777).toString(8)]).toEqual([
      entry.name,
      entry.isDirectory() ? '700' : '600',
    ]);
    expect(entry.name).not.toMatch(/tmp$/);
  }
});

test('a domain that did not change is not written again; null forgets it', async () => {
  const directory = await temporaryDirectory();
  const store = open(directory);
  await rememberAcme(store);
  const file = join(store.place, 'domains', 'acme.example.json');
  const sizes = join(store.place, 'manifests.json');
  const [before, sizesBefore] = [await fs.stat(file), await fs.stat(sizes)];
  await rememberAcme(store);
  const again = open(directory);
  await again.prior();
  await rememberAcme(again);
  expect((await fs.stat(file)).ino).toBe(before.ino);
  expect((await fs.stat(sizes)).ino).toBe(sizesBefore.ino);
  await again.remember({ domains: new Map([[ACME, { ...ACME_MEMORY, live: {} }]]), manifest: null });
  expect((await fs.stat(file)).ino).not.toBe(before.ino);
  await again.remember({ domains: new Map([[ACME, null]]), manifest: null });
  expect((await again.prior()).prior).toEqual({
    domains: new Map(),
    manifests: [sizeOf([ACME], 4)],
  });
});

describe('damage counts as empty, with a warning', () => {
  const whole = JSON.stringify({
    kind: 'fwdsync/prior@1',
    domain: 'acme.example',
    live: {},
    applied: [],
    ruleIds: [],
    keptOtherwise: [],
    passwords: [],
  });
  const cases: Readonly<Record<string, string>> = {
    empty: '',
    'half-written': whole.slice(0, 60),
    'another version': whole.replace('prior@1', 'prior@2'),
    'a list': '[]',
    'pairs that are none': whole.replace('"applied":[]', '"applied":[["a"]]'),
    'no domain': whole.replace('acme.example', '../../etc'),
  };
  test.each(Object.entries(cases))('%s', async (_, text) => {
    const directory = await temporaryDirectory();
    const store = open(directory);
    await rememberAcme(store);
    await fs.writeFile(join(store.place, 'domains', 'acme.example.json'), text);
    await fs.writeFile(join(store.place, 'manifests.json'), text);
    const { prior, warnings } = await open(directory).prior();
    expect(prior).toEqual(NO_PRIOR);
    expect(warnings.map((warning) => warning.code)).toEqual(['state-damaged', 'state-damaged']);
    await rememberAcme(store);
  });

  test('an unreadable file', async () => {
    const directory = await temporaryDirectory();
    const store = open(directory);
    await rememberAcme(store);
    const file = join(store.place, 'domains', 'acme.example.json');
    await fs.rm(file);
    await fs.mkdir(file);
    const { prior, warnings } = await open(directory).prior();
    expect(prior.domains.size).toBe(0);
    expect(warnings).toHaveLength(1);
  });
});

test('accounts and hosts with any names do not share a directory', async () => {
  const names: readonly { account?: string; apiUrl?: string }[] = [
    {},
    { account: 'OTHER@acme.example' },
    { account: '../../../etc/passwd' },
    { account: 'a/b@x' },
    { account: 'a-b@x' },
    { account: '' },
    { account: 'ä@x' },
    { account: 'x'.repeat(400) },
    { apiUrl: 'http://127.0.0.1:8025/v4' },
  ];
  const places = names.map((options) => open('/state', options).place);
  expect(new Set(places).size).toBe(names.length);
  for (const place of places) expect(place).toMatch(/^\/state\/[a-z0-9@_-][a-z0-9.@_-]{0,200}$/);
  expect(open('/state', { apiUrl: 'https://api.example/v3' }).place).toBe(open('/state').place);
  expect(open('/state', { account: 'OPS@acme.example ' }).place).toBe(open('/state').place);
});

test('snapshots and reports are bounded in number, the oldest go first', async () => {
  const directory = await temporaryDirectory();
  const clock = virtualClock();
  const store = openStateDirectory({
    directory,
    account: 'ops@acme.example',
    apiUrl: 'https://api.example/v4',
    fs,
    clock,
    processes: systemProcesses(fs, 'test'),
  });
  let last = '';
  for (let run = 1; run <= 53; run += 1) {
    clock.advance(1_000);
    const saved = await store.saveSnapshot(`# ${run}\n`);
    if (saved.ok) last = saved.value;
  }
  const kept = await fs.readdir(join(store.place, 'snapshots'));
  expect(kept).toHaveLength(50);
  expect(await fs.readFile(join(store.place, 'snapshots', kept.toSorted()[0] ?? ''), 'utf8')).toBe('# 4\n');
  expect(await fs.readFile(last, 'utf8')).toBe('# 53\n');
});

test('a disk that is full or read-only is an error value', async () => {
  const directory = await temporaryDirectory();
  const full: StateFs = {
    ...fs,
    open: () =>
      Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })),
  };
  const store = open(directory, { fs: full });
  const saved = await store.saveSnapshot('version: 1\n');
  expect(saved).toMatchObject({ ok: false, error: { message: expect.stringContaining('ENOSPC') } });
  expect((await store.remember({ domains: new Map([[ACME, ACME_MEMORY]]), manifest: null })).ok).toBe(false);
  expect(await store.lock()).toMatchObject({ ok: false, error: { kind: 'unwritable' } });
  expect(await store.fingerprint('password')).toBeNull();
});

test('a path under a file is an error value', async () => {
  const directory = await temporaryDirectory();
  await fs.writeFile(join(directory, 'file'), '');
  const store = open(join(directory, 'file'));
  expect((await store.saveSnapshot('version: 1\n')).ok).toBe(false);
  expect(await store.lock()).toMatchObject({ ok: false, error: { kind: 'unwritable' } });
  const warning = { code: 'state-damaged', message: expect.stringContaining('file is not a directory') };
  expect(await store.prior()).toMatchObject({ prior: NO_PRIOR, warnings: [warning] });
});
