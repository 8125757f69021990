import { expect, test } from 'vitest';
import { historyKeys } from '../../../../src/core/kinds/item-key.ts';
import type { HistoryEntry, ItemEntry, RunEntry } from '../../../../src/core/model/history/entries.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import { blame } from '../../../../src/engine/state/history/blame.ts';
import { readRuns, readRunsWithItems } from '../../../../src/engine/state/history/recorded.ts';
import type { HistoryQuery, HistoryStore } from '../../../../src/engine/state/store.ts';
import type { StorageWorld } from './store-contract.ts';

const DAY = 86_400_000;

/** Tests for every implementation of the history. */
export function historyContract(createWorld: () => Promise<StorageWorld>): void {
  test('what was appended comes back in another process, the newest first, by subject', async () => {
    const { open, clock } = await createWorld();
    const { history } = open();
    const at = (): string => new Date(clock.now()).toISOString();
    expect(await entriesIn(history, { about: 'run' })).toEqual([]);
    const first = [runEntry('a', at()), itemEntry('a', 1, at()), itemEntry('a', 2, at(), 'beta.example')];
    expect(await history.append(first, 'synced')).toEqual({ ok: true, value: undefined });
    clock.advance(86_400_000);
    const second = [
      runEntry('b', at()),
      itemEntry('b', 1, at()),
      outcomeEntry('b', 1, at()),
      runEnd('b', at()),
      drift(at()),
    ];
    for (const entry of second) await history.append([entry], 'written');
    const later = open().history;
    expect(await entriesIn(later, { about: 'run' })).toEqual([second[3], second[0], first[0]]);
    expect(await entriesIn(later, { about: 'item' })).toEqual([second[2], second[1], first[2], first[1]]);
    expect(await entriesIn(later, { about: 'drift' })).toEqual([second[4]]);
    expect(await entriesIn(later, {})).toEqual([...first, ...second].toReversed());
    expect(await entriesIn(open({ account: 'other@acme.example' }).history, { about: 'run' })).toEqual([]);
  });

  test('entries are found by run, domain, key and time', async () => {
    const { open, clock } = await createWorld();
    const { history } = open();
    const [old, now] = [clock.now(), clock.now() + 3_600_000].map((time) => new Date(time).toISOString());
    if (old === undefined || now === undefined) throw new Error('no time');
    const items = [
      itemEntry('a', 1, old, 'beta.example'),
      itemEntry('a', 2, old),
      outcomeEntry('a', 2, old),
      itemEntry('b', 1, now, 'acme.example.beta.example'),
    ] as const;
    await history.append([runEntry('a', old), ...items, runEntry('b', now)], 'synced');
    const found = (query: Omit<HistoryQuery<'item'>, 'about'>) =>
      entriesIn(history, { about: 'item', ...query });
    expect(await found({ run: 'a' })).toEqual([items[2], items[1], items[0]]);
    expect(await entriesIn(history, { about: 'run', run: 'b' })).toEqual([runEntry('b', now)]);
    const both = await entriesIn(history, { about: 'run', runs: ['a', 'b', 'c'] });
    expect(both).toEqual([runEntry('b', now), runEntry('a', old)]);
    expect(await entriesIn(history, { about: 'run', runs: ['a'] })).toEqual([runEntry('a', old)]);
    expect(await found({ domain: 'acme.example' as DomainName })).toEqual([items[2], items[1]]);
    expect(await found({ domain: 'beta.example' as DomainName })).toEqual([items[0]]);
    expect(await found({ keys: ['acme.example\nrule:sales', 'acme.example\nalias:sales'] })).toEqual([
      items[2],
      items[1],
    ]);
    expect(await found({ keys: ['acme.example\nalias:sale'] })).toEqual([]);
    expect(await found({ since: now })).toEqual([items[3]]);
    expect(await found({ until: old, run: 'b' })).toEqual([]);
    expect(await found({ until: old })).toHaveLength(3);
  });

  test('entries are found by their time, and come in the order of writing, where the clock was set back by hours', async () => {
    const { open, clock } = await createWorld();
    const at = (): string => new Date(clock.now()).toISOString();
    // All within one day; each has its own file.
    clock.advance(10 * 3_600_000);
    const before = [runEntry('a', at()), itemEntry('a', 1, at()), outcomeEntry('a', 1, at())] as const;
    await open().history.append(before, 'synced');
    clock.advance(-5 * 3_600_000);
    const after = [runEntry('b', at()), itemEntry('b', 1, at()), outcomeEntry('b', 1, at())] as const;
    await open().history.append(after, 'synced');
    const { history } = open();
    expect(await entriesIn(history, { since: before[0].at })).toEqual(before.toReversed());
    expect(await entriesIn(history, { until: after[0].at })).toEqual(after.toReversed());
    expect((await Array.fromAsync(readRuns(history))).map(({ start }) => start.run)).toEqual(['b', 'a']);
  });

  test('each run comes with its items in their order, also where its own line is there twice', async () => {
    const { open, clock } = await createWorld();
    const { history } = open();
    const at = new Date(clock.now()).toISOString();
    const items = [itemEntry('a', 1, at), itemEntry('a', 2, at), itemEntry('b', 1, at)] as const;
    const lines = [
      // Items of a run whose own line has been removed.
      itemEntry('gone', 1, at),
      runEntry('a', at),
      items[0],
      runEntry('a', at),
      items[1],
      outcomeEntry('a', 1, at),
      runEntry('b', at),
      items[2],
      runEnd('b', at),
      drift(at),
      // Added to it later.
      outcomeEntry('a', 2, at),
    ] as const;
    await history.append(lines, 'synced');
    expect(await Array.fromAsync(readRunsWithItems(history))).toEqual([
      { start: lines[6], end: lines[8], items: [{ entry: items[2], result: null }] },
      {
        start: lines[1],
        end: null,
        items: [
          { entry: items[0], result: lines[5] },
          { entry: items[1], result: lines[10] },
        ],
      },
    ]);
    expect(await Array.fromAsync(readRunsWithItems(history, { run: 'b' }))).toHaveLength(1);
  });

  test('a rule for one alias is found by the alias too', async () => {
    const { open } = await createWorld();
    const match = { type: 'alias', alias: 'Sales' } as const;
    const from = { match, forward: ['a@corp.example'], active: true, rank: 1 } as const;
    const item = {
      kind: 'rule',
      action: 'delete',
      domain: 'acme.example' as DomainName,
      name: 'vip',
      id: '1',
      fields: [],
      from,
      to: null,
      source: null,
    } as const;
    const keys = ['acme.example\nrule:vip', 'acme.example\nalias:sales'];
    expect(historyKeys(item)).toEqual(keys);
    const entry = { ...itemEntry('a', 1, '2026-09-01T00:00:00.000Z'), ...item, keys };
    await open().history.append([entry], 'synced');
    for (const key of keys)
      expect(await entriesIn(open().history, { about: 'item', keys: [key] })).toEqual([entry]);
  });

  test('many who append at once keep whole lines, and each its order', async () => {
    const { open } = await createWorld();
    const { history } = open();
    const at = '2026-09-01T00:00:00.000Z';
    const runs = Array.from({ length: 8 }, (_, index) => `run-${index}`);
    await Promise.all(
      runs.map(async (run) => {
        for (let item = 1; item <= 25; item += 1) {
          const durability = item % 2 === 0 ? 'synced' : 'written';
          expect((await history.append([itemEntry(run, item, at)], durability)).ok).toBe(true);
        }
      }),
    );
    for (const run of runs) {
      const items = await entriesIn(open().history, { about: 'item', run });
      expect(items.map((entry) => ('item' in entry ? entry.item : 0))).toEqual(
        Array.from({ length: 25 }, (_, index) => 25 - index),
      );
    }
  });

  test('older days go, and beyond the size drift goes before runs', async () => {
    const { open, clock } = await createWorld();
    const bounds = { maxAgeMs: 10 * DAY, maxBytes: 40_000 };
    const at = (): string => new Date(clock.now()).toISOString();
    const items = (run: string, count: number) =>
      Array.from({ length: count }, () => itemEntry(run, 1, at()));
    for (let day = 0; day < 12; day += 1) {
      const run = `r${day}`;
      const found = Array.from({ length: 5 }, () => drift(at()));
      // A new process each day, as with a command.
      const { history } = open({ history: bounds });
      await history.append([runEntry(run, at()), itemEntry(run, 1, at()), ...found], 'written');
      clock.advance(DAY);
    }
    const { history } = open({ history: bounds });
    const runs = async () => (await entriesIn(history, { about: 'run' })).length;
    const drifts = async () => (await entriesIn(history, { about: 'drift' })).length;
    // Only the age counts: one day is older than ten days.
    expect([await runs(), await drifts()]).toEqual([11, 55]);
    await history.append(items('big', 40), 'written');
    clock.advance(DAY);
    await history.append([runEntry('last', at())], 'written');
    expect(await runs()).toBeGreaterThanOrEqual(9);
    expect(await drifts()).toBeLessThan(45);
    const before = await runs();
    await history.append(items('huge', 100), 'written');
    for (let day = 0; day < 3; day += 1) {
      clock.advance(DAY);
      await history.append([itemEntry('small', 1, at())], 'written');
    }
    expect(await drifts()).toBe(0);
    expect((await entriesIn(history, { about: 'item', run: 'small' })).length).toBe(3);
    expect(await runs()).toBeLessThan(before);
  });

  aheadContract(createWorld);
}

/** Entries from a clock that is years ahead hide no others, and are removed in their turn. */
function aheadContract(createWorld: () => Promise<StorageWorld>): void {
  const YEARS = 73 * 365 * DAY;
  const run = (name: string, clock: StorageWorld['clock']): readonly HistoryEntry[] => {
    const at = new Date(clock.now()).toISOString();
    return [runEntry(name, at), itemEntry(name, 1, at), outcomeEntry(name, 1, at), drift(at)];
  };
  const runsIn = async ({ open }: StorageWorld, since?: string): Promise<readonly string[]> =>
    (await Array.fromAsync(readRuns(open().history, { since }))).map(({ start }) => start.run);

  test('a run of a clock that is years ahead hides no later one, and removes no earlier one', async () => {
    const world = await createWorld();
    const { open, clock } = world;
    await open().history.append(run('a', clock), 'synced');
    clock.advance(YEARS);
    await open().history.append(run('ahead', clock), 'synced');
    clock.advance(DAY - YEARS);
    const since = new Date(clock.now()).toISOString();
    for (const name of ['b', 'c', 'd']) {
      await open().history.append(run(name, clock), 'synced');
      clock.advance(DAY);
    }
    expect(await runsIn(world)).toEqual(['d', 'c', 'b', 'ahead', 'a']);
    expect((await runsIn(world, since)).slice(0, 3)).toEqual(['d', 'c', 'b']);
    expect(await entriesIn(open().history, { about: 'item', run: 'c' })).toHaveLength(2);
    const { entries } = await blame(open().history, {
      domain: 'acme.example' as DomainName,
      keys: ['acme.example\nalias:sales'],
    });
    expect(entries.map(({ entry }) => entry.run)).toEqual(['d', 'c', 'b', 'ahead', 'a']);
  });

  test('what a clock that is years ahead wrote is removed with what was written next, by age and by size', async () => {
    const world = await createWorld();
    const { open, clock } = world;
    const bounds = { maxAgeMs: 5 * DAY, maxBytes: 40_000 };
    const append = (entries: readonly HistoryEntry[]) =>
      open({ history: bounds }).history.append(entries, 'synced');
    await append(run('a', clock));
    clock.advance(YEARS);
    await append(run('ahead', clock));
    clock.advance(DAY - YEARS);
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      await append(run(name, clock));
      clock.advance(DAY);
    }
    // The last was written a day ago.
    expect(await runsIn(world)).toEqual(['h', 'g', 'f', 'e', 'd', 'c']);
    clock.advance(YEARS);
    await append(run('again', clock));
    clock.advance(-YEARS);
    const large = Array.from({ length: 120 }, () => run('i', clock)[1] as HistoryEntry);
    await append([...run('i', clock), ...large]);
    clock.advance(DAY);
    await append(run('j', clock));
    clock.advance(DAY);
    await append(run('k', clock));
    // The newest run stays, although days in the future are sorted after it.
    expect((await runsIn(world))[0]).toBe('k');
    expect(await runsIn(world)).not.toContain('again');
    expect(await entriesIn(open().history, { about: 'item', run: 'i' })).toEqual([]);
  });
}

export async function entriesIn(
  history: HistoryStore,
  query: HistoryQuery<'run' | 'item' | 'drift'>,
): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const entry of history.read(query)) entries.push(entry);
  return entries;
}

export function runEntry(run: string, at: string): RunEntry {
  return {
    entry: 'run',
    at,
    run,
    command: 'apply',
    host: 'h',
    user: 'u',
    actor: null,
    commit: null,
    account: 'ops@acme.example',
    api: { url: 'https://api.example/v4', version: 'v4' },
    plan: 'sha256:0',
  };
}

export function itemEntry(run: string, item: number, at: string, domain = 'acme.example'): ItemEntry {
  return {
    entry: 'item',
    at,
    run,
    item,
    keys: [`${domain}\nalias:sales`],
    kind: 'alias',
    action: 'add',
    domain: domain as DomainName,
    name: 'sales',
    id: null,
    fields: ['forward'],
    from: null,
    to: { forward: ['a@corp.example', { shown: '{ env: X }', print: 'p' }] },
    source: { file: 'fwdsync.yaml', line: 3, column: 5 },
    endpoint: 'POST /domains/:domain/aliases',
    via: null,
  };
}

function outcomeEntry(run: string, item: number, at: string): HistoryEntry {
  const keys = ['acme.example\nalias:sales'];
  return { entry: 'item-outcome', at, run, item, keys, outcome: 'done', id: '7', message: 'ok "run":"b"\n' };
}

function runEnd(run: string, at: string): HistoryEntry {
  const summary = { added: 1, updated: 0, moved: 0, deleted: 0, failed: 0, skipped: 0, notKept: 0 };
  return { entry: 'run-end', at, run, outcome: 'converged', summary };
}

function drift(at: string): HistoryEntry {
  const { item: _, run: __, endpoint: ___, via: ____, ...item } = itemEntry('', 0, at);
  return { ...item, entry: 'drift', seenAt: at } as HistoryEntry;
}
