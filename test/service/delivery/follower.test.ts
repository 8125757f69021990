import { describe, expect, test } from 'vitest';
import {
  encodeMemory,
  startMemory,
  type OpenMessage,
} from '../../../src/service/delivery/follow/follow-memory.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import { everyNth } from '../../support/share.ts';
import { followedWorld, type FollowedWorld } from './support/followed.ts';

const MINUTE = 60_000;
const MANIFEST = `version: 1
domains:
  acme.example:
    prune: true
    aliases:
      sales: carol@corp.example
      fax: { state: absent }
      info: ben@corp.example
`;
const SEED = {
  domains: [
    {
      domain: 'acme.example',
      aliases: [
        { alias: 'sales', forward: 'carol@corp.example' },
        { alias: 'info', forward: 'ben@corp.example' },
      ],
    },
  ],
};
const SALES = { to: 'sales@acme.example' };

function counts(followed: Awaited<ReturnType<FollowedWorld['follow']>>): readonly unknown[] {
  const { delivered, refused, soft, hard, unknownNames } = followed.get('acme.example')?.counts ?? {};
  return [delivered, refused, soft, hard, unknownNames];
}

describe.each(everyNth(2, ['v4', 'v3']))('following the logs through %s', (version) => {
  const open = (): FollowedWorld => followedWorld({ manifest: MANIFEST, seed: SEED, version });

  test('counts what arrives once, goes on where it was, and says what is not known yet', async () => {
    const world = open();
    world.deliver(SALES);
    world.deliver({ to: 'nobody@acme.example' });
    expect(counts(await world.follow(MINUTE))).toEqual([1, 0, 0, 0, 1]);
    world.deliver({ ...SALES, outcome: 'HARD-BOUNCE' });
    world.deliver({ ...SALES, outcome: ['QUEUED', 'SOFT-BOUNCE'] });
    world.deliver({ to: 'fax@acme.example' });
    world.clock.advance(30 * MINUTE);
    for (let index = 0; index < 450; index += 1) world.deliver({ to: 'info@acme.example' });
    const followed = await world.follow(5 * MINUTE);
    expect(counts(followed)).toEqual([451, 1, 1, 1, 1]);
    expect(followed.get('acme.example')?.open).toBe(1);
    expect(counts(await world.follow(2 * MINUTE))).toEqual([451, 1, 1, 1, 1]);
  });

  test('reads again what was on the way, until it is at its end or five days are over', async () => {
    const world = open();
    world.deliver({ ...SALES, outcome: ['QUEUED', 'SOFT-BOUNCE'] });
    world.deliver({ ...SALES, outcome: 'QUEUED' });
    world.deliver({ ...SALES, outcome: ['QUEUED', 'SOFT-BOUNCE'] });
    expect(counts(await world.follow(MINUTE))).toEqual([0, 0, 2, 0, 0]);
    world.clock.advance(40 * MINUTE);
    for (let index = 0; index < 300; index += 1) world.deliver({ to: 'info@acme.example' });
    const dump = world.emulator.store.dump();
    const [domain] = dump.domains ?? [];
    const logs = (domain?.logs ?? []).map((log, index) => {
      if (index > 1) return log;
      return {
        ...log,
        events: [...(log.events ?? []), index === 0 ? ('DELIVERED' as const) : ('BOUNCED' as const)],
      };
    });
    world.emulator.store.replace({ ...dump, domains: [{ ...domain!, logs }] });
    const followed = await world.follow(90 * MINUTE);
    expect(counts(followed)).toEqual([301, 0, 1, 1, 0]);
    expect(followed.get('acme.example')?.open).toBe(1);
    world.clock.advance(5 * 24 * 60 * MINUTE);
    const later = await world.follow(5 * MINUTE);
    expect([later.get('acme.example')?.open, counts(later)]).toEqual([0, [301, 0, 1, 1, 0]]);
  });

  test('tells once that a destination fails, and once that it has recovered, with the line', async () => {
    const world = open();
    for (let index = 0; index < 4; index += 1) {
      world.deliver({ ...SALES, outcome: 'HARD-BOUNCE' });
      world.deliver({ to: 'fax@acme.example' });
      world.deliver({ to: 'nobody@acme.example' });
      world.clock.advance(2 * MINUTE);
    }
    await world.follow(3 * MINUTE);
    await world.follow(3 * MINUTE);
    const failing = world.told.map(([what, { alias, destination, count, lastError, source }]) => {
      return [what, alias, destination, count, lastError.code, source?.line];
    });
    expect(failing).toEqual([
      ['failing', 'fax', null, 4, 550, 7],
      ['failing', 'sales', 'carol@corp.example', 4, 550, 6],
    ]);
    const toldSince = (first: number) => world.told.slice(first).map(([what, { alias }]) => [what, alias]);
    world.deliver(SALES);
    await world.follow(3 * MINUTE);
    await world.follow(3 * MINUTE);
    expect(toldSince(2)).toEqual([['recovered', 'sales']]);
    for (let index = 0; index < 4; index += 1) world.deliver({ ...SALES, outcome: 'HARD-BOUNCE' });
    await world.follow(3 * MINUTE);
    expect(toldSince(3)).toEqual([['failing', 'sales']]);
  });

  test('mail that arrives elsewhere, or before the last failure, is no recovery', async () => {
    const world = open();
    for (let index = 0; index < 4; index += 1) {
      world.deliver({ ...SALES, outcome: 'HARD-BOUNCE' });
      world.deliver({ to: 'fax@acme.example' });
    }
    await world.follow(3 * MINUTE);
    expect(world.told).toHaveLength(2);
    world.deliver(SALES);
    world.clock.advance(MINUTE);
    world.deliver({ ...SALES, outcome: 'HARD-BOUNCE' });
    await world.follow(3 * MINUTE);
    expect(world.told).toHaveLength(2);
  });

  test('takes a quarter of the windows at most', async () => {
    const domains = Array.from({ length: 120 }, (_, index) => ({
      ...SEED.domains[0]!,
      domain: `d${index}.example`,
    }));
    const manifest = `version: 1\ndomains:\n${domains.map(({ domain }) => `  ${domain}: {}\n`).join('')}`;
    const world = followedWorld({ manifest, seed: { domains }, version });
    for (const { domain } of domains) world.deliver({ to: `sales@${domain}` });
    const followed = await world.follow(10 * MINUTE);
    const asked = world.emulator.journal
      .entries()
      .filter(({ endpoint }) => endpoint === '/domains/:domain/logs');
    const windows = Map.groupBy(asked, ({ at }) => Math.floor(at / MINUTE));
    expect(Math.max(...[...windows.values()].map((requests) => requests.length))).toBeLessThanOrEqual(50);
    expect(asked.length).toBeGreaterThan(300);
    expect([...followed.values()].every(({ counts: { delivered } }) => delivered === 1)).toBe(true);
  });

  test('killed at any request it counts nothing twice and loses nothing', async () => {
    for (const kill of everyNth(3, [1, 2, 3, 4, 5, 6, 7, 8])) {
      const world = open();
      const say = (outcome: 'HARD-BOUNCE' | 'DELIVERED'): void => world.deliver({ ...SALES, outcome });
      for (let index = 0; index < 130; index += 1) say(index % 3 === 0 ? 'HARD-BOUNCE' : 'DELIVERED');
      world.startKilled(kill);
      await world.clock.sleep(2 * MINUTE);
      for (let index = 0; index < 60; index += 1) say('DELIVERED');
      expect([kill, counts(await world.follow(2 * MINUTE))]).toEqual([kill, [86 + 60, 0, 0, 44, 0]]);
    }
  });
});

test('keeps 10,000 messages open, also when it is started again, and says that there are more', async () => {
  const world = followedWorld({ manifest: MANIFEST, seed: SEED });
  const now = world.clock.now();
  const domain = 'acme.example' as DomainName;
  const open = Array.from({ length: 9_990 }, (_, index): OpenMessage => {
    return { id: `kept-${index}`, createdAt: now, fate: null, before: null, dueAt: now + 60 * MINUTE };
  });
  world.kept.set(domain, encodeMemory(domain, { ...startMemory(now - MINUTE), open }));
  const queue = (count: number): void => {
    for (let index = 0; index < count; index += 1)
      world.deliver({ ...SALES, outcome: ['QUEUED', 'SOFT-BOUNCE'] });
  };
  queue(10);
  const full = (await world.follow(MINUTE / 2)).get(domain);
  expect([full?.open, full?.gap]).toEqual([10_000, null]);
  queue(3);
  const die = new AbortController();
  const { follower } = world.start(undefined, die);
  const running = follower.run();
  await world.clock.sleep(MINUTE / 2);
  const { domains, reasons } = follower.status();
  expect([domains.get(domain)?.open, domains.get(domain)?.counts.soft]).toEqual([10_000, 13]);
  expect(reasons).toEqual(['more than 10000 messages are open: some are not followed']);
  die.abort();
  await running;
});

test('more messages of one second than a page holds are followed to their end', async () => {
  const world = followedWorld({ manifest: MANIFEST, seed: SEED });
  const count = 500;
  for (let index = 0; index < count; index += 1) world.deliver({ ...SALES, outcome: 'QUEUED' });
  await world.follow(MINUTE);
  world.clock.advance(40 * MINUTE);
  world.deliver(SALES);
  expect((await world.follow(4 * MINUTE)).get('acme.example')?.open).toBe(count);
  const {
    domains: [domain],
    ...dump
  } = world.emulator.store.dump();
  const logs = (domain?.logs ?? []).map((log) => ({
    ...log,
    events: ['QUEUED' as const, 'DELIVERED' as const],
  }));
  world.emulator.store.replace({ ...dump, domains: [{ ...domain!, logs }] });
  world.clock.advance(60 * MINUTE);
  expect(counts(await world.follow(4 * MINUTE))).toEqual([count + 1, 0, 0, 0, 0]);
});
