import { describe, expect, test } from 'vitest';
import { createMessageTally, type MessageVerdict } from '../../../../src/core/plan/replay/message-tally.ts';

const SAME: MessageVerdict = { kind: 'same' };
const changed = (...routes: readonly (number | null)[]): MessageVerdict => ({ kind: 'changed', routes });
const unknown = (...routes: readonly (number | null)[]): MessageVerdict => ({ kind: 'unknown', routes });

/** Each entry is an id, a recipient, the destination inside the account, and the verdict. */
function tally(
  ...entries: readonly (readonly [id: string, to: string, forward: string | null, verdict: MessageVerdict])[]
): Omit<ReturnType<ReturnType<typeof createMessageTally>['counts']>, 'byRoute' | 'uncertain'> & {
  readonly byRoute: Readonly<Record<string, number>>;
  readonly uncertain: readonly number[];
} {
  const tallied = createMessageTally();
  for (const [id, to, forward, verdict] of entries) tallied.add({ id, to, forward }, () => verdict);
  const { byRoute, uncertain, ...counts } = tallied.counts();
  return { ...counts, byRoute: Object.fromEntries(byRoute), uncertain: [...uncertain] };
}

describe('a message counts', () => {
  test('in the one route that decides it', () => {
    expect(tally(['1', 'a', null, changed(0)], ['2', 'a', null, changed(0)], ['3', 'a', null, SAME])).toEqual(
      {
        messages: 3,
        changed: 2,
        unknown: 0,
        byRoute: { 0: 2 },
        uncertain: [],
      },
    );
  });

  test('in no route if none of the plan decides it', () => {
    const none = { messages: 1, changed: 1, unknown: 0, byRoute: {}, uncertain: [] };
    expect(tally(['1', 'a', null, changed(null)])).toEqual(none);
    expect(tally(['1', 'a', null, changed()])).toEqual(none);
  });

  test('in no route if several may decide it: their numbers cannot be known', () => {
    expect(tally(['1', 'a', null, changed(0, null, 2)])).toEqual({
      messages: 1,
      changed: 1,
      unknown: 0,
      byRoute: {},
      uncertain: [0, 2],
    });
  });

  test('as unknown, and makes the numbers of its routes unknown', () => {
    expect(tally(['1', 'a', null, unknown(3)], ['2', 'b', null, unknown()])).toEqual({
      messages: 2,
      changed: 0,
      unknown: 2,
      byRoute: {},
      uncertain: [3],
    });
  });

  test('once for each recipient, with the verdict of its first entry', () => {
    const counts = tally(['1', 'a', null, changed(0)], ['1', 'a', null, SAME], ['1', 'b', null, SAME]);
    expect(counts).toMatchObject({ messages: 2, changed: 1, byRoute: { 0: 1 } });
  });
});

describe('a message that is forwarded inside the account counts where it entered', () => {
  test('through several recipients', () => {
    const counts = tally(
      ['1', 'c', null, changed(2)],
      ['1', 'b', 'c', changed(1)],
      ['1', 'a', 'b', changed(0)],
    );
    expect(counts).toMatchObject({ messages: 1, changed: 1, byRoute: { 0: 1 } });
  });

  test('to its own recipient', () => {
    expect(tally(['1', 'a', 'a', changed(0)])).toMatchObject({ messages: 1, byRoute: { 0: 1 } });
  });

  test('and another message of the same recipient, there', () => {
    const counts = tally(['1', 'a', 'b', changed(0)], ['2', 'b', null, changed(1)]);
    expect(counts).toMatchObject({ messages: 2, byRoute: { 0: 1, 1: 1 } });
  });

  test('in a loop, at the recipient that comes first in the alphabet', () => {
    const loop = [
      ['1', 'b', 'c', changed(1)],
      ['1', 'c', 'a', changed(2)],
      ['1', 'a', 'b', changed(0)],
    ] as const;
    expect(tally(...loop)).toMatchObject({ messages: 1, byRoute: { 0: 1 } });
    expect(tally(...loop.toReversed())).toMatchObject({ messages: 1, byRoute: { 0: 1 } });
  });

  test('in a loop, not at a recipient behind it', () => {
    const loop = [
      ['1', 'b', 'c', changed(1)],
      ['1', 'c', 'b', changed(2)],
    ] as const;
    const counts = tally(...loop, ['1', 'b', 'x', changed(1)], ['1', 'x', null, changed(3)]);
    expect(counts).toMatchObject({ messages: 1, byRoute: { 1: 1 } });
  });
});
