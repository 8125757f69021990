import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HistoryEntry, ItemEntry } from '../../../src/core/model/history/entries.ts';
import type { StateFs } from '../../../src/engine/state/own-files.ts';
import { mergeNewestFirst } from '../../../src/engine/state/history/merge.ts';
import { openStateDirectory, type StateDirectoryOptions } from '../../../src/engine/state/directory.ts';
import { systemProcesses } from '../../../src/engine/state/processes.ts';
import { virtualClock, type VirtualClock } from '../../support/clock.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { entriesIn, itemEntry, runEntry } from './support/history-contract.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AT = '2026-09-01T00:00:00.000Z';

interface Opened {
  readonly place: string;
  readonly history: ReturnType<typeof openStateDirectory>['history'];
  readonly clock: VirtualClock;
  readonly files: () => Promise<readonly string[]>;
}

async function open(options: Partial<StateDirectoryOptions> = {}): Promise<Opened> {
  const clock = virtualClock(Date.parse(AT));
  const store = openStateDirectory({
    directory: await temporaryDirectory(),
    account: 'ops@acme.example',
    apiUrl: 'https://api.example/v4',
    fs,
    clock,
    processes: systemProcesses(fs, 'test'),
    ...options,
  });
  const place = join(store.place, 'history');
  return { place, history: store.history, clock, files: async () => (await fs.readdir(place)).toSorted() };
}

test('a file a day, for its owner alone', async () => {
  const { place, history, clock, files } = await open();
  await history.append([runEntry('a', AT)], 'synced');
  clock.advance(DAY);
  await history.append([runEntry('b', AT)], 'synced');
  expect(await files()).toEqual(['2026-09-01.jsonl', '2026-09-02.jsonl']);
  expect(((await fs.stat(join(place, '2026-09-01.jsonl'))).mode & 0o777).toString(8)).toBe('600');
});

test('a line that a kill cut is left out, wherever it was cut, and the next one starts anew', async () => {
  const whole = `${JSON.stringify(itemEntry('a', 1, AT))}\n${JSON.stringify(itemEntry('a', 2, AT))}\n`;
  const last = whole.indexOf('\n') + 1;
  for (let cut = last; cut < whole.length; cut += 7) {
    const { place, history } = await open();
    await fs.mkdir(place, { recursive: true, mode: 0o700 });
    await fs.writeFile(join(place, '2026-09-01.jsonl'), whole.slice(0, cut));
    expect(await entriesIn(history, { about: 'item' })).toHaveLength(1);
    await history.append([itemEntry('a', 3, AT)], 'synced');
    const items = await entriesIn(history, { about: 'item' });
    expect([cut, items.map((entry) => ('item' in entry ? entry.item : 0))]).toEqual([cut, [3, 1]]);
  }
});

test('invalid entries are left out, and reported when they are read', async () => {
  const { place, history } = await open();
  const faults: string[] = [];
  await history.append([itemEntry('a', 1, AT)], 'synced');
  const path = join(place, '2026-09-01.jsonl');
  await fs.appendFile(
    path,
    '{"entry":"item"\n{"entry":"item","at":1}\n[{"entry":"item"}]\n{"entry":"items","at":""}\n',
  );
  await history.append([itemEntry('a', 2, AT)], 'synced');
  const onFault = ({ message }: { readonly message: string }) => faults.push(message);
  expect(await entriesIn(history, { about: 'item', onFault })).toHaveLength(2);
  expect(faults.length).toBeGreaterThan(0);
  expect(new Set(faults)).toEqual(new Set([`${path} has a line that cannot be read; it is left out`]));
});

test('a day file that was replaced by a link or a FIFO is neither read nor written', async () => {
  const { place, history } = await open();
  await fs.mkdir(place, { recursive: true, mode: 0o700 });
  const target = join(await temporaryDirectory(), 'target');
  await fs.writeFile(target, '');
  await fs.symlink(target, join(place, '2026-09-01.jsonl'));
  expect(await history.append([runEntry('a', AT)], 'synced')).toMatchObject({ ok: false });
  expect(await fs.readFile(target, 'utf8')).toBe('');
});

test('a failed write is a fault, and so is a failed sync', async () => {
  const full: StateFs = {
    ...fs,
    open: async (path, ...rest) => {
      const file = await fs.open(path, ...rest);
      if (!String(path).endsWith('.jsonl')) return file;
      return new Proxy(file, {
        get(target, name) {
          if (name === 'sync') return () => Promise.reject(new Error('no space left'));
          const member: unknown = Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    },
  };
  const { history } = await open({ fs: full });
  expect(await history.append([runEntry('a', AT)], 'synced')).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/2026-09-01\.jsonl cannot be written: no space left$/) },
  });
  expect(await history.append([runEntry('a', AT)], 'written')).toMatchObject({ ok: true });
});

test('files that are larger than a piece are read whole, lines across pieces included', async () => {
  const { place, history } = await open();
  await fs.mkdir(place, { recursive: true, mode: 0o700 });
  const lines = Array.from({ length: 20_000 }, (_, index) => {
    const name = 'ü'.repeat(index === 9_000 ? 5_000_000 : index % 977);
    return `${JSON.stringify({ ...itemEntry(`r${index % 7}`, index + 1, AT), name })}\n`;
  });
  const text = lines.join('');
  expect(Buffer.byteLength(text)).toBeGreaterThan(9 * 1024 * 1024);
  await fs.writeFile(join(place, '2026-09-01.jsonl'), text);
  const found = await entriesIn(history, { about: 'item', run: 'r3' });
  const expected = lines.flatMap((line) => (line.includes('"run":"r3"') ? [JSON.parse(line)] : []));
  expect(found).toEqual(expected.toReversed());
});

test('frequent queries do not read entries from before the requested time', async () => {
  const { place, history } = await open();
  await fs.mkdir(place, { recursive: true, mode: 0o700 });
  // More than is read at once.
  const many = (at: string): string => `${JSON.stringify(itemEntry('many', 1, at))}\n`.repeat(8_000);
  const asked = [
    itemEntry('a', 1, '2026-09-01T03:00:00.000Z'),
    itemEntry('b', 1, '2026-09-01T04:00:00.000Z'),
  ];
  const [first, last] = asked.map((entry) => `${JSON.stringify(entry)}\n`);
  const damaged = '{"entry":"item"}\n';
  const clockSetBack = many('2026-09-01T02:30:00.000Z');
  const text = damaged + many(AT) + first + clockSetBack + last;
  await fs.writeFile(join(place, '2026-09-01.jsonl'), text);
  const faults: unknown[] = [];
  const onFault = (fault: unknown): unknown => faults.push(fault);
  const since = '2026-09-01T03:00:00.000Z';
  expect(await entriesIn(history, { about: 'item', since, stopsEarly: true, onFault })).toEqual(
    asked.toReversed(),
  );
  expect(faults).toEqual([]);
  expect(await entriesIn(history, { about: 'item', onFault })).toHaveLength(16_002);
  expect(faults).toHaveLength(1);
});

test('entries from before the clock was set back by hours are found by their time', async () => {
  const { history, clock } = await open();
  const at = (): string => new Date(clock.now()).toISOString();
  clock.advance(10 * HOUR);
  await history.append([itemEntry('a', 1, at())], 'synced');
  clock.advance(-5 * HOUR);
  // More than is read at once.
  await history.append(Array<ItemEntry>(8_000).fill(itemEntry('many', 1, at())), 'written');
  const since = '2026-09-01T09:30:00.000Z';
  expect(await entriesIn(history, { about: 'item', since })).toMatchObject([{ run: 'a' }]);
});

test('entries from after the clock was set back to the day before are found by their time', async () => {
  const { history, clock } = await open();
  const at = new Date(clock.now()).toISOString();
  clock.advance(-HOUR);
  await history.append([runEntry('a', at)], 'synced');
  expect(await entriesIn(history, { about: 'run', since: at })).toEqual([runEntry('a', at)]);
});

test('after a file of a day that lies ahead each day has a file of its own, and both go in their turn', async () => {
  const { place, history, clock, files } = await open({ history: { maxAgeMs: 3 * DAY } });
  await fs.mkdir(place, { recursive: true, mode: 0o700 });
  const write = (name: string, entry: HistoryEntry): Promise<void> =>
    fs.writeFile(join(place, name), `${JSON.stringify(entry)}\n`);
  await write('2026-08-31.jsonl', runEntry('a', '2026-08-31T00:00:00.000Z'));
  await write('2099-01-01.jsonl', runEntry('b', '2026-08-31T12:00:00.000Z'));
  const at = (): string => new Date(clock.now()).toISOString();
  for (const run of ['c', 'd']) {
    await history.append([runEntry(run, at())], 'synced');
    clock.advance(DAY);
  }
  expect(await files()).toEqual([
    '2026-08-31.jsonl',
    '2099-01-01.2026-09-01.jsonl',
    '2099-01-01.2026-09-02.jsonl',
    '2099-01-01.jsonl',
  ]);
  const runs = await entriesIn(history, { about: 'run' });
  expect(runs.map((entry) => 'run' in entry && entry.run)).toEqual(['d', 'c', 'b', 'a']);
  expect(await entriesIn(history, { about: 'run', since: '2026-09-02T00:00:00.000Z' })).toHaveLength(1);
  clock.advance(2 * DAY);
  await history.append([runEntry('e', at())], 'synced');
  expect(await files()).toEqual(['2099-01-01.2026-09-02.jsonl', '2099-01-01.2026-09-05.jsonl']);
});

test('a file of tomorrow is of a machine whose clock is ahead, and is written on', async () => {
  const { place, history, files } = await open();
  await fs.mkdir(place, { recursive: true, mode: 0o700 });
  await fs.writeFile(join(place, '2026-09-02.jsonl'), '');
  await history.append([runEntry('a', AT)], 'synced');
  expect(await files()).toEqual(['2026-09-02.jsonl']);
});

test('entries from a clock that was years behind are kept after it is correct again', async () => {
  const { history, clock, files } = await open({ history: { maxAgeMs: 10 * DAY } });
  const at = (): string => new Date(clock.now()).toISOString();
  await history.append([runEntry('a', at())], 'synced');
  clock.advance(-50 * 365 * DAY);
  await history.append([runEntry('b', at())], 'synced');
  clock.advance(50 * 365 * DAY + DAY);
  await history.append([runEntry('c', at())], 'synced');
  const runs = await entriesIn(history, { about: 'run' });
  expect(runs.map((entry) => 'run' in entry && entry.run)).toEqual(['c', 'b', 'a']);
  expect(await files()).toHaveLength(3);
});

test('entries of several accounts are merged by time, of which one that lies ahead does not count', () => {
  const now = Date.parse(AT);
  const moment = (hours: number): { readonly at: string } => ({
    at: new Date(now + hours * HOUR).toISOString(),
  });
  const [ahead, years] = [moment(50 * 365 * 24), moment(60 * 365 * 24)];
  const lists = [
    [moment(-1), years, moment(-5)],
    [moment(-2), moment(-6), ahead],
    [moment(0), moment(-4)],
  ];
  expect(mergeNewestFirst(lists, ({ at }) => at, now)).toEqual([
    moment(0),
    moment(-1),
    moment(-2),
    moment(-4),
    years,
    moment(-5),
    moment(-6),
    ahead,
  ]);
  expect(mergeNewestFirst([[ahead], [moment(-1)]], ({ at }) => at, now)).toEqual([ahead, moment(-1)]);
});
