import { fromEnvironment } from '../../../support/references.ts';
import { describe, expect, test } from 'vitest';
import type { DomainName, NameKey } from '../../../../src/core/model/names.ts';
import { NO_PRIOR, type ManifestSize, type PriorDomain } from '../../../../src/core/model/prior.ts';
import type { HistoryBounds } from '../../../../src/engine/state/history/bounds.ts';
import type { SharedText, StateLock, StateStore } from '../../../../src/engine/state/store.ts';
import type { VirtualClock } from '../../../support/clock.ts';
import { historyContract } from './history-contract.ts';

/** Storage that is empty at first, and outlives the stores that are opened on it. */
export interface StorageWorld {
  readonly clock: VirtualClock;
  /** Opens the store like another process on another machine. */
  readonly open: (options?: StoreOptions) => StateStore;
  /** Opens the text that all processes share. */
  readonly openShared: () => SharedText;
}

export interface StoreOptions {
  readonly account?: string;
  readonly apiUrl?: string;
  /** Names the process that opens it. */
  readonly command?: string;
  readonly history?: Partial<HistoryBounds>;
}

/** Tests for every implementation of `StateStore`. */
export function storeContract(name: string, createWorld: () => Promise<StorageWorld>): void {
  describe(`${name}: what is remembered`, () => memoryContract(createWorld));
  describe(`${name}: values and passwords`, () => secretsContract(createWorld));
  describe(`${name}: the history`, () => historyContract(createWorld));
  describe(`${name}: the shared text`, () => sharedContract(createWorld));
  describe(`${name}: the lock`, () => lockContract(createWorld));
}

export const ACME = 'acme.example' as DomainName;

export const ACME_MEMORY: PriorDomain = {
  live: { aliases: 3, rules: 1 },
  applied: new Map([
    ['alias/sales', 'a'],
    ['alias/__proto__', 'b'],
  ]),
  ruleIds: new Map([['vip', '1234']]),
  keptOtherwise: new Map([['rule/vip', { sent: 'c', shown: 'd' }]]),
  passwords: new Map([['carol' as NameKey, 'scrypt:x']]),
  givenCatchAll: 'owner@account.example',
  inSyncDigest: 'sha256:1',
  verified: { at: 5, waitMs: 60_000 },
};

export async function rememberAcme(store: StateStore): Promise<void> {
  const domains = new Map([[ACME, ACME_MEMORY]]);
  expect((await store.remember({ domains, manifest: sizeOf([ACME], 4) })).ok).toBe(true);
}

export function sizeOf(domains: readonly string[], entries: number): ManifestSize {
  return { domains: new Set(domains as DomainName[]), entries };
}

function memoryContract(createWorld: () => Promise<StorageWorld>): void {
  test('what is new holds nothing', async () => {
    const { open } = await createWorld();
    expect(await open().prior()).toEqual({ prior: NO_PRIOR, warnings: [] });
  });

  test('what was remembered comes back in another process; null forgets it', async () => {
    const { open } = await createWorld();
    await rememberAcme(open());
    const manifests = [sizeOf([ACME], 4)];
    const prior = { domains: new Map([[ACME, ACME_MEMORY]]), manifests };
    expect(await open().prior()).toEqual({ prior, warnings: [] });
    const changed = { ...ACME_MEMORY, live: {} };
    await open().remember({ domains: new Map([[ACME, changed]]), manifest: null });
    expect((await open().prior()).prior.domains.get(ACME)).toEqual(changed);
    await open().remember({ domains: new Map([[ACME, null]]), manifest: null });
    expect((await open().prior()).prior).toEqual({ domains: new Map(), manifests });
  });

  test('which domains receive mail comes back in another process, by account', async () => {
    const { open } = await createWorld();
    expect(await open().receiving.read()).toBeNull();
    expect((await open().receiving.write('one')).ok).toBe(true);
    expect((await open().receiving.write('two')).ok).toBe(true);
    expect(await open().receiving.read()).toBe('two');
    expect(await open({ account: 'else@acme.example' }).receiving.read()).toBeNull();
  });

  test.each(['delivery', 'moves'] as const)(
    'what is kept of %s comes back in another process, by domain',
    async (subject) => {
      const { open } = await createWorld();
      const other = 'other.example' as DomainName;
      expect(await open()[subject].read(ACME)).toBeNull();
      expect((await open()[subject].write(ACME, 'one')).ok).toBe(true);
      expect((await open()[subject].write(ACME, 'two')).ok).toBe(true);
      expect([await open()[subject].read(ACME), await open()[subject].read(other)]).toEqual(['two', null]);
      expect(await open({ account: 'else@acme.example' })[subject].read(ACME)).toBeNull();
    },
  );

  test('manifests of one account are told apart by their domains, and bounded in number', async () => {
    const { open } = await createWorld();
    const store = open();
    const note = (...size: Parameters<typeof sizeOf>) =>
      store.remember({ domains: new Map(), manifest: sizeOf(...size) });
    const known = async () => (await open().prior()).prior.manifests;
    await note(['a.example', 'b.example', 'c.example'], 30);
    await note(['x.example', 'y.example'], 9);
    expect(await known()).toEqual([
      sizeOf(['x.example', 'y.example'], 9),
      sizeOf(['a.example', 'b.example', 'c.example'], 30),
    ]);
    // The manifest grows: most of its domains are in the earlier one. Half of them would not be most.
    await note(['c.example', 'a.example', 'b.example', 'd.example'], 40);
    await note(['x.example'], 3);
    const grown = sizeOf(['a.example', 'b.example', 'c.example', 'd.example'], 40);
    expect(await known()).toEqual([sizeOf(['x.example'], 3), grown, sizeOf(['x.example', 'y.example'], 9)]);
    for (let index = 0; index < 60; index += 1) await note([`m${index}.example`], index);
    expect(await known()).toHaveLength(50);
    expect((await known())[0]).toEqual(sizeOf(['m59.example'], 59));
  });

  test('accounts and hosts with any names share nothing; generations of the API share everything', async () => {
    const { open } = await createWorld();
    await rememberAcme(open({ account: 'ops@acme.example', apiUrl: 'https://api.example/v4' }));
    const domainsOf = async (options: StoreOptions) => (await open(options).prior()).prior.domains.size;
    for (const account of ['other@acme.example', '../ops@acme.example', 'ops/acme.example', '', 'ö@x'])
      expect([account, await domainsOf({ account })]).toEqual([account, 0]);
    expect(await domainsOf({ apiUrl: 'http://127.0.0.1:8025/v4' })).toBe(0);
    expect(await domainsOf({ apiUrl: 'https://api.example/v3' })).toBe(1);
    expect(await domainsOf({ account: 'OPS@acme.example ' })).toBe(1);
  });

  test('each snapshot and each report has a place of its own', async () => {
    const { open, clock } = await createWorld();
    const saved = [
      await open().saveSnapshot('version: 1\n'),
      await open().saveSnapshot('version: 1\n'),
      await open().saveReport('{}'),
    ];
    clock.advance(1_000);
    saved.push(await open().saveSnapshot('version: 1\n'));
    const places = saved.map((result) => (result.ok ? result.value : ''));
    expect(new Set(places).size).toBe(4);
    expect(places).not.toContain('');
  });
}

function sharedContract(createWorld: () => Promise<StorageWorld>): void {
  test('comes back in another process, and no change of several at once is lost', async () => {
    const { openShared } = await createWorld();
    const seen: (string | null)[] = [];
    const add = async (letter: string): Promise<boolean> =>
      (
        await openShared().change((before) => {
          seen.push(before);
          return `${before ?? ''}${letter}`;
        })
      ).ok;
    expect(await add('a')).toBe(true);
    expect(await Promise.all(['b', 'c', 'd'].map(add))).toEqual([true, true, true]);
    expect(await add('e')).toBe(true);
    expect(seen[0]).toBeNull();
    expect(seen.at(-1)?.split('').toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });
}

function secretsContract(createWorld: () => Promise<StorageWorld>): void {
  test('values of references are recognised without letter case, in later processes too, but not by other accounts', async () => {
    const { open } = await createWorld();
    expect(await open().openReferences()).toBeNull();
    // A reference to an unset variable stays as written.
    const kept = fromEnvironment({ 'carol@corp.example': 'CAROL', '{ env: DAVE }': 'DAVE' });
    expect((await open().rememberReferences(kept)).ok).toBe(true);
    const values = ['Carol@corp.example', 'bob@corp.example', '{ env: DAVE }'];
    const recognised = async () => [...((await open().openReferences())?.(values) ?? [])];
    expect(await recognised()).toEqual([
      ['Carol@corp.example', { shown: '{ env: CAROL }', written: { env: 'CAROL' } }],
    ]);
    expect(await open({ account: 'other@acme.example' }).openReferences()).toBeNull();
    expect((await open().rememberReferences(fromEnvironment({ 'bob@corp.example': 'BOB' }))).ok).toBe(true);
    expect(await recognised()).toEqual([
      ['Carol@corp.example', { shown: '{ env: CAROL }', written: { env: 'CAROL' } }],
      ['bob@corp.example', { shown: '{ env: BOB }', written: { env: 'BOB' } }],
    ]);
  });

  test('fingerprints of passwords are equal in one storage, differ between two, and show nothing', async () => {
    const [one, other] = [await createWorld(), await createWorld()];
    const first = await one.open().fingerprint('correct horse');
    expect(await one.open().fingerprint('correct horse')).toBe(first);
    expect(await one.open().fingerprint('correct horsf')).not.toBe(first);
    expect(await other.open().fingerprint('correct horse')).not.toBe(first);
    expect(first).not.toContain('correct');
  });
}

const LEASE_MS = 60_000;

function lockContract(createWorld: () => Promise<StorageWorld>): void {
  test('the second waits 10 s and is told who holds it; after the release it gets in', async () => {
    const { open, clock } = await createWorld();
    const first = await take(open({ command: 'apply' }));
    const second = open({ command: 'run' });
    const before = clock.now();
    const refused = await second.lock();
    expect(refused).toMatchObject({ ok: false, error: { kind: 'held' } });
    expect(refused.ok ? '' : refused.error.message).toMatch(/locked by .*apply.* since 20\d\d-/);
    expect(clock.now() - before).toBeGreaterThanOrEqual(10_000);
    expect(await first.lost()).toBeNull();
    await first.release();
    await first.release();
    await (await take(second)).release();
  });

  test('accounts do not wait for each other', async () => {
    const { open } = await createWorld();
    await take(open());
    await take(open({ account: 'other@acme.example' }));
  });

  test('everybody can count how often it was taken', async () => {
    const { open } = await createWorld();
    const [one, other] = [open(), open()];
    expect(await one.lockCount()).toBe(0);
    await (await take(one)).release();
    expect([await one.lockCount(), await other.lockCount()]).toEqual([1, 1]);
    const lock = await take(other);
    expect(await one.lockCount()).toBe(2);
    await lock.release();
    expect([await one.lockCount(), await other.lockCount()]).toEqual([2, 2]);
  });

  test('a holder keeps it for as long as it refreshes it', async () => {
    const { open, clock } = await createWorld();
    const lock = await take(open());
    for (let refreshed = 0; refreshed < 5; refreshed += 1) {
      clock.advance(LEASE_MS / 2);
      expect(await lock.lost()).toBeNull();
      expect(await open().lock()).toMatchObject({ ok: false, error: { kind: 'held' } });
    }
  });

  test('a holder that was silent for a whole lease has lost it, and learns so', async () => {
    const { open, clock } = await createWorld();
    const lock = await take(open({ command: 'stopped' }));
    clock.advance(LEASE_MS);
    const second = await take(open({ command: 'apply' }));
    expect(await lock.lost()).toMatchObject({ kind: 'held', message: expect.stringContaining('apply') });
    expect(await second.lost()).toBeNull();
    await lock.release();
    expect(await second.lost()).toBeNull();
    await second.release();
    expect(await lock.lost()).toMatchObject({ kind: 'lost' });
  });

  test('of many who find it free one gets in at a time', async () => {
    const { open, clock } = await createWorld();
    await take(open());
    clock.advance(LEASE_MS);
    await expectOneAtATime(Array.from({ length: 12 }, () => open()));
  });
}

export async function take(store: StateStore): Promise<StateLock> {
  const lock = await store.lock();
  if (!lock.ok) throw new Error(lock.error.message);
  return lock.value;
}

/** All ask for the lock at once. Some get it, but never two at a time. */
export async function expectOneAtATime(stores: readonly StateStore[]): Promise<void> {
  let inside = 0;
  let entered = 0;
  const enter = async (store: StateStore): Promise<void> => {
    const lock = await store.lock();
    if (!lock.ok) return;
    inside += 1;
    entered += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inside -= 1;
    await lock.value.release();
  };
  await Promise.all(stores.map(enter));
  expect(entered).toBeGreaterThan(0);
}
