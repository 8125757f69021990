import { describe, expect, test } from 'vitest';
import type { Desired, DesiredDomain } from '../../../src/core/model/desired.ts';
import type { Observed } from '../../../src/core/model/observed.ts';
import type { Plan } from '../../../src/core/model/plan.ts';
import {
  absent,
  ACME,
  aliasSection,
  at,
  codes,
  desired,
  live,
  liveAliases,
  observed,
  plan,
  present,
} from './support/build.ts';

const SALES = '(sales|info)';
const HR = '(info|hr)';
const A = 'a@x.example';
const B = 'b@x.example';
const LIVE = { [SALES]: A, [HR]: B };

/** Plans a domain with these live aliases, which route its mail. */
function planOf(
  wanted: DesiredDomain,
  rows: Readonly<Record<string, string>> = LIVE,
  lint: Desired['lint'] = { off: [], silenced: 0 },
  unproven: Observed['unproven'] = new Map(),
): Plan {
  const row = live(ACME, {
    routingEngine: 'alias',
    aliases: liveAliases(rows),
    rules: [],
    credentials: [],
  });
  return plan(desired([wanted], { lint }), observed([row], { unproven }));
}

function naming(entries: Readonly<Record<string, string | false>>): DesiredDomain {
  return present(ACME, { aliases: aliasSection(entries) });
}

test('patterns that overlap are named with an address, at the later one', () => {
  expect(planOf(naming({ [HR]: B, [SALES]: A })).warnings).toEqual([
    {
      code: 'overlapping-patterns',
      message:
        'the aliases "(sales|info)" and "(info|hr)" both match "info@acme.example" and forward to different destinations: it is not known which of them gets its mail',
      hint: 'let only one of them match it, or add an alias "info"',
      source: at(11),
    },
  ]);
});

test.each([
  ['the one pattern that the manifest names', { other: A, [SALES]: A }, at(11)],
  ['it, if it is new', { other: A, '(info|desk)': A }, at(11)],
  ['no line, if the manifest names neither', { other: A }, null],
])('the place is %s', (_, entries, source) => {
  const rows = '(info|desk)' in entries ? { [HR]: B } : LIVE;
  expect(planOf(naming(entries), rows).warnings).toMatchObject([{ code: 'overlapping-patterns', source }]);
});

describe('no warning', () => {
  test.each<[string, DesiredDomain]>([
    ['of a pattern that the plan deletes', naming({ [SALES]: false })],
    ['of patterns that forward to the same after the plan', naming({ [SALES]: B })],
    ['where the address gets an alias of its own', naming({ info: A })],
    ['of a domain that is deleted', absent(ACME)],
  ])('%s', (_, wanted) => {
    expect(codes(planOf(wanted))).toEqual([]);
  });

  test('in a domain that cannot be planned', () => {
    const unproven = new Map([[ACME, { reason: 'GET /domains/:domain/aliases: 500' }]]);
    expect(codes(planOf(naming(LIVE), LIVE, undefined, unproven))).toEqual([]);
  });
});

describe('a warning that is silenced', () => {
  test.each([
    ['by its code', null, 1],
    ['by either pattern', SALES, 1],
    ['by either pattern', HR, 1],
    ['by another alias: not', 'other', 0],
  ])('%s', (_, entry, silenced) => {
    const off = [{ code: 'overlapping-patterns', entry }] as const;
    const { warnings, summary } = planOf(naming({ other: A, [HR]: B }), LIVE, { off, silenced: 0 });
    expect([warnings.length, summary.silenced]).toEqual([1 - silenced, silenced]);
  });

  test('by its domain', () => {
    const lint = [{ code: 'overlapping-patterns', entry: null }] as const;
    const { warnings, summary } = planOf(present(ACME, { aliases: aliasSection({}), lint }));
    expect([warnings, summary.silenced]).toEqual([[], 1]);
  });

  test('is not counted again where the manifest has both: its validation has counted it', () => {
    const off = [{ code: 'overlapping-patterns', entry: null }] as const;
    const { warnings, summary } = planOf(naming(LIVE), LIVE, { off, silenced: 1 });
    expect([warnings, summary.silenced]).toEqual([[], 1]);
  });
});
