import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FaultAction } from '../../src/emulator/faults/faults.ts';
import { runs } from '../support/share.ts';
import { createWorld, DAY, HOUR, type World } from './support/world.ts';

const DAYS = runs(120, 15);
const DOMAINS = ['acme.example', 'beta.example', 'gamma.example'];
const NAMES = ['sales', 'info', 'support', 'jobs', 'press'];

/** The manifest's state: domain -> alias -> destination. */
type Wanted = Record<string, Record<string, string>>;

/** Pseudo-random numbers, the same in every run. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

type Dice = ReturnType<typeof createDice>;

function manifestOf(wanted: Wanted): string {
  const domains = Object.entries(wanted).map(([domain, aliases]) => {
    const entries = Object.entries(aliases).map(([name, forward]) => `${name}: ${forward}`);
    return `  ${domain}: { prune: { aliases: true }, aliases: { ${entries.join(', ')} } }`;
  });
  return `guards: { max_delete_percent: 100 }\ndomains:\n${domains.join('\n')}`;
}

function liveOf({ core }: World): Wanted {
  return Object.fromEntries(
    core.store
      .dump()
      .domains.map(({ domain, aliases }) => [
        domain,
        Object.fromEntries(aliases.map(({ alias, forward }) => [alias, forward])),
      ]),
  );
}

function editManifest(wanted: Wanted, dice: Dice, day: number): Wanted {
  const domain = DOMAINS[dice(DOMAINS.length)] ?? '';
  const name = NAMES[dice(NAMES.length)] ?? '';
  const aliases = { ...wanted[domain] };
  if (name in aliases && Object.keys(aliases).length > 3 && dice(3) === 0) delete aliases[name];
  else aliases[name] = `day${day}@corp.example`;
  return { ...wanted, [domain]: aliases };
}

/** Another user changes, deletes or adds an alias. */
async function drift(world: World, dice: Dice, day: number): Promise<void> {
  const domain = world.core.store.dump().domains[dice(DOMAINS.length)];
  const alias = domain?.aliases[dice(domain.aliases.length)];
  const path = `/domains/${domain?.domain}/aliases`;
  // Faults would also affect the edit.
  world.core.faults.clear();
  switch (dice(3)) {
    case 0:
      return world.edit('POST', path, { alias: `stray${day}`, forward: 'x@elsewhere.example' });
    case 1:
      return world.edit('DELETE', `${path}/${alias?.id}`);
    default:
      return world.edit('PUT', `${path}/${alias?.id}`, { forward: 'mallory@elsewhere.example' });
  }
}

const FAULTS: readonly FaultAction[] = [
  { kind: 'status', code: 500 },
  { kind: 'status', code: 503, when: 'after' },
  { kind: 'status', code: 429, headers: { 'Retry-After': '7' } },
  { kind: 'drop', when: 'before' },
  { kind: 'drop', when: 'after' },
  { kind: 'body', body: '<html>' },
  { kind: 'listing', missing: 0 },
];

function breakSomething({ core }: World, dice: Dice): void {
  const action = FAULTS[dice(FAULTS.length)];
  if (action !== undefined) core.faults.push({ match: { nth: 1 + dice(6), times: 1 + dice(3) }, do: action });
}

function gauge(world: World): {
  readonly sleepers: number;
  /** Number of the process's timers. */
  readonly timers: number;
  readonly descriptors: number;
} {
  return {
    sleepers: world.clock.sleepers(),
    timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
    descriptors: readdirSync('/proc/self/fd').length,
  };
}

test('months of edits, drift, faults and restarts: in step at the end of each, and nothing grows', async () => {
  const dice = createDice(20_260_901);
  let wanted: Wanted = Object.fromEntries(DOMAINS.map((domain) => [domain, { info: 'ops@corp.example' }]));
  const world = await createWorld({
    seed: { domains: DOMAINS.map((domain) => ({ domain })) },
    manifest: manifestOf(wanted),
    journalSize: 10,
  });
  const pace = { intervalMs: 8 * HOUR, pollMs: DAY };
  let daemon = world.start(pace);
  await world.clock.pass(HOUR);
  let before = gauge(world);
  for (let day = 1; day <= DAYS; day += 1) {
    wanted = editManifest(wanted, dice, day);
    await world.write(manifestOf(wanted));
    if (dice(3) === 0) breakSomething(world, dice);
    daemon.loop.filesChanged();
    await world.clock.pass(HOUR);
    if (dice(2) === 0) await drift(world, dice, day);
    if (dice(3) === 0) breakSomething(world, dice);
    if (dice(7) === 0) {
      await daemon.stop();
      daemon = world.start(pace);
    }
    await world.clock.pass(22 * HOUR);
    world.core.faults.clear();
    await world.clock.pass(HOUR);
    expect([day, liveOf(world)]).toEqual([day, wanted]);
    world.events.length = 0;
    // The first weeks fill caches.
    if (day === 30) before = gauge(world);
  }
  const after = gauge(world);
  expect(after.sleepers).toBeLessThanOrEqual(before.sleepers);
  expect(after.timers).toBeLessThanOrEqual(before.timers + 1);
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 3);
  await daemon.stop();
  expect(world.clock.sleepers()).toBe(0);
}, 300_000);
