import { describe, expect, test } from 'vitest';
import { itemKey } from '../../../../src/core/kinds/item-key.ts';
import type { Change, Waits } from '../../../../src/core/model/plan.ts';
import {
  partsOfStageOne,
  partsOfStageTwo,
  type OrderedChange,
} from '../../../../src/core/plan/requests/parts.ts';
import { change } from '../support/build.ts';

/** Each pair is a change and the change that it waits for. */
function waitsOf(pairs: readonly (readonly [Change, Change])[]): Waits {
  const found = new Map<string, Map<Change, 'leads-there'>>();
  for (const [later, first] of pairs) {
    const own = found.get(itemKey(later)) ?? new Map();
    found.set(itemKey(later), own.set(first, 'leads-there'));
  }
  return found;
}

const stepped = (changes: readonly Change[]): readonly OrderedChange[] =>
  changes.map((one, step) => ({ change: one, step }));

const inOneStep = (changes: readonly Change[]): readonly OrderedChange[] =>
  changes.map((one) => ({ change: one, step: 0 }));

const ruleIn = (domain: string, text: string): Change => change(domain, text, { kind: 'rule' });

describe('stage 1', () => {
  const [a1, a2, b1, b2, c1] = [
    change('a.example', 'a1'),
    change('a.example', 'a2'),
    change('b.example', 'b1'),
    change('b.example', 'b2'),
    change('c.example', 'c1'),
  ] as const;
  const parts = (
    ordered: readonly OrderedChange[],
    pairs: readonly (readonly [Change, Change])[],
  ): Readonly<Record<string, number>> => {
    const found = [ordered, ordered.toReversed()].map((asked) => {
      const partOf = partsOfStageOne(ordered, waitsOf(pairs));
      return Object.fromEntries(asked.map(({ change: one }) => [one.name, partOf(one)]));
    });
    expect(found[1]).toEqual(found[0]);
    return found[0] as Readonly<Record<string, number>>;
  };

  test('nothing waits: one part', () => {
    expect(parts(stepped([a1, a2, b1]), [])).toEqual({ a1: 0, a2: 0, b1: 0 });
  });

  test('a domain goes as a whole after all domains that one of its changes waits for', () => {
    const ordered = stepped([a1, a2, b1, b2, c1]);
    expect(
      parts(ordered, [
        [a2, b1],
        [b2, c1],
      ]),
    ).toEqual({ a1: 2, a2: 2, b1: 1, b2: 1, c1: 0 });
  });

  test('changes of another stage are not waited for', () => {
    expect(parts(stepped([a1]), [[a1, b1]])).toEqual({ a1: 0 });
  });

  test('within a domain, the order of the steps is enough', () => {
    expect(parts(stepped([a1, a2]), [[a2, a1]])).toEqual({ a1: 0, a2: 0 });
  });

  test('within a domain, a change goes into a later part than one that is sent after it', () => {
    expect(
      parts(stepped([a1, a2, b1]), [
        [a1, b1],
        [b1, a2],
      ]),
    ).toEqual({ a1: 2, a2: 0, b1: 1 });
  });

  test('domains that wait for each other go change by change, the others as a whole', () => {
    const ordered = stepped([a1, a2, b1, b2, c1]);
    expect(
      parts(ordered, [
        [a1, b1],
        [b2, a1],
        [c1, b2],
      ]),
    ).toEqual({ a1: 1, a2: 0, b1: 0, b2: 2, c1: 3 });
  });

  test('rules of such domains keep the order of their steps, those of one step go together', () => {
    const [r1, r2, r3, s1] = [
      ...['r1', 'r2', 'r3'].map((text) => ruleIn('a.example', text)),
      ruleIn('b.example', 's1'),
    ] as [Change, Change, Change, Change];
    const ordered = [
      { change: r1, step: 0 },
      { change: r2, step: 1 },
      { change: r3, step: 1 },
      { change: s1, step: 0 },
      { change: b1, step: 0 },
    ];
    expect(
      parts(ordered, [
        [r1, s1],
        [b1, r1],
      ]),
    ).toEqual({ r1: 1, r2: 1, r3: 1, s1: 0, b1: 2 });
  });

  test('the order of the steps gives way where it makes a circle with what they wait for', () => {
    const [r1, r2, s1] = [ruleIn('a.example', 'r1'), ruleIn('a.example', 'r2'), ruleIn('b.example', 's1')];
    expect(
      parts(stepped([r1, r2, s1]), [
        [r1, s1],
        [s1, r2],
      ]),
    ).toEqual({ r1: 2, r2: 0, s1: 1 });
  });

  test('in these domains, a catch-all comes after an alias that is added with it', () => {
    const added = change('a.example', 'info', { action: 'add' });
    const wide = change('a.example', '*');
    const ordered = stepped([added, wide, b1, b2]);
    expect(
      parts(ordered, [
        [added, b1],
        [b2, added],
      ]),
    ).toEqual({ info: 1, '*': 1, b1: 0, b2: 2 });
  });
});

describe('stage 2', () => {
  const ending = (domain: string, text: string): Change =>
    change(domain, text, { action: 'delete', stage: 2 });
  const [a, b] = [ending('a.example', 'a'), ending('b.example', 'b')];
  const ruleEnding = (domain: string, text: string): Change =>
    change(domain, text, { kind: 'rule', action: 'delete', stage: 2 });
  const parts = (changes: readonly OrderedChange[], pairs: readonly (readonly [Change, Change])[]) => {
    const partOf = partsOfStageTwo(changes, waitsOf(pairs));
    return Object.fromEntries(changes.map(({ change: one }) => [one.name, partOf(one)]));
  };

  test('a change goes after those of other domains that it waits for; deletes of domains go last', () => {
    const domain = change('c.example', 'c.example', { kind: 'domain', action: 'delete', stage: 2 });
    expect(parts(stepped([a, b, domain]), [])).toEqual({ a: 0, b: 0, 'c.example': 1 });
    expect(parts(stepped([a, b, domain]), [[a, b]])).toEqual({ a: 1, b: 0, 'c.example': 1 });
  });

  test('a circle ends', () => {
    const inCircle = parts(stepped([a, b]), [
      [a, b],
      [b, a],
    ]);
    expect(inCircle).toEqual({ a: 2, b: 1 });
  });

  test('rules of a domain that is split keep the order of their steps', () => {
    const [r1, r2] = [ruleEnding('a.example', 'r1'), ruleEnding('a.example', 'r2')];
    expect(parts(stepped([r1, r2, b]), [[r1, b]])).toEqual({ r1: 1, r2: 1, b: 0 });
    expect(parts(inOneStep([r1, r2, b]), [[r1, b]])).toEqual({ r1: 1, r2: 0, b: 0 });
  });
});
