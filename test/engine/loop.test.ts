import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { isReady } from '../../src/core/model/status/daemon.ts';
import type { Change } from '../../src/core/model/plan.ts';
import { everyNth, IS_FULL, runs } from '../support/share.ts';
import { createWorld, HOUR, MINUTE, type World } from './support/world.ts';

const MANIFEST = `
domains:
  acme.example:
    prune: { aliases: true }
    aliases:
      sales: carol@corp.example
  beta.example:
    aliases:
      info: dan@corp.example
`;
const SEED = {
  domains: [
    { domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'bob@corp.example' }] },
    { domain: 'beta.example' },
  ],
};
const IN_SYNC = { 'acme.example': 'in-sync', 'beta.example': 'in-sync' };
const SALES = '/domains/acme.example/aliases';

async function started(options: Parameters<World['start']>[0] = {}): Promise<{
  readonly world: World;
  readonly daemon: ReturnType<World['start']>;
}> {
  const world = await createWorld({ seed: SEED, manifest: MANIFEST });
  const daemon = world.start(options);
  await world.clock.pass(MINUTE);
  return { world, daemon };
}

function forwardOf({ core }: World, alias = 'sales', domain = 'acme.example'): string | undefined {
  const found = core.store.dump().domains.find((entry) => entry.domain === domain);
  return found?.aliases.find((entry) => entry.alias === alias)?.forward;
}

async function driftSales(world: World, forward: string): Promise<void> {
  const id = aliasId(world);
  await world.edit('PUT', `${SALES}/${id}`, { forward });
}

function aliasId({ core }: World): number | undefined {
  const domain = core.store.dump().domains.find((entry) => entry.domain === 'acme.example');
  return domain?.aliases.find(({ alias }) => alias === 'sales')?.id;
}

function driftOf({ events }: World): readonly Change[] {
  return events.flatMap((event) =>
    event.kind === 'run-finished' && event.result.kind === 'completed' ? event.result.drift : [],
  );
}

const kinds = ({ events }: World): readonly string[] => events.map(({ kind }) => kind);

test('a start brings the account to the manifest, and then there is nothing to do', async () => {
  const { world, daemon } = await started();
  expect(daemon.states()).toEqual(IN_SYNC);
  expect(world.writes()).toHaveLength(2);
  await world.clock.pass(20 * MINUTE);
  expect(world.writes()).toHaveLength(2);
  expect(isReady(daemon.status())).toBe(true);
  await daemon.stop();
});

test('the account is read once a sweep, and again before something is changed', async () => {
  const { world, daemon } = await started();
  const read = async (): Promise<number> => {
    const before = world.core.journal.total();
    await world.clock.pass(5 * MINUTE);
    const sent = world.core.journal.entries().filter(({ number }) => number > before);
    return sent.filter(({ path }) => path.endsWith('/account')).length;
  };
  expect(await read()).toBe(1);
  await driftSales(world, 'mallory@elsewhere.example');
  expect(await read()).toBe(2);
  expect(forwardOf(world)).toBe('carol@corp.example');
  expect(await read()).toBe(1);
  await daemon.stop();
});

test('a change of the manifest is applied within seconds, and only its domain is read', async () => {
  const { world, daemon } = await started({ intervalMs: HOUR });
  const before = world.core.journal.total();
  await world.write(MANIFEST.replace('dan@', 'eve@'));
  daemon.loop.filesChanged();
  await world.clock.pass(5_000);
  expect(forwardOf(world, 'info', 'beta.example')).toBe('eve@corp.example');
  const requests = world.core.journal.entries().filter(({ number }) => number > before);
  expect(requests.filter(({ path }) => path.includes('acme.example'))).toEqual([]);
  await daemon.stop();
});

test('a lost event is made good within half a minute', async () => {
  const { world, daemon } = await started({ intervalMs: HOUR });
  await world.write(MANIFEST.replace('dan@', 'eve@'));
  await world.clock.pass(31_000);
  expect(forwardOf(world, 'info', 'beta.example')).toBe('eve@corp.example');
  await daemon.stop();
});

test('a credential without a password is a problem of its domain alone, and says what to write', async () => {
  const { world, daemon } = await started();
  await world.write(
    `${MANIFEST.trimEnd()}\n  gamma.example:\n    credentials: { printer: {} }\n    aliases: { info: ana@corp.example }`,
  );
  await world.clock.pass(5 * MINUTE);
  expect(forwardOf(world, 'info', 'gamma.example')).toBe('ana@corp.example');
  expect(daemon.states()).toEqual({ ...IN_SYNC, 'gamma.example': 'failing' });
  expect(daemon.status().domains.get('gamma.example')).toMatchObject({
    reason:
      'credential "printer" of gamma.example: it does not exist yet, and needs a password to be created',
    resolve: 'write password: { env: NAME } or { file: PATH }',
  });
  await driftSales(world, 'mallory@elsewhere.example');
  await world.clock.pass(6 * MINUTE);
  expect(forwardOf(world)).toBe('carol@corp.example');
  await daemon.stop();
});

describe('drift made behind its back', () => {
  test('is put right and reported within one interval', async () => {
    const { world, daemon } = await started();
    await driftSales(world, 'mallory@elsewhere.example');
    await world.clock.pass(5 * MINUTE);
    expect(forwardOf(world)).toBe('carol@corp.example');
    expect(driftOf(world)).toMatchObject([{ kind: 'alias', name: 'sales', reason: 'drift' }]);
    await daemon.stop();
  });

  test('is only reported in observe mode, which sends nothing but GET', async () => {
    const { world, daemon } = await started({ mode: 'observe' });
    expect(daemon.states()).toEqual({ 'acme.example': 'drifted', 'beta.example': 'drifted' });
    expect(daemon.status().domains.get('acme.example')).toMatchObject({
      pending: { update: 1 },
      changes: [{ action: 'update', kind: 'alias', name: 'sales' }],
      line: { file: world.path, line: 4 },
    });
    await world.clock.pass(runs(HOUR, 10 * MINUTE));
    expect(world.writes()).toEqual([]);
    expect(isReady(daemon.status())).toBe(true);
    expect(driftOf(world)).toEqual([]);
    await driftSales(world, 'carol@corp.example');
    await world.clock.pass(6 * MINUTE);
    expect(daemon.states()['acme.example']).toBe('in-sync');
    await world.edit('POST', SALES, { alias: 'stray', forward: 'mallory@elsewhere.example' });
    await world.clock.pass(6 * MINUTE);
    expect(driftOf(world)).toMatchObject([{ action: 'delete', kind: 'alias', name: 'stray' }]);
    await daemon.stop();
  });

  test('is left alone after the third time, until SIGHUP or until a day has passed', async () => {
    const { world, daemon } = await started({ intervalMs: 2 * HOUR, pollMs: HOUR });
    const changeBack = async (): Promise<void> => {
      for (let round = 1; round <= 4; round += 1) {
        await driftSales(world, `mallory${round}@elsewhere.example`);
        await world.clock.pass(2 * HOUR + MINUTE);
      }
      expect(daemon.states()).toEqual({ 'acme.example': 'frozen', 'beta.example': 'in-sync' });
      expect(daemon.status().domains.get('acme.example')).toMatchObject({
        source: { file: world.path, line: 7 },
        resolve: expect.stringContaining('send SIGHUP'),
      });
      expect(forwardOf(world)).toBe('mallory4@elsewhere.example');
    };
    await changeBack();
    daemon.loop.resync();
    await world.clock.pass(MINUTE);
    expect(forwardOf(world)).toBe('carol@corp.example');
    await changeBack();
    await world.clock.pass(16 * HOUR);
    expect(forwardOf(world)).toBe('mallory4@elsewhere.example');
    await world.clock.pass(8 * HOUR);
    expect(forwardOf(world)).toBe('carol@corp.example');
    await daemon.stop();
  });

  test.runIf(IS_FULL)('is put right again at once when its entry changes', async () => {
    const { world, daemon } = await started();
    for (let round = 1; round <= 4; round += 1) {
      await driftSales(world, `mallory${round}@elsewhere.example`);
      await world.clock.pass(6 * MINUTE);
    }
    await world.write(MANIFEST.replace('carol@', 'erin@'));
    daemon.loop.filesChanged();
    await world.clock.pass(5_000);
    expect(forwardOf(world)).toBe('erin@corp.example');
    await daemon.stop();
  });

  test.runIf(IS_FULL)('that happens rarely does not freeze an item', async () => {
    const { world, daemon } = await started({ intervalMs: 20 * MINUTE, pollMs: HOUR });
    for (let time = 1; time <= 4; time += 1) {
      await driftSales(world, `mallory${time}@elsewhere.example`);
      await world.clock.pass(HOUR);
      expect(forwardOf(world)).toBe('carol@corp.example');
    }
    await daemon.stop();
  });
});

describe('the last good manifest', () => {
  const break_: readonly (readonly [string, (world: World) => Promise<void>])[] = [
    ['invalid', (world) => world.write('domains: { acme.example: nonsense }')],
    ['empty', (world) => writeFile(world.path, '')],
    ['cut in the middle of a line', (world) => writeFile(world.path, `version: 1${MANIFEST.slice(0, -8)}`)],
    ['gone', (world) => rm(world.path)],
  ];

  test.each(everyNth(4, break_))('stays in force when the new one is %s', async (_, breakIt) => {
    const { world, daemon } = await started();
    await breakIt(world);
    daemon.loop.filesChanged();
    await world.clock.pass(MINUTE);
    expect(isReady(daemon.status())).toBe(false);
    expect(daemon.status().manifest).toMatchObject({ state: 'refused', inForce: true });
    expect(daemon.status().manifest.problems).not.toEqual([]);
    await driftSales(world, 'mallory@elsewhere.example');
    await world.clock.pass(6 * MINUTE);
    expect(forwardOf(world)).toBe('carol@corp.example');
    expect(kinds(world).filter((kind) => kind === 'manifest-refused')).toHaveLength(1);
    await world.write(MANIFEST.replace('carol@', 'erin@'));
    await world.clock.pass(MINUTE);
    expect(forwardOf(world)).toBe('erin@corp.example');
    expect(isReady(daemon.status())).toBe(true);
    await daemon.stop();
  });

  test.each(everyNth(4, break_))(
    'with none: alive, not ready, no request, when it is %s',
    async (_, breakIt) => {
      const world = await createWorld({ seed: SEED, manifest: MANIFEST });
      await breakIt(world);
      const daemon = world.start();
      await world.clock.pass(runs(HOUR, 10 * MINUTE));
      expect(daemon.status().manifest).toMatchObject({ state: 'refused', inForce: false });
      expect(world.core.journal.total()).toBe(0);
      await world.write(MANIFEST);
      await world.clock.pass(MINUTE);
      expect(daemon.states()).toEqual(IN_SYNC);
      await daemon.stop();
    },
  );
});

describe('trouble', () => {
  test('29: the API down for an hour: alive, not ready, ever fewer attempts, and well again by itself', async () => {
    const { world, daemon } = await started();
    world.network.isUp = false;
    await world.clock.pass(6 * MINUTE);
    await world.write(MANIFEST.replace('dan@', 'eve@'));
    await world.clock.pass(54 * MINUTE);
    expect(isReady(daemon.status())).toBe(false);
    const failed = kinds(world).filter((kind) => kind === 'run-finished').length;
    expect(failed).toBeLessThan(50);
    expect(daemon.status().failures).toBeGreaterThan(3);
    world.network.isUp = true;
    await world.clock.pass(6 * MINUTE);
    expect(isReady(daemon.status())).toBe(true);
    expect(forwardOf(world, 'info', 'beta.example')).toBe('eve@corp.example');
    expect(kinds(world)).toContain('recovered');
    await daemon.stop();
  });

  test('24: one domain that cannot be read does not block the others', async () => {
    const { world, daemon } = await started();
    world.core.faults.push({
      match: { path: 'acme\\.example/aliases', times: 'always' },
      do: { kind: 'status', code: 500 },
    });
    await world.write(MANIFEST.replace('dan@', 'eve@').replace('carol@', 'erin@'));
    daemon.loop.filesChanged();
    await world.clock.pass(2 * MINUTE);
    expect(forwardOf(world, 'info', 'beta.example')).toBe('eve@corp.example');
    expect(daemon.states()).toEqual({ 'acme.example': 'failing', 'beta.example': 'in-sync' });
    world.core.faults.clear();
    await world.clock.pass(6 * MINUTE);
    expect(forwardOf(world)).toBe('erin@corp.example');
    expect(daemon.states()).toEqual(IN_SYNC);
    await daemon.stop();
  });

  test('refused changes are withheld and the rest continues; an allowance takes effect at once', async () => {
    const { world, daemon } = await started();
    const catchAll = MANIFEST.replace('      sales:', '      "*": all@corp.example\n      sales:');
    await world.write(catchAll);
    await world.clock.pass(MINUTE);
    expect(forwardOf(world, '*')).toBe('all@corp.example');
    await world.write(MANIFEST.replace('dan@', 'eve@'));
    await world.clock.pass(MINUTE);
    expect(forwardOf(world, '*')).toBe('all@corp.example');
    expect(forwardOf(world, 'info', 'beta.example')).toBe('eve@corp.example');
    expect(daemon.states()).toEqual({ 'acme.example': 'withheld', 'beta.example': 'in-sync' });
    expect(daemon.status().domains.get('acme.example')).toMatchObject({
      changes: [{ action: 'delete', kind: 'alias', name: '*' }],
      resolve: expect.stringContaining("fwdsync apply --allow-unrouted '*@acme.example'"),
    });
    const allow = 'guards: { allow: [{ unrouted: "*@acme.example", until: 2027-01-01 }] }';
    await world.write(`${allow}${MANIFEST.replace('dan@', 'eve@')}`);
    await world.clock.pass(MINUTE);
    expect(forwardOf(world, '*')).toBeUndefined();
    expect(daemon.states()).toEqual(IN_SYNC);
    await daemon.stop();
  });

  test('a cut manifest stays withheld while other edits are applied', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const text = (kept: readonly string[], forward: string): string => {
      const entries = kept.map((name) => `${name}: ops@corp.example`).join(', ');
      const big = `  acme.example: { prune: { aliases: true }, aliases: { ${entries} } }`;
      return `guards: { max_delete_percent: 100 }\ndomains:\n${big}\n  beta.example: { aliases: { info: ${forward}@corp.example } }`;
    };
    const world = await createWorld({ seed: SEED, manifest: text(names, 'dan') });
    const daemon = world.start();
    await world.clock.pass(10 * MINUTE);
    expect(daemon.states()).toEqual(IN_SYNC);
    await world.write(text(['a', 'b', 'c'], 'dan'));
    await world.clock.pass(MINUTE);
    await world.write(text(['a', 'b', 'c'], 'eve'));
    await world.clock.pass(20 * MINUTE);
    expect(forwardOf(world, 'info', 'beta.example')).toBe('eve@corp.example');
    expect(daemon.states()).toEqual({ 'acme.example': 'withheld', 'beta.example': 'in-sync' });
    expect(forwardOf(world, 'f')).toBe('ops@corp.example');
    await daemon.stop();
  });

  test.each([
    ['apply', 'in-sync', { add: 0, delete: 0 }],
    ['observe', 'drifted', { add: 1, delete: 0 }],
  ] as const)(
    'in mode %s the state of a domain is its own: a guard of another one says nothing',
    async (mode, state, pending) => {
      const aliases = ['a', 'b', 'c', 'd'].map((alias) => ({ alias, forward: 'ops@corp.example' }));
      const world = await createWorld({
        seed: { domains: [{ domain: 'acme.example', aliases }, { domain: 'beta.example' }] },
        manifest: `guards: { max_deletes: 2 }
domains:
  acme.example: { prune: { aliases: true }, aliases: { a: ops@corp.example } }
  beta.example: { aliases: { info: dan@corp.example } }
`,
      });
      const daemon = world.start({ mode });
      await world.clock.pass(MINUTE);
      expect(daemon.states()).toEqual({ 'acme.example': 'withheld', 'beta.example': state });
      expect(daemon.status().domains.get('beta.example')).toMatchObject({ reason: null, pending });
      await daemon.stop();
    },
  );

  test('a key that was rotated is read again after a 401', async () => {
    const world = await createWorld({ seed: SEED, manifest: MANIFEST, apiKey: 'sk_new_0123456789' });
    let reads = 0;
    const daemon = world.start({
      key() {
        reads += 1;
        return reads === 1 ? 'sk_old_0123456789' : 'sk_new_0123456789';
      },
    });
    await world.clock.pass(2_000);
    expect(daemon.states()).toEqual(IN_SYNC);
    await daemon.stop();
  });

  test('a key that is wrong is not tried without end', async () => {
    const world = await createWorld({ seed: SEED, manifest: MANIFEST, apiKey: 'sk_other_0123456789' });
    const daemon = world.start();
    await world.clock.pass(HOUR);
    expect(world.core.journal.total()).toBeLessThan(80);
    expect(isReady(daemon.status())).toBe(false);
    await daemon.stop();
  });

  test('a domain is never deleted, and a tombstone withholds nothing else', async () => {
    const { world, daemon } = await started();
    await world.write(`${MANIFEST.replace('dan@', 'eve@')}  old.example: { state: absent }\n`);
    await world.edit('POST', '/domains', { domain: 'old.example' });
    await world.clock.pass(10 * MINUTE);
    expect(world.core.store.dump().domains.map(({ domain }) => domain)).toContain('old.example');
    expect(daemon.status().domains.get('old.example')).toMatchObject({
      state: 'withheld',
      resolve: '`fwdsync apply --allow-domain-delete old.example` deletes it',
    });
    expect(forwardOf(world, 'info', 'beta.example')).toBe('eve@corp.example');
    await daemon.stop();
  });

  test('26: without a state directory nothing is written, and it goes on when there is one', async () => {
    const world = await createWorld({ seed: SEED, manifest: MANIFEST });
    await writeFile(world.stateDirectory, 'not a directory');
    const daemon = world.start();
    await world.clock.pass(10 * MINUTE);
    expect(world.writes()).toEqual([]);
    expect(daemon.status().run?.outcome).toBe('failed');
    expect(daemon.status().domains.get('acme.example')?.resolve).toContain('state directory');
    await rm(world.stateDirectory);
    await world.clock.pass(6 * MINUTE);
    expect(daemon.states()).toEqual(IN_SYNC);
    await daemon.stop();
  });
});
