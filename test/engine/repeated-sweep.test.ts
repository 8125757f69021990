import * as fs from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openStateDirectory } from '../../src/engine/state/directory.ts';
import { systemProcesses } from '../../src/engine/state/processes.ts';
import { take } from './state/support/store-contract.ts';
import { EMAIL } from '../support/account.ts';
import { createWorld, HOUR, MINUTE, type StartOptions, type World } from './support/world.ts';

const MANIFEST = `
domains:
  acme.example:
    prune: { aliases: true }
    aliases:
      sales: carol@corp.example
      info: [dan@corp.example, eve@corp.example]
`;
const SEED = {
  domains: [
    {
      domain: 'acme.example',
      dns: 'missing',
      forwarding_ready: false,
      send_ready: false,
      credentials: [{ username: 'printer' }],
    },
  ],
} as const;

/** A daemon after enough sweeps that the account is in sync. */
async function inPlace(options: StartOptions = {}, manifest = MANIFEST) {
  const world = await createWorld({ seed: SEED, manifest });
  const daemon = world.start(options);
  await world.clock.pass(4 * (options.intervalMs ?? 5 * MINUTE));
  return { world, daemon };
}

/** Number of times that the lock of the account's state was taken. */
async function locks({ stateDirectory }: World): Promise<number> {
  const names = await fs.readdir(stateDirectory, { recursive: true }).catch(() => []);
  return Math.max(0, ...names.map((name) => Number(/\/lock\.(\d+)$/.exec(name)?.[1] ?? 0)));
}

test('an account in place is read at each sweep, and its state is left alone', async () => {
  const { world, daemon } = await inPlace();
  const [sent, taken] = [world.core.journal.total(), await locks(world)];
  world.events.length = 0;
  await world.clock.pass(30 * MINUTE);
  expect(world.core.journal.total() - sent).toBe(6 * 3);
  expect(await locks(world)).toBe(taken);
  const runs = world.events.filter((event) => event.kind === 'run-finished');
  const unchanged = { plan: { summary: { unchanged: 3 } }, report: { outcome: 'unchanged' } };
  expect(runs.map(({ result }) => result)).toMatchObject(Array.from({ length: 6 }, () => unchanged));
  expect(daemon.status().fullReadAt).toBeGreaterThan(world.clock.now() - 6 * MINUTE);
  await daemon.stop();
});

test('drift is found and corrected by the next sweep', async () => {
  const { world, daemon } = await inPlace();
  for (const [number, edit] of DRIFTS.entries()) {
    await edit(world);
    const before = world.writes().length;
    await world.clock.pass(5 * MINUTE);
    expect(world.writes().length, `drift ${number}`).toBeGreaterThan(before);
    await world.clock.pass(20 * MINUTE);
    expect(daemon.states()).toEqual({ 'acme.example': 'in-sync' });
  }
  await daemon.stop();
});

const ALIASES = '/domains/acme.example/aliases';

function idOf({ core }: World, name: string): number | undefined {
  return core.store.dump().domains[0]?.aliases.find(({ alias }) => alias === name)?.id;
}

const DRIFTS: readonly ((world: World) => Promise<void>)[] = [
  (world) => world.edit('POST', ALIASES, { alias: 'stray', forward: 'dan@corp.example' }),
  (world) => world.edit('PUT', `${ALIASES}/${idOf(world, 'sales')}`, { forward: 'dan@corp.example' }),
  (world) => world.edit('DELETE', `${ALIASES}/${idOf(world, 'info')}`),
];

test('sweeps that find it in place count as checks: what is changed back now and then is not frozen', async () => {
  const { world, daemon } = await inPlace();
  for (const minutes of [5, 5 + 60, 10]) {
    await world.edit('PUT', `${ALIASES}/${idOf(world, 'sales')}`, { forward: 'dan@corp.example' });
    await world.clock.pass(minutes * MINUTE);
  }
  expect(daemon.states()).toEqual({ 'acme.example': 'in-sync' });
  await daemon.stop();
});

const PLANNED_AGAIN: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'another run has taken the lock': async ({ stateDirectory, clock }) => {
    const processes = systemProcesses(fs, 'apply');
    const place = { directory: stateDirectory, account: EMAIL, apiUrl: 'http://127.0.0.1:1/v4' };
    await (await take(openStateDirectory({ ...place, fs, clock, processes }))).release();
  },
  'its state is gone': ({ stateDirectory }) => fs.rm(stateDirectory, { recursive: true }),
  'a domain that is not managed came': (world) => world.edit('POST', '/domains', { domain: 'new.example' }),
  'the manifest was read again': async (world) => {
    await world.write(`${MANIFEST}# the same\n`);
    await world.clock.pass(MINUTE);
  },
};

for (const [what, change] of Object.entries(PLANNED_AGAIN))
  test(`it is planned again once ${what}`, async () => {
    const { world, daemon } = await inPlace();
    await change(world);
    const before = await locks(world);
    await world.clock.pass(5 * MINUTE);
    expect(await locks(world)).toBe(before + 1);
    await daemon.stop();
  });

test('it is planned again each day, for an allowance ends with one, and at SIGHUP', async () => {
  const { world, daemon } = await inPlace({ intervalMs: HOUR, pollMs: HOUR });
  const before = await locks(world);
  await world.clock.pass(24 * HOUR);
  expect(await locks(world)).toBe(before + 2);
  daemon.loop.resync();
  await world.clock.pass(MINUTE);
  expect(await locks(world)).toBe(before + 3);
  await daemon.stop();
});

const DEPENDS_ON_MORE = {
  'passwords, which may change behind their references':
    'credentials: { printer: { password: { env: PRINTER } } }',
  'DNS, which is verified now and then': 'verify: true',
};

for (const [what, line] of Object.entries(DEPENDS_ON_MORE))
  test(`each sweep is planned where it depends on ${what}`, async () => {
    const { world, daemon } = await inPlace({}, `${MANIFEST}    ${line}\n`);
    const before = await locks(world);
    await world.clock.pass(10 * MINUTE);
    expect(daemon.states()).toEqual({ 'acme.example': 'in-sync' });
    expect(await locks(world)).toBe(before + 2);
    await daemon.stop();
  });
