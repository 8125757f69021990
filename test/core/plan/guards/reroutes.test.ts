import { expect, test } from 'vitest';
import type { GuardFinding } from '../../../../src/core/model/plan.ts';
import {
  ACME,
  aliasSection,
  desired,
  live,
  liveAliases,
  numbered,
  observed,
  plan,
  present,
} from '../support/build.ts';

const ANY_N = String.raw`(n\d+)`;
const A = 'a@x.example';
const B = 'b@x.example';
const C = 'c@x.example';
const ELSE = 'else.example';

/** Creates this many patterns that match different addresses; `ANY_N` matches one address of each. */
function patterns(count: number, forward: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`(n${index}|x${index})`, forward]));
}

/** Returns the findings about reroutes. Another domain forwards to the addresses in `named`. */
function reroutes(
  rows: Readonly<Record<string, string>>,
  entries: Readonly<Record<string, string | false>>,
  named: Readonly<Record<string, string>> = {},
): readonly GuardFinding[] {
  const { guards } = plan(
    desired([present(ACME, { aliases: aliasSection(entries) }), present(ELSE)]),
    observed([
      live(ACME, { routingEngine: 'alias', aliases: liveAliases(rows) }),
      live(ELSE, { routingEngine: 'alias', aliases: liveAliases(named) }),
    ]),
  );
  return guards.filter(({ guard }) => guard === 'max-reroutes');
}

test('a pattern that goes elsewhere counts with the addresses that others match too', () => {
  const rows = { ...patterns(10, A), [ANY_N]: B };
  expect(reroutes(rows, { ...rows, [ANY_N]: C })).toMatchObject([
    {
      limit: 9,
      planned: 11,
      allow: '--allow-reroutes 11',
      message:
        '1 of 11 live items and 10 addresses that several patterns match would keep none of their destinations; more than 9 need approval',
      holds: { kind: 'domains', domains: [ACME] },
    },
  ]);
});

test('an alias that changes beside the pattern does not hide those addresses', () => {
  const rows = { ...patterns(10, A), [ANY_N]: B, info: A };
  const found = reroutes(rows, { ...rows, [ANY_N]: C, info: `${A},${B}` });
  expect(found.map(({ planned }) => planned)).toEqual([11]);
});

test.each<[string, Record<string, string>, Record<string, string>]>([
  [
    'whose pattern keeps a destination',
    { ...patterns(10, A), [ANY_N]: B },
    { ...patterns(10, A), [ANY_N]: `${B},${C}` },
  ],
  [
    'whose pattern discards from now on, because that is a loss',
    { ...patterns(10, A), [ANY_N]: B },
    { ...patterns(10, A), [ANY_N]: 'null' },
  ],
  [
    'that only an alias takes, because the alias counts',
    { ...numbered(7), '(m|o)': A },
    { ...numbered(7, B), '(m|o)': B },
  ],
])('no address counts %s', (_, rows, entries) => {
  expect(reroutes(rows, entries)).toEqual([]);
});

test('no address counts whose patterns stay, and lead to an alias that changes', () => {
  const rows = { ...patterns(10, `info@${ACME}`), [ANY_N]: B, info: A };
  const named = numbered(10);
  const forwards = Object.fromEntries(Object.keys(named).map((text) => [text, `${text}@${ACME}`]));
  expect(reroutes(rows, { ...rows, info: C }, forwards)).toEqual([]);
});
