import { expect, test } from 'vitest';
import type { Allowance } from '../../../src/core/model/desired.ts';
import { allowancesInForce, allows, showAllowance, writeAllowance } from '../../../src/core/plan/policy.ts';
import { desiredOf } from '../manifest/support/loading.ts';
import { ACME, at, POLICY } from './support/build.ts';

test.each<[Allowance, string]>([
  [{ kind: 'deletes', count: 3 }, '--allow-deletes 3'],
  [{ kind: 'reroutes', count: 3 }, '--allow-reroutes 3'],
  [{ kind: 'domain-delete', domain: ACME }, '--allow-domain-delete acme.example'],
  [{ kind: 'empty', domain: ACME, section: 'rules' }, '--allow-empty acme.example/rules'],
  [{ kind: 'unrouted', address: 'A.b_c-d+e@Acme.example' }, '--allow-unrouted a.b_c-d+e@acme.example'],
  [{ kind: 'unrouted', address: '*@acme.example' }, "--allow-unrouted '*@acme.example'"],
  [{ kind: 'unrouted', address: '$x@acme.example' }, "--allow-unrouted '$x@acme.example'"],
  [{ kind: 'unrouted', address: 'x@acme.example;' }, "--allow-unrouted 'x@acme.example;'"],
  [
    { kind: 'unrouted', address: "o'b'c@acme.example" },
    String.raw`--allow-unrouted 'o'\''b'\''c@acme.example'`,
  ],
])('%o is %s in a shell', (allowance, flag) => {
  expect(showAllowance(allowance)).toBe(flag);
});

test.each<Allowance>([
  { kind: 'deletes', count: 3 },
  { kind: 'reroutes', count: 3 },
  { kind: 'domain-delete', domain: ACME },
  { kind: 'empty', domain: ACME, section: 'rules' },
  { kind: 'unrouted', address: '*@acme.example' },
  { kind: 'unrouted', address: 'o"b\\c#@acme.example' },
])('%o is read from the line that is written for it', (allowance) => {
  const line = writeAllowance(allowance, '2026-12-01');
  const text = `version: 1\nguards:\n  allow:\n    ${line}\ndomains: { acme.example: { aliases: {} } }\n`;
  expect(desiredOf(text).guards.allow).toMatchObject([{ allowance, until: '2026-12-01' }]);
});

test('an allowance holds for just what it names', () => {
  const given: readonly Allowance[] = [
    { kind: 'deletes', count: 3 },
    { kind: 'unrouted', address: 'A@acme.example' },
  ];
  const policy = { ...POLICY, allowances: given };
  expect(allows(policy, { kind: 'deletes', count: 3 })).toBe(true);
  expect(allows(policy, { kind: 'deletes', count: 2 })).toBe(false);
  expect(allows(policy, { kind: 'reroutes', count: 3 })).toBe(false);
  expect(allows(policy, { kind: 'unrouted', address: 'a@ACME.example' })).toBe(true);
  expect(allows(POLICY, { kind: 'deletes', count: 3 })).toBe(false);
});

test.each([
  ['2026-11-20T23:59:59.999Z', [1, 2]],
  ['2026-11-21T00:00:00Z', [2]],
  ['2026-11-21T23:59:59.999Z', [2]],
  ['2026-11-22T00:00:00Z', []],
])('the allowances of a manifest at %s hold through their day, in UTC', (now, counts) => {
  const allow = [
    { allowance: { kind: 'deletes', count: 1 } as const, until: '2026-11-20', source: at(1) },
    { allowance: { kind: 'deletes', count: 2 } as const, until: '2026-11-21', source: at(2) },
  ];
  const found = allowancesInForce({ ...POLICY.guards, allow }, Date.parse(now));
  expect(found).toEqual(counts.map((count) => ({ kind: 'deletes', count })));
});
