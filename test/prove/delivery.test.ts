import { describe, expect, test } from 'vitest';
import { readDelivery } from '../../src/service/delivery/read-delivery.ts';
import type { FollowedStatus } from '../../src/core/model/status/daemon.ts';
import type { PresentDomain } from '../../src/core/model/desired.ts';
import { followedWorld, noHistory, type FollowedWorld } from '../service/delivery/support/followed.ts';
import {
  countLogs,
  deliverMix,
  DOMAINS,
  MANIFEST,
  random,
  SEED,
  type Counted,
} from './support/random-deliveries.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

// The result from the email logs equals an independent count over the emulator's own log.

const MINUTE = 60_000;
const LONG = { timeout: 3_600_000 };

describe.each(['v4', 'v3'] as const)('through %s', (version) => {
  const open = (): FollowedWorld => followedWorld({ manifest: MANIFEST, seed: SEED, version });

  test('every row of fwdsync delivery has the counts of the log', LONG, async () => {
    const world = open();
    const next = random(PROVE_SEED);
    const count = runs(100_000, 500);
    for (let made = 0; made < count; made += 500) {
      deliverMix(world, 500, next);
      world.clock.advance((20 * 60 * MINUTE * 500) / count);
    }
    const rows = await readRows(world);
    expect(rows).toEqual(withoutOpen(countLogs(world.emulator)));
  });

  test('a follower of the logs that is killed at any request has the counts of the log', LONG, async () => {
    const next = random(PROVE_SEED + 1);
    for (let kill = 1; kill <= runs(60, 1); kill += 1) {
      const world = open();
      deliverMix(world, runs(2_000, 400), next);
      world.startKilled(kill * runs(1, 4));
      await world.clock.sleep(3 * MINUTE);
      deliverMix(world, runs(1_000, 200), next);
      world.startKilled(Math.ceil(next() * 12));
      await world.clock.sleep(3 * MINUTE);
      deliverMix(world, 100, next);
      expect([kill, totalsOf(await world.follow(4 * MINUTE))]).toEqual([
        kill,
        perDomain(countLogs(world.emulator)),
      ]);
      const asked = world.emulator.journal
        .entries()
        .filter(({ endpoint }) => endpoint === '/domains/:domain/logs');
      const windows = Map.groupBy(asked, ({ at }) => Math.floor(at / MINUTE));
      expect(Math.max(...[...windows.values()].map((requests) => requests.length))).toBeLessThanOrEqual(51);
    }
  });
});

async function readRows(world: FollowedWorld): Promise<Counted> {
  const { clock, desired } = world;
  const { client } = world.start();
  const [account, live] = [await client.getAccount(), await client.listDomains()];
  if (!account.ok || !live.ok) throw new Error('the account cannot be read');
  const findings = await readDelivery({
    client,
    domains: [...desired.domains.values()] as PresentDomain[],
    live: new Map(live.value.map((domain) => [domain.domain, domain])),
    account: account.value,
    history: { read: noHistory },
    references: desired.references,
    since: clock.now() - 24 * 60 * MINUTE,
    now: () => clock.now(),
    mayAsk: () => true,
  });
  expect([findings.complete, findings.notices]).toEqual([true, []]);
  const rows = findings.domains.flatMap(({ domain, rows: own, unknownNames }) => [
    ...own.map(({ alias, destination, counts }) => {
      const fates = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
      const place = counts.refused > 0 ? 'refused' : (destination?.toLowerCase() ?? '');
      return [`${domain} ${alias} ${place}`, fates] as const;
    }),
    [`${domain}  refused`, { refused: unknownNames }] as const,
  ]);
  await client.close();
  return Object.fromEntries(rows);
}

/** Messages that have not arrived yet are in no row. */
function withoutOpen(counted: Counted): Counted {
  const rows = Object.entries(counted).map(([key, { open: _, ...fates }]) => [key, fates] as const);
  return Object.fromEntries(rows.filter(([, fates]) => Object.keys(fates).length > 0));
}

type Totals = Readonly<Record<string, FollowedStatus['counts']>>;

function totalsOf(followed: ReadonlyMap<string, FollowedStatus>): Totals {
  return Object.fromEntries(DOMAINS.map((domain) => [domain, followed.get(domain)?.counts ?? NOTHING]));
}

const NOTHING = { delivered: 0, refused: 0, soft: 0, hard: 0, unknownNames: 0 };

function perDomain(counted: Counted): Totals {
  return Object.fromEntries(
    DOMAINS.map((domain) => {
      const totals = { ...NOTHING };
      for (const [key, fates] of Object.entries(counted)) {
        if (!key.startsWith(`${domain} `)) continue;
        const isUnknown = key === `${domain}  refused`;
        totals.delivered += fates['delivered'] ?? 0;
        totals.soft += fates['soft'] ?? 0;
        totals.hard += fates['hard'] ?? 0;
        totals[isUnknown ? 'unknownNames' : 'refused'] += fates['refused'] ?? 0;
      }
      return [domain, totals];
    }),
  );
}
