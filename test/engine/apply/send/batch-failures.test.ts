import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../../src/emulator/faults/faults.ts';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import { everyNth } from '../../../support/share.ts';
import { FILE, openScene, runScene, type RunResult } from '../support/harness.ts';

type Verb = 'add' | 'update' | 'delete';

const METHOD = { add: 'POST', update: 'PUT', delete: 'DELETE' } as const;
const BEFORE = 'old@corp.example';
const AFTER = 'new@corp.example';

/** Domain number -> positions of the batch of that domain that fail. */
type Failures = ReadonlyMap<number, readonly number[]>;

interface BatchCase {
  readonly verb: Verb;
  readonly size: number;
  readonly failures: Failures;
  readonly order?: 'sent' | 'shuffled';
}

/** Makes one domain for each set of failures. All its aliases have the same verb, so that they go in batches. */
function batchScene({ verb, size, failures, order = 'sent' }: BatchCase) {
  const domains = [...failures.keys()].map((number) => ({
    domain: domainName(number),
    entries: aliasNames(size),
  }));
  const lines = domains.flatMap(({ domain, entries }) => [
    `  ${domain}:`,
    '    aliases:',
    ...entries.map((alias) => `      ${alias}: ${verb === 'delete' ? '{ state: absent }' : AFTER}`),
  ]);
  const seeded: readonly SeedDomain[] = domains.map(({ domain, entries }) => ({
    domain,
    aliases: [
      { alias: 'unmanaged', forward: 'stays@corp.example' },
      ...(verb === 'add' ? [] : entries.map((alias) => ({ alias, forward: BEFORE }))),
    ],
  }));
  const faults: readonly Fault[] = [...failures].flatMap(([number, indexes]) =>
    chunksOf(indexes).map(({ batch, positions }) => ({
      match: {
        method: METHOD[verb],
        endpoint: '/domains/:domain/aliases/batch',
        path: `^/domains/${domainName(number)}/`,
        nth: batch + 1,
      },
      do: {
        kind: 'fail-items',
        items: positions.map((index) => ({
          index,
          message: `no room for item ${index}`,
          errors: { forward: [`field error ${index}`] },
        })),
        lies: order === 'shuffled' ? ['shuffled'] : [],
      },
    })),
  );
  return {
    manifest: `domains:\n${lines.join('\n')}`,
    seed: { domains: seeded },
    faults,
    rateLimit: 1_000_000,
  } as const;
}

/** Converts positions in the whole list to positions in its batches of 500. */
function chunksOf(indexes: readonly number[]) {
  const byBatch = Map.groupBy(indexes, (index) => Math.floor(index / 500));
  const last = Math.max(-1, ...byBatch.keys());
  return Array.from({ length: last + 1 }, (_, batch) => ({
    batch,
    positions: (byBatch.get(batch) ?? []).map((index) => index % 500),
  }));
}

function domainName(number: number): string {
  return `d${String(number).padStart(4, '0')}.example`;
}

function aliasNames(size: number): readonly string[] {
  return Array.from({ length: size }, (_, index) => `a${String(index).padStart(4, '0')}`);
}

/** Expects that exactly the scripted items are reported, with all details, and that all others were applied. */
function expectExactly({ report, end, after }: RunResult, { verb, size, failures }: BatchCase): void {
  const wanted = [...failures].flatMap(([number, indexes]) =>
    indexes.map((index) => ({
      domain: domainName(number),
      name: aliasNames(size)[index],
      index: index % 500,
    })),
  );
  const firstLine = new Map(
    [...failures.keys()].map((number, position) => [domainName(number), 3 + position * (size + 2) + 2]),
  );
  expect(byName(report.failed)).toEqual(
    byName(
      wanted.map(({ domain, name, index }) => ({
        action: verb,
        kind: 'alias',
        domain,
        name,
        source: { file: FILE, line: (firstLine.get(domain) ?? 0) + Number(name?.slice(1)), column: 7 },
        endpoint: `${METHOD[verb]} /domains/:domain/aliases/batch`,
        status: 207,
        index,
        message: `no room for item ${index}`,
        errors: { forward: [`field error ${index}`] },
      })),
    ),
  );
  expect(report.skipped).toEqual([]);
  expect(report.applied).toHaveLength(failures.size * size - wanted.length);
  expect(report.outcome).toBe(wanted.length === 0 ? 'converged' : 'partial');
  expect(after.changes.map(({ domain, name }) => `${domain} ${name}`).sort()).toEqual(
    wanted.map(({ domain, name }) => `${domain} ${name}`).sort(),
  );
  for (const [number, indexes] of failures) {
    const live = end.domains.find(({ domain }) => domain === domainName(number))?.aliases ?? [];
    const failed = new Set(indexes);
    const expected = aliasNames(size).flatMap((alias, index) => liveAlias(verb, alias, failed.has(index)));
    expect(live.map(({ alias, forward }) => `${alias} ${forward}`)).toEqual([
      ...expected,
      'unmanaged stays@corp.example',
    ]);
  }
}

function liveAlias(verb: Verb, alias: string, failed: boolean): readonly string[] {
  switch (verb) {
    case 'add':
      return failed ? [] : [`${alias} ${AFTER}`];
    case 'update':
      return [`${alias} ${failed ? BEFORE : AFTER}`];
    case 'delete':
      return failed ? [`${alias} ${BEFORE}`] : [];
  }
}

function byName<T extends { readonly domain: string; readonly name: string | undefined }>(
  items: readonly T[],
): readonly T[] {
  return items.toSorted((a, b) => (`${a.domain} ${a.name}` < `${b.domain} ${b.name}` ? -1 : 1));
}

function subset(bits: number): readonly number[] {
  return Array.from({ length: 8 }, (_, index) => index).filter((index) => (bits >> index) % 2 === 1);
}

/** A linear congruential generator, so that runs are repeatable. */
function randomSubset(size: number, seed: number): readonly number[] {
  let state = seed;
  return Array.from({ length: size }, (_, index) => index).filter(() => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % 1000 < 130;
  });
}

const ALL_SUBSETS = Array.from({ length: 256 }, (_, bits) => [bits, subset(bits)] as const);
const SUBSETS = new Map(everyNth(32, ALL_SUBSETS));

describe.each<Verb>(['add', 'update', 'delete'])('a batch of eight: %s', (verb) => {
  test.each(['sent', 'shuffled'] as const)('subsets of failures, entries in %s order', async (order) => {
    const batch = { verb, size: 8, failures: SUBSETS, order };
    expectExactly(await runScene(batchScene(batch), { maxFailures: 5000 }), batch);
  });
});

// The last of 501 items is sent alone, to the single endpoint.
const SIZES = [501, 1000, 500, 499].flatMap((size) =>
  (['add', 'update', 'delete'] as const).map((verb) => ({ size, verb })),
);

test.each(everyNth(4, SIZES))('a random subset of failures of $size: $verb', async ({ size, verb }) => {
  const batch = {
    verb,
    size,
    failures: new Map([[0, randomSubset(size, size + verb.length).filter((index) => index !== 500)]]),
  };
  expectExactly(await runScene(batchScene(batch), { maxFailures: 5000 }), batch);
});

test('rejected items are sent again by the next run, and then succeed', async () => {
  const batch: BatchCase = { verb: 'add', size: 8, failures: new Map([[0, [1, 6]]]) };
  const scene = await openScene(batchScene(batch));
  expectExactly(await scene.run(), batch);
  const second = await scene.run();
  expect(second.report.outcome).toBe('converged');
  expect(second.report.applied.map(({ name }) => name)).toEqual(['a0001', 'a0006']);
});
