import { expect, test } from 'vitest';
import type { AliasChange, Change } from '../../../../src/core/model/plan.ts';
import { addedBeside, matchedBeside, type Beside } from '../../../../src/core/plan/waits/beside.ts';
import { ACME, aliasSection, change, planAliases } from '../support/build.ts';

const A = 'a@x.example';
const B = 'b@x.example';

/** Returns `name <- names` for each change, in order. */
function told(beside: Beside): readonly string[] {
  return [...beside].map(
    ([{ name }, firsts]) => `${name} <- ${[...firsts].map((first) => first.name).join(' ')}`,
  );
}

function changesOf(wanted: Readonly<Record<string, string | false>>, rows: Readonly<Record<string, string>>) {
  return planAliases(aliasSection(wanted), rows).changes;
}

test('an alias waits for those that are added beside it and whose mail it matches meanwhile', () => {
  const rows = { '*': A, '(a|b).*': A, 'sal.*': A, info: A, gone: A, r1: A, r2: A };
  const wanted = {
    '*': B,
    '(a|b).*': B,
    'sal.*': B,
    info: B,
    gone: false as const,
    abc: A,
    sales: A,
    'info+x': A,
    'INFO+y': A,
    other: A,
    '(x|y)': A,
  };
  expect(told(addedBeside(changesOf(wanted, rows)))).toEqual([
    '(a|b).* <- (x|y) abc',
    '* <- (x|y) INFO+y abc info+x other sales',
    'info <- INFO+y info+x',
    'sal.* <- (x|y) sales',
  ]);
  expect(told(addedBeside(changesOf({ '*': B, abc: B }, { '*': A, abc: A })))).toEqual([]);
});

test('an alias that is added waits for narrower ones, and never for the catch-all', () => {
  const wanted = { '*': A, '(a|b)': A, a: A, c: A };
  expect(told(addedBeside(changesOf(wanted, {})))).toEqual(['(a|b) <- a', '* <- (a|b) a c']);
});

test('an alias that is deleted waits for none that is added, and rules do not count', () => {
  const deleted = changesOf({ '*': false, abc: A }, { '*': A, r1: A });
  expect(told(addedBeside(deleted))).toEqual([]);
  const rule = (text: string): Change => change(ACME, text, { kind: 'rule', action: 'add' });
  const mixed = [...changesOf({ '*': B, abc: A }, { '*': A }), rule('*'), rule('new')];
  expect(told(addedBeside(mixed))).toEqual(['* <- abc']);
});

test('an alias waits for others that would match its mail', () => {
  const rows = { '*': A, '(a|b)': A, a: A, c: A, r1: A, r2: A, r3: A, r4: A };
  const gone = { '*': false, '(a|b)': false, a: false, c: false } as const;
  const deleted = changesOf(gone, rows) as readonly Change[] as readonly AliasChange[];
  expect(told(matchedBeside(deleted, deleted)).toSorted()).toEqual(['(a|b) <- *', 'a <- (a|b) *', 'c <- *']);
  expect(told(matchedBeside([], deleted))).toEqual([]);
  const [one] = deleted.filter(({ name }) => name === 'c') as [AliasChange];
  expect(told(matchedBeside([one], deleted))).toEqual(['c <- *']);
});
