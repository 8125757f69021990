import { describe, expect, test } from 'vitest';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Change, PlannedRoute } from '../../../../src/core/model/plan.ts';
import { leadsFrom, replayedDomains } from '../../../../src/core/plan/replay/replayed-domains.ts';
import { change, desired, live, liveAliases, liveRule, name, observed } from '../support/build.ts';

const [A, B, C, D] = ['a.example', 'b.example', 'c.example', 'd.example'].map(name) as [
  ReturnType<typeof name>,
  ReturnType<typeof name>,
  ReturnType<typeof name>,
  ReturnType<typeof name>,
];
const ALIASES = { routingEngine: 'alias' } as const;

function routesIn(...domains: readonly string[]): readonly PlannedRoute[] {
  return domains.map((domain) => ({ domain }) as PlannedRoute);
}

function inputOf(domains: readonly ObservedDomain[], changes: readonly Change[] = []) {
  return { observed: observed(domains), desired: desired([]), adoptions: [], changes };
}

const leading = (domain: string, forward: string): ObservedDomain =>
  live(domain, { ...ALIASES, aliases: liveAliases({ 'x(.*)': forward }) });

describe('domains whose mail may end elsewhere', () => {
  test('are those of the routes that exist, by the number of routes and then by name', () => {
    const input = inputOf([A, B, C, D].map((domain) => live(domain, ALIASES)));
    expect(replayedDomains(input, routesIn(B, C, A, C, 'new.example'))).toEqual([C, A, B]);
    expect(replayedDomains(input, [])).toEqual([]);
  });

  test('are those whose rules change, unless aliases route them', () => {
    const rules = [A, B, C].map((domain) => change(domain, 'r', { kind: 'rule' }));
    const input = inputOf(
      [live(A), live(B, { routingEngine: 'rules' }), live(C, ALIASES), live(D)],
      [...rules, change(D, 'info')],
    );
    expect(replayedDomains(input, [])).toEqual([A, B]);
  });

  test('are those that lead to them by a capture, one after the other', () => {
    const input = inputOf([
      leading(A, `info$1@${B}`),
      leading(B, `info$1@${C}`),
      live(C, ALIASES),
      live(D, ALIASES),
    ]);
    expect(replayedDomains(input, routesIn(C))).toEqual([C, A, B]);
  });

  test('are those that lead to an address there only if all of their mail may end elsewhere', () => {
    const domains = [leading(A, `info@${B}`), live(B, ALIASES), live(C, ALIASES)];
    expect(replayedDomains(inputOf(domains), routesIn(B))).toEqual([B]);
    const byRules = inputOf([domains[0] as ObservedDomain, live(B)], [change(B, 'r', { kind: 'rule' })]);
    expect(replayedDomains(byRules, [])).toEqual([A, B]);
    const byCapture = inputOf([leading(D, `info@${A}`), leading(A, `$1@${B}`), live(B, ALIASES)]);
    expect(replayedDomains(byCapture, routesIn(B))).toEqual([B, A, D]);
  });

  test('are those that lead there after the plan', () => {
    const forward = ['$1@b.example'] as never;
    const added = [
      change(A, '(.*)', { desired: { forward } as never }),
      change(C, 'r', { kind: 'rule', desired: { forward } as never }),
      change(D, 'smtp', { kind: 'credential', desired: { forward } as never }),
    ];
    const input = inputOf(
      [A, B, C, D].map((domain) => live(domain, ALIASES)),
      [...added, change(A, 'gone', { action: 'delete' })],
    );
    expect(replayedDomains(input, routesIn(B))).toEqual([B, A, C]);
  });
});

describe('domains that others lead to', () => {
  const input = inputOf([
    live(A, {
      aliases: liveAliases({ x: `x@${B}`, '(.*)': `$1@${C}` }),
      rules: [liveRule('r', 1, `x@${D}`)],
    }),
    leading(B, 'x@elsewhere.example'),
  ]);

  test('by addresses, captures and the fallback of rules', () => {
    expect(leadsFrom(new Set([A]), input).toSorted()).toEqual(['acme.example', B, C, D]);
  });

  test('without the fallback if aliases route', () => {
    expect(leadsFrom(new Set([B]), input)).toEqual(['elsewhere.example']);
  });

  test('none of no domain', () => {
    expect(leadsFrom(new Set(), input)).toEqual([]);
  });
});
