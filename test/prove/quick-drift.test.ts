import { expect, test } from 'vitest';
import { createWorld, HOUR, MINUTE, type World } from '../engine/support/world.ts';
import { runs } from '../support/share.ts';

// Compares the requests of a sweep that checks domains with v3's list, and of one that reads every domain in full.

const ALIASES = Array.from({ length: 20 }, (_, index) => `a${index}`);
const DRIFTED = ['d1.example', 'd55.example', 'd99.example'];
/** Requests other than the lists of v3 and v4: three domains are read, read again under the lock, corrected and verified. */
const MOST_FOR_DRIFT = 40;

test('a sweep that finds three drifted domains', { timeout: 3_600_000 }, async () => {
  const count = runs(10_000, 100);
  const { full, quick } = await measure(count, 10_000 * HOUR);
  const pages = Math.ceil(count / 100) + Math.ceil(count / 200);
  expect(full).toBeGreaterThanOrEqual(count);
  expect(quick).toBeLessThanOrEqual(pages + MOST_FOR_DRIFT);
  if (count === 10_000) expect(quick / full).toBeLessThanOrEqual(0.02);
  const hourly = await measure(count, HOUR);
  const share = hourly.quick - quick;
  // Twelve sweeps an hour would make the last one too late.
  expect(share).toBeLessThan(count / 11 + count / 200 + 5);
  console.info(
    `quick drift, ${count} domains x ${ALIASES.length} aliases, 3 drifted: ${quick} requests, ${full} without; ` +
      `ratio ${(quick / full).toFixed(4)}; the share that is read in turn: ${share} more`,
  );
});

interface Measured {
  /** Number of requests of a sweep that reads everything and finds nothing. */
  readonly full: number;
  /** Number of requests to find and correct three drifted domains, and to read other domains in turn. */
  readonly quick: number;
}

async function measure(count: number, fullIntervalMs: number): Promise<Measured> {
  const names = Array.from({ length: count }, (_, index) => `d${index}.example`);
  const aliases = ALIASES.map((alias) => ({ alias, forward: 'ops@corp.example' }));
  const settings = { notification_email: 'ops@corp.example' };
  const wanted = ALIASES.map((alias) => `${alias}: ops@corp.example`).join(', ');
  const manifest = names.map(
    (name) => `  ${name}: { prune: true, notification_email: ops@corp.example, aliases: { ${wanted} } }`,
  );
  const world = await createWorld({
    seed: { domains: names.map((domain) => ({ domain, ...settings, aliases })) },
    manifest: `domains:\n${manifest.join('\n')}`,
    rateLimit: 1_000_000,
  });
  const daemon = world.start({ drift: 'quick', fullIntervalMs, pollMs: 24 * HOUR });
  const ranAgain = async (): Promise<number> => {
    const before = { run: daemon.status().run?.id, requests: world.core.journal.total() };
    await world.clock.until(() => daemon.status().run?.id !== before.run, HOUR);
    return world.core.journal.total() - before.requests;
  };
  const full = await ranAgain();
  await drift(world);
  const sent = await ranAgain();
  expect(new Set(Object.values(daemon.states()))).toEqual(new Set(['in-sync']));
  await daemon.stop();
  return { full, quick: sent };
}

/** One alias is added, one changed, and one setting. */
async function drift(world: World): Promise<void> {
  const [added = '', changed = '', set = ''] = DRIFTED;
  const forward = 'eve@elsewhere.example';
  const live = world.core.store.dump().domains.find(({ domain }) => domain === changed);
  await world.clock.pass(MINUTE);
  await world.edit('POST', `/domains/${added}/aliases`, { alias: 'stray', forward });
  await world.edit('PUT', `/domains/${changed}/aliases/${live?.aliases[0]?.id}`, { forward });
  await world.edit('PUT', `/domains/${set}`, { notification_email: forward });
}
