import { expect, test } from 'vitest';
import { runs } from '../support/share.ts';
import { createWorld, HOUR, MINUTE } from './support/world.ts';

const DOMAINS = runs(10_000, 2_000);
/** A domain that is read near the end of the sweep. */
const CHANGED = DOMAINS - 200;

function manifest(forward: string): string {
  const domains = Array.from({ length: DOMAINS }, (_, index) => {
    const destination = index === CHANGED ? forward : 'ops@corp.example';
    return `  d${index}.example: { aliases: { info: ${destination} } }`;
  });
  return `domains:\n${domains.join('\n')}`;
}

test(`${DOMAINS} domains at 200 requests a minute: a changed alias is applied within seconds while everything is looked at`, async () => {
  const domains = Array.from({ length: DOMAINS }, (_, index) => ({
    domain: `d${index}.example`,
    aliases: [{ alias: 'info', forward: 'ops@corp.example' }],
  }));
  const world = await createWorld({
    seed: { domains },
    manifest: manifest('ops@corp.example'),
    rateLimit: 200,
  });
  const daemon = world.start();
  await world.clock.pass(runs(30, 5) * MINUTE);
  expect(daemon.status().nextSweepAt).toBeNull();
  const seen = world.core.journal.total();
  await world.write(manifest('ana@corp.example'));
  const changedAt = world.clock.now();
  daemon.loop.filesChanged();
  const isApplied = (): boolean => world.writes().length > 0;
  await world.clock.until(isApplied, 10 * MINUTE);
  expect(world.writes()).toEqual([expect.stringContaining(`/domains/d${CHANGED}.example/aliases`)]);
  expect((world.clock.now() - changedAt) / 1000).toBeLessThan(10);
  // The sweep continues meanwhile, and uses half of each minute.
  const minutes = runs(10, 4);
  await world.clock.pass(minutes * MINUTE);
  const aliases = world.core.journal.entries().filter(({ number, endpoint }) => {
    return number > seen && endpoint === '/domains/:domain/aliases';
  });
  expect(aliases.length).toBeGreaterThan(0.9 * minutes * 100);
  expect(aliases.length).toBeLessThan(1.2 * minutes * 100);
  await daemon.stop();
});

test('a sweep pauses for as long as it read; a change that was made while no daemon ran does not wait for it', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `d${index}.example`);
  const text = (forward: string): string =>
    `domains:\n${names.map((name) => `  ${name}: { aliases: { a: ${name === 'd250.example' ? forward : 'ops'}@corp.example } }`).join('\n')}`;
  const world = await createWorld({
    seed: {
      domains: names.map((domain) => ({ domain, aliases: [{ alias: 'a', forward: 'ops@corp.example' }] })),
    },
    manifest: text('ops'),
    rateLimit: 30,
  });
  const { clock } = world;
  const daemon = world.start({ pollMs: HOUR });
  const begun = clock.now();
  // 300 requests at 15 a minute.
  await clock.until(() => daemon.status().nextSweepAt !== null && clock.now() > begun + MINUTE, HOUR);
  const read = (clock.now() - begun) / MINUTE;
  expect(read).toBeGreaterThan(18);
  expect(read).toBeLessThan(23);
  const next = ((daemon.status().nextSweepAt ?? 0) - begun) / MINUTE;
  expect(next / read).toBeCloseTo(2, 1);
  await daemon.stop();
  await world.write(text('ana'));
  await clock.pass(MINUTE);
  const later = world.start({ pollMs: HOUR });
  await clock.until(() => world.writes().length > 0, HOUR);
  expect(world.writes()).toEqual([expect.stringContaining('/domains/d250.example/')]);
  expect((clock.now() - begun) / MINUTE - read).toBeLessThan(3);
  await later.stop();
});
