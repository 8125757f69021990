import * as fs from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openHistories } from '../../src/engine/state/history/histories.ts';
import { readDrift, readRuns, type RecordedDrift } from '../../src/engine/state/history/recorded.ts';
import type { HistoryStore } from '../../src/engine/state/store.ts';
import { createWorld, HOUR, MINUTE, type World } from './support/world.ts';

const MANIFEST = `
domains:
  acme.example:
    prune: true
    aliases: { sales: carol@corp.example, info: dan@corp.example }
`;
const SEED = { domains: [{ domain: 'acme.example' }] };
const ALIASES = '/domains/acme.example/aliases';

async function historyOf({ stateDirectory, clock }: World): Promise<HistoryStore> {
  const uid = process.getuid?.() ?? null;
  const [found] = await openHistories({ directory: stateDirectory, fs, clock, uid, account: null });
  if (found === undefined) throw new Error('no history');
  return found.history;
}

async function driftIn(world: World): Promise<readonly RecordedDrift[]> {
  const found: RecordedDrift[] = [];
  for await (const drift of readDrift(await historyOf(world))) found.push(drift);
  return found;
}

async function forwardTo(world: World, forward: string): Promise<void> {
  const domain = world.core.store.dump().domains.find(({ domain }) => domain === 'acme.example');
  const id = domain?.aliases.find(({ alias }) => alias === 'sales')?.id;
  await world.edit('PUT', `${ALIASES}/${id}`, { forward });
}

test('drift that a daemon corrects has a beginning, and as its end the run', async () => {
  const world = await createWorld({ seed: SEED, manifest: MANIFEST });
  const daemon = world.start();
  await world.clock.pass(MINUTE);
  expect(await driftIn(world)).toEqual([]);
  await forwardTo(world, 'mallory@elsewhere.example');
  await world.edit('POST', ALIASES, { alias: 'new', forward: 'mallory@elsewhere.example' });
  await world.clock.pass(6 * MINUTE);
  await daemon.stop();
  const drift = await driftIn(world);
  const runs: string[] = [];
  for await (const { start } of readRuns(await historyOf(world))) runs.push(start.run);
  expect(runs).toHaveLength(2);
  const byName = drift.toSorted((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
  expect(byName.map(({ entry }) => [entry.action, entry.name, entry.from, entry.to])).toEqual([
    ['add', 'new', null, { forward: ['mallory@elsewhere.example'] }],
    ['update', 'sales', { forward: ['carol@corp.example'] }, { forward: ['mallory@elsewhere.example'] }],
  ]);
  expect(drift.map(({ correctedBy, endedAt }) => [correctedBy, endedAt === null])).toEqual([
    [runs[0], false],
    [runs[0], false],
  ]);
});

test('drift that is only observed is one line when first seen, one when it changes, one when it ends', async () => {
  const world = await createWorld({ seed: SEED, manifest: MANIFEST });
  const first = world.start();
  await world.clock.pass(MINUTE);
  await first.stop();
  const observe = async (time: number): Promise<void> => {
    const daemon = world.start({ mode: 'observe' });
    await world.clock.pass(time);
    await daemon.stop();
  };
  await forwardTo(world, 'mallory@elsewhere.example');
  await observe(HOUR);
  // Another process knows the open changes.
  await observe(HOUR);
  const [seen, ...none] = await driftIn(world);
  expect(none).toEqual([]);
  expect(seen).toMatchObject({ endedAt: null, entry: { to: { forward: ['mallory@elsewhere.example'] } } });
  expect(seen?.entry.at).toBe(seen?.entry.seenAt);
  await forwardTo(world, 'eve@elsewhere.example');
  await observe(HOUR);
  const [changed, ...others] = await driftIn(world);
  expect(others).toEqual([]);
  expect(changed).toMatchObject({ endedAt: null, entry: { to: { forward: ['eve@elsewhere.example'] } } });
  expect(changed?.entry.seenAt).toBe(seen?.entry.seenAt);
  await forwardTo(world, 'carol@corp.example');
  await observe(HOUR);
  expect(await driftIn(world)).toMatchObject([{ correctedBy: null, endedAt: expect.any(String) }]);
  const lines: string[] = [];
  for await (const { entry } of (await historyOf(world)).read({ about: 'drift' })) lines.push(entry);
  expect(lines).toEqual(['drift-end', 'drift', 'drift']);
});

test('drift of an unread domain has neither begun nor ended', async () => {
  const world = await createWorld({ seed: SEED, manifest: MANIFEST });
  const daemon = world.start();
  await world.clock.pass(MINUTE);
  await daemon.stop();
  await forwardTo(world, 'mallory@elsewhere.example');
  const observer = world.start({ mode: 'observe' });
  await world.clock.pass(10 * MINUTE);
  world.core.faults.push({
    match: { endpoint: '/domains/:domain/aliases', times: 'always' },
    do: { kind: 'status', code: 500 },
  });
  await world.clock.pass(30 * MINUTE);
  await observer.stop();
  expect(await driftIn(world)).toMatchObject([{ endedAt: null }]);
});

test('drift that ends after the clock was set back by hours is found by its time, with its end', async () => {
  const world = await createWorld({ seed: SEED, manifest: MANIFEST });
  const first = world.start();
  await world.clock.pass(MINUTE);
  await first.stop();
  await forwardTo(world, 'mallory@elsewhere.example');
  const observer = world.start({ mode: 'observe' });
  await world.clock.pass(HOUR);
  await observer.stop();
  const [seen] = await driftIn(world);
  const since = seen?.entry.at ?? expect.fail('no drift');
  await world.clock.pass(-5 * HOUR);
  const daemon = world.start();
  await world.clock.pass(MINUTE);
  await daemon.stop();
  const found = await Array.fromAsync(readDrift(await historyOf(world), { since }));
  expect(found).toMatchObject([{ entry: { name: 'sales' }, correctedBy: expect.any(String) }]);
});
