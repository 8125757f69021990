import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../src/emulator/http/journal.ts';
import { runs } from '../support/share.ts';
import { createWorld, HOUR, MINUTE, type StartOptions, type World } from './support/world.ts';

const NAMES = Array.from(
  { length: runs(24, 16) },
  (_, index) => `d${String(index).padStart(2, '0')}.example`,
);
const MANIFEST = `domains:
${NAMES.map(
  (name) => `  ${name}:
    prune: true
    aliases: { info: ops@corp.example }
    rules: [{ name: jobs, alias: jobs, forward: ops@corp.example }]`,
).join('\n')}`;
const QUICK: StartOptions = { drift: 'quick', pollMs: 24 * HOUR };

/** A daemon that has read everything once, with everything in sync. */
async function settled(start: StartOptions = QUICK): Promise<{
  readonly world: World;
  readonly daemon: ReturnType<World['start']>;
}> {
  const world = await createWorld({
    seed: { domains: NAMES.map((domain) => ({ domain })) },
    manifest: MANIFEST,
  });
  const first = world.start();
  await world.clock.pass(2 * MINUTE);
  await first.stop();
  const daemon = world.start(start);
  await world.clock.pass(2 * MINUTE);
  expect(new Set(Object.values(daemon.states()))).toEqual(new Set(['in-sync']));
  return { world, daemon };
}

/** Requests within this many milliseconds. */
async function during({ core, clock }: World, milliseconds: number): Promise<readonly JournalEntry[]> {
  const before = core.journal.total();
  await clock.pass(milliseconds);
  return core.journal.entries().filter(({ number }) => number > before);
}

/** Domains of which sections were read. */
function readInFull(requests: readonly JournalEntry[]): readonly string[] {
  const names = requests.flatMap(
    ({ version, path }) => (version === 'v4' && /^\/domains\/([^/?]+)\/rules/.exec(path)?.[1]) || [],
  );
  return [...new Set(names)].toSorted();
}

function liveOf({ core }: World, name: string) {
  const domain = core.store.dump().domains.find((entry) => entry.domain === name);
  return { aliases: domain?.aliases.map(({ alias }) => alias), rules: domain?.rules.length };
}

test('a sweep checks all domains with one request to v3, and reads a share of them in turn', async () => {
  const { world, daemon } = await settled();
  const requests = await during(world, 5 * MINUTE);
  expect(requests.filter(({ version }) => version === 'v3').map(({ endpoint }) => endpoint)).toEqual([
    '/account',
    '/domains',
  ]);
  // Eleven sweeps, because at the twelfth the first reads would be an hour old.
  expect(readInFull(requests)).toHaveLength(Math.ceil(NAMES.length / 11));
  await daemon.stop();
});

test('each domain is read in full within the full interval, and /status knows since when', async () => {
  const { world, daemon } = await settled();
  const read = new Map(NAMES.map((name) => [name, world.clock.now()]));
  let oldest = 0;
  for (let minute = 0; minute < runs(130, 70); minute += 1) {
    for (const name of readInFull(await during(world, MINUTE))) read.set(name, world.clock.now());
    const since = Math.min(...read.values());
    oldest = Math.max(oldest, world.clock.now() - since);
    expect(Math.abs((daemon.status().fullReadAt ?? 0) - since)).toBeLessThan(2 * MINUTE);
  }
  expect(oldest).toBeLessThan(HOUR + 2 * MINUTE);
  expect(oldest).toBeGreaterThan(35 * MINUTE);
  await daemon.stop();
});

test('drift in an alias and in a setting is corrected with the next sweep; only these domains are read', async () => {
  const { world, daemon } = await settled();
  await world.edit('POST', `/domains/d03.example/aliases`, { alias: 'stray', forward: 'eve@x.example' });
  const requests = await during(world, 5 * MINUTE);
  expect(liveOf(world, 'd03.example').aliases).toEqual(['info']);
  expect(readInFull(requests)).toContain('d03.example');
  expect(readInFull(requests).length).toBeLessThan(6);
  expect(world.writes().filter((write) => write.includes('aliases/'))).toHaveLength(1);
  await daemon.stop();
});

test('a drift that the list shows is never written by itself', async () => {
  const { world, daemon } = await settled();
  const before = world.writes().length;
  world.core.faults.push({
    match: { version: 'v3', endpoint: '/domains', times: 'always' },
    do: { kind: 'body', body: JSON.stringify({ success: true, domains: [], total: 0, limit: 100, page: 1 }) },
  });
  const requests = await during(world, 6 * MINUTE);
  expect(readInFull(requests)).toEqual(NAMES);
  expect(world.writes().length).toBe(before);
  expect(new Set(Object.values(daemon.states()))).toEqual(new Set(['in-sync']));
  await daemon.stop();
});

test('if the list cannot be proven everything is read, as without it', async () => {
  const { world, daemon } = await settled();
  world.core.faults.push({
    match: { version: 'v3', endpoint: '/domains', times: 'always' },
    do: { kind: 'listing', missing: 0 },
  });
  expect(readInFull(await during(world, 6 * MINUTE))).toEqual(NAMES);
  expect(world.events).toContainEqual(expect.objectContaining({ kind: 'drift-unchecked' }));
  await daemon.stop();
});

describe('a rule, which the list does not show', () => {
  test('is found in its turn, and then all the others are read as well', async () => {
    const { world, daemon } = await settled();
    for (const name of NAMES)
      await world.edit('POST', `/domains/${name}/rules`, {
        type: 'alias',
        config: { alias: 'stray', forward: 'eve@x.example' },
      });
    const requests = await during(world, 6 * MINUTE);
    expect(readInFull(requests)).toEqual(NAMES);
    expect(NAMES.map((name) => liveOf(world, name).rules)).toEqual(NAMES.map(() => 1));
    await daemon.stop();
  });

  test('counts in the guards as in a sweep that reads everything', async () => {
    const { world, daemon } = await settled();
    for (const name of NAMES)
      for (const alias of ['one', 'two'])
        await world.edit('POST', `/domains/${name}/rules`, {
          type: 'alias',
          config: { alias, forward: 'eve@x.example' },
        });
    const before = world.writes().length;
    await world.clock.pass(runs(2 * HOUR, HOUR));
    expect(world.writes().length).toBe(before);
    expect(new Set(Object.values(daemon.states()))).toEqual(new Set(['withheld']));
    await daemon.stop();
  });
});

test('after SIGHUP everything is read in full', async () => {
  const { world, daemon } = await settled();
  daemon.loop.resync();
  expect(readInFull(await during(world, MINUTE))).toEqual(NAMES);
  await daemon.stop();
});

describe('another account at that address', () => {
  const fault = {
    match: { version: 'v3', endpoint: '/account' },
    do: {
      kind: 'body',
      body: JSON.stringify({ account: { email: 'somebody@else.example' }, success: true }),
    },
  } as const;
  const message = /the account at .*v3 is somebody@else\.example/;

  test('ends the daemon at its start, before it reads anything', async () => {
    const world = await createWorld({
      seed: { domains: NAMES.map((domain) => ({ domain })) },
      manifest: MANIFEST,
    });
    world.core.faults.push(fault);
    const daemon = world.start(QUICK);
    const ended = daemon.ended.catch((error: unknown) => String(error));
    await world.clock.pass(MINUTE);
    expect(await ended).toMatch(message);
    expect(world.core.journal.entries().map(({ endpoint }) => endpoint)).toEqual(['/account', '/account']);
  });

  test('later is a failed check, which reads and writes nothing, and the next one goes on', async () => {
    const { world, daemon } = await settled();
    world.core.faults.push(fault);
    world.core.journal.clear();
    const isChecked = (): boolean => daemon.status().failures > 0;
    await world.clock.until(isChecked, HOUR);
    expect(daemon.status().read).toMatchObject({ ok: false, message: expect.stringMatching(message) });
    expect(world.core.journal.entries().map(({ endpoint }) => endpoint)).toEqual(['/account', '/account']);
    await world.clock.until(() => !isChecked(), HOUR);
    await daemon.stop();
  });
});

test('if nothing is in sync, a sweep pauses for as long as it read', async () => {
  const world = await createWorld({
    seed: { domains: NAMES.map((domain) => ({ domain })) },
    manifest: MANIFEST,
    rateLimit: 6,
  });
  const daemon = world.start({ ...QUICK, mode: 'observe' });
  const isDone = (): boolean => daemon.status().run !== null;
  await world.clock.until(isDone, HOUR);
  const first = daemon.status().run?.id;
  await world.clock.until(() => daemon.status().run?.id !== first, 2 * HOUR);
  expect((daemon.status().nextSweepAt ?? 0) - world.clock.now()).toBeGreaterThan(MINUTE);
  await daemon.stop();
});
