import { describe, expect, test } from 'vitest';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import {
  changedItem,
  domainsLeadingTo,
  forwardersAmong,
  forwardersIn,
} from '../../../../src/core/plan/routes/forwarders.ts';
import { forwardsTo } from '../../../../src/core/plan/routes/candidates.ts';
import { change, live, liveAliases, liveRule, name, observed } from '../support/build.ts';

const [A, B, C] = ['a.example', 'b.example', 'c.example'];
const BY_ALIASES = { routingEngine: 'alias' } as const;
const namesOf = (...domains: readonly string[]) => new Set(domains.map(name));
const leading = (domain: string, rows: Record<string, string>, parts: Partial<ObservedDomain> = BY_ALIASES) =>
  live(domain, { ...parts, aliases: liveAliases(rows) });

describe('domains whose mail may pass a domain', () => {
  const leadingTo = (domains: readonly ObservedDomain[], ...targets: readonly string[]) =>
    [...domainsLeadingTo(namesOf(...targets), observed(domains))].toSorted();

  test('are those that forward there, directly or through others, in any order', () => {
    const domains = [leading(A, { x: `x@${B}` }), leading(B, { x: `x@${C}` }), leading(C, {})];
    expect(leadingTo(domains, C)).toEqual([A, B, C]);
    expect(leadingTo(domains.toReversed(), C)).toEqual([A, B, C]);
    expect(leadingTo(domains, B)).toEqual([A, B]);
  });

  test('are not those with a webhook of such a host', () => {
    expect(leadingTo([leading(A, { x: `https://${B}/x@${B}` }), leading(B, {})], B)).toEqual([B]);
  });
});

describe('takers of a domain', () => {
  const domain = live(A, {
    aliases: liveAliases({ INFO: `x@${B}`, other: 'x@elsewhere.example' }),
    rules: [liveRule('R1', 1, `x@${B}`)],
  });
  const { account } = observed([]);

  test('are aliases by key, rules by id and the fallback', () => {
    expect(forwardersIn(domain, account).map(({ item }) => item)).toEqual([
      'a.example alias info',
      'a.example alias other',
      'a.example rule R1',
      null,
    ]);
    expect(changedItem(change(A, 'Info'))).toBe('a.example alias info');
    expect(changedItem(change(A, 'r', { kind: 'rule', id: 'R1' }))).toBe('a.example rule R1');
  });

  test('have no fallback where aliases route', () => {
    const items = forwardersIn({ ...domain, ...BY_ALIASES }, account).map(({ item }) => item);
    expect(items).toHaveLength(3);
    expect(forwardsTo({ ...domain, ...BY_ALIASES }, account)).toEqual(new Set([B, 'elsewhere.example']));
    expect(forwardsTo(domain, account)).toEqual(new Set([B, 'elsewhere.example', 'acme.example']));
  });

  test('forward among some domains only by what leads to one of them', () => {
    const found = forwardersAmong(
      namesOf(A, B),
      observed([{ ...domain, ...BY_ALIASES }, leading(B, { x: 'y@z.example' })]),
    );
    expect(found.map(({ item }) => item)).toEqual(['a.example alias info', 'a.example rule R1']);
  });
});
