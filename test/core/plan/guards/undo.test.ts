import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/core/model/plan.ts';
import type { Policy } from '../../../../src/core/plan/policy.ts';
import {
  ACME,
  aliasSection,
  desired,
  live,
  liveAliases,
  numbered,
  observed,
  plan,
  planAliases,
  present,
  prior,
  sizeOf,
} from '../support/build.ts';

const UNDO = { purpose: 'undo' } as const;

describe('an undo is as large as the run that it reverses: guards about numbers skip it', () => {
  test.each<[string, (policy: Partial<Policy>) => Plan]>([
    ['max-deletes', (policy) => planAliases(aliasSection({ n0: false }), numbered(4), { with: policy })],
    [
      'max-reroutes',
      (policy) => planAliases(aliasSection(numbered(10, 'b@x.example')), numbered(10), { with: policy }),
    ],
    ['empty-section', (policy) => planAliases(aliasSection({ n0: false }), numbered(1), { with: policy })],
    [
      'manifest-shrink',
      (policy) =>
        plan(
          desired([present(ACME, { aliases: aliasSection(numbered(9), { prune: true }) })]),
          observed([live(ACME, { aliases: liveAliases(numbered(10)) })]),
          { prior: { ...prior(ACME, {}), manifests: [sizeOf(1, 12)] }, with: policy },
        ),
    ],
  ])('%s', (guard, made) => {
    const limits = {
      guards: { maxDeletes: guard === 'max-deletes' ? 0 : 25, maxDeletePercent: 20, allow: [] },
    };
    expect(made(limits).guards.map((finding) => finding.guard)).toEqual([guard]);
    expect(made({ ...limits, ...UNDO }).guards).toEqual([]);
  });
});

test('other guards hold in an undo, with their allowances', () => {
  const made = (allowances: Policy['allowances']) =>
    planAliases(
      aliasSection({ '*': false }),
      { ...numbered(4), '*': 'a@x.example' },
      { with: { ...UNDO, allowances } },
    ).guards;
  const allowance = { kind: 'unrouted', address: '*@acme.example' } as const;
  expect(made([])).toMatchObject([{ guard: 'catch-all', allowance, allowed: false }]);
  expect(made([allowance])).toMatchObject([{ guard: 'catch-all', allowance, allowed: true }]);
});

test('the key of another account refuses an undo, and nothing allows it', () => {
  const made = planAliases(aliasSection({ n0: false }), numbered(4), {
    with: { ...UNDO, account: 'eve@acme.example' },
  });
  expect(made.guards).toMatchObject([{ guard: 'account-mismatch', allowance: null }]);
});

test('a number of deletes allows nothing in an undo', () => {
  const { guards } = planAliases(aliasSection({ n0: false }), numbered(4), {
    prior: prior(ACME, { live: { aliases: 9 } }),
    with: { ...UNDO, allowances: [{ kind: 'deletes', count: 1 }] },
  });
  expect(guards).toMatchObject([{ guard: 'remote-shrink', allowance: null, allow: null, allowed: false }]);
});
