import { commonBits, countCommon, type Group } from './logs-bitmaps.ts';
import type { LogTest } from './logs-traits.ts';
import type { LogEntry } from './model.ts';
import { positionsOf } from './piece-bits.ts';
import { positionsWith } from './piece-text.ts';
import { createIndex, walk, type Direction, type Range, type Selection, type SortedIndex } from './sorted.ts';
import type { LogTable } from './state.ts';

/** Where to look for the entries that pass some tests, and the tests that this leaves to do. */
export interface Source {
  readonly index: SortedIndex<LogEntry>;
  /** Only entries of the index that are in each of these are meant. */
  readonly groups: readonly Group[];
  /** If given, only entries of the index with this text are meant. */
  readonly containing?: string | undefined;
  readonly rest: readonly LogTest[];
}

interface ListedTest {
  readonly test: LogTest;
  /** Those that pass. */
  readonly group: Group;
  readonly size: number;
}

/** To look for a text in the gathered text of entries takes so much of the time of looking at each. */
const GATHERED_SHARE = 0.1;
const NO_ENTRIES = createIndex<LogEntry>(() => 0);

export function sourceOf(logs: LogTable, tests: readonly LogTest[]): Source {
  const listed = tests.flatMap((test) => listedTest(logs, test)).sort((a, b) => a.size - b.size);
  const source = textSource(logs, listed, tests) ?? indexSource(logs, listed, tests);
  if (source !== undefined) return source;
  return {
    index: logs.inCreatedOrder,
    groups: listed.map(({ group }) => group),
    rest: tests.filter(({ traits }) => traits === undefined),
  };
}

/** The entries of a range of the source's index that pass the tests, one after the other. */
export function* walkSource(source: Source, range: Range, direction: Direction): Generator<LogEntry> {
  for (const entry of walk(source.index, range, direction, selectionOf(source))) {
    if (source.rest.every(({ holds }) => holds(entry))) yield entry;
  }
}

export function countSource(source: Source, range: Range): number {
  const { index, groups, rest } = source;
  if (rest.length === 0) {
    return groups.length === 0 ? Math.max(0, range.to - range.from) : countCommon(index, groups, range);
  }
  let count = 0;
  for (const _ of walkSource(source, range, 'ascending')) count += 1;
  return count;
}

/** Unless there are few that pass another test. */
function textSource(
  { inCreatedOrder }: LogTable,
  [rarest]: readonly ListedTest[],
  tests: readonly LogTest[],
): Source | undefined {
  const containing = tests.find((test) => test.containing !== undefined)?.containing;
  const fewest = rarest?.size ?? Infinity;
  if (containing === undefined || fewest <= inCreatedOrder.size * GATHERED_SHARE) return undefined;
  return { index: inCreatedOrder, groups: [], containing, rest: tests };
}

/** The index of one of the tests: of the only one, or a small one. */
function indexSource(
  { scanned }: LogTable,
  listed: readonly ListedTest[],
  tests: readonly LogTest[],
): Source | undefined {
  const single = listed.find(({ group }) => group.length === 1);
  const [index] = single?.group ?? [];
  if (index === undefined || (index.size > scanned && listed.length > 1)) return undefined;
  return { index, groups: [], rest: tests.filter((test) => test !== single?.test) };
}

function selectionOf({ index, groups, containing }: Source): Selection<LogEntry> | undefined {
  if (groups.length > 0) return (piece) => positionsOf(commonBits(piece, groups));
  if (containing !== undefined) return (piece) => positionsWith(piece, index.textOf, containing);
  return undefined;
}

function listedTest({ byTrait }: LogTable, test: LogTest): readonly ListedTest[] {
  if (test.traits === undefined) return [];
  const found = test.traits.map((trait) => byTrait.get(trait)).filter((index) => index !== undefined);
  const size = found.reduce((sum, index) => sum + index.size, 0);
  return [{ test, group: found.length === 0 ? [NO_ENTRIES] : found, size }];
}
