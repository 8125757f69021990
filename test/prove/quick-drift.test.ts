import { expect, test } from 'vitest';
import type { JournalEntry } from '../../src/emulator/http/journal.ts';
import { createWorld, HOUR, MINUTE, type World } from '../reconcile/support/world.ts';
import { runs } from './support/share.ts';

// What a sweep sends that checks domains through the list of v3, beside one that reads every domain in full.

const ALIASES = Array.from({ length: 20 }, (_, index) => `a${index}`);
const DRIFTED = ['d1.example', 'd55.example', 'd99.example'];
/** What is sent for three drifted domains: read, read again under the lock, corrected, and read after it; and the account. */
const MOST_FOR_DRIFT = 40;

test('a sweep that finds three drifted domains', { timeout: 3_600_000 }, async () => {
  const count = runs(10_000, 1_000);
  const { full, quick } = await measure(count, 10_000 * HOUR);
  const pages = Math.ceil(count / 100);
  expect(full).toBeGreaterThanOrEqual(count);
  expect(quick.check).toBeLessThanOrEqual(pages + MOST_FOR_DRIFT);
  if (count === 10_000) expect(quick.check / full).toBeLessThanOrEqual(0.02);
  const hourly = await measure(count, HOUR);
  expect(hourly.quick.check).toBeLessThanOrEqual(pages + MOST_FOR_DRIFT);
  // Eleven sweeps of five minutes are shorter than the hour.
  expect(hourly.quick.share).toBeLessThan(full / 11 + count / 200 + 5);
  console.info(
    `quick drift, ${count} domains x ${ALIASES.length} aliases, 3 drifted: ${quick.check} requests, ${full} without; ` +
      `ratio ${(quick.check / full).toFixed(4)}; the share that is read in turn: ${hourly.quick.share} more`,
  );
});

interface Measured {
  /** Requests of a sweep that reads everything. */
  readonly full: number;
  readonly quick: {
    /** To find the drift and to correct it. */
    readonly check: number;
    /** To read others in their turn. */
    readonly share: number;
  };
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
    root: '/dev/shm',
  });
  const daemon = world.start({ drift: 'quick', fullIntervalMs, pollMs: 24 * HOUR });
  const ranAgain = async (): Promise<readonly JournalEntry[]> => {
    const before = { run: daemon.status().run?.id, requests: world.core.journal.total() };
    await world.clock.until(() => daemon.status().run?.id !== before.run, HOUR);
    return world.core.journal.entries().filter(({ number }) => number > before.requests);
  };
  const full = (await ranAgain()).length;
  await drift(world);
  const sent = await ranAgain();
  expect(new Set(Object.values(daemon.states()))).toEqual(new Set(['in-sync']));
  await daemon.stop();
  const share = sent.filter(isOfShare).length;
  return { full, quick: { check: sent.length - share, share } };
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

/** Of another domain; and the list of v4, from which many are read. */
function isOfShare({ version, endpoint, path }: JournalEntry): boolean {
  const [, domain] = /^\/domains\/([^/?]+)/.exec(path) ?? [];
  return version === 'v4' && (domain === undefined ? endpoint === '/domains' : !DRIFTED.includes(domain));
}
