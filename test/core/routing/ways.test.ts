import { expect, test } from 'vitest';
import { decodeForward } from '../../../src/core/model/destinations.ts';
import { endsOf } from '../../../src/core/routing/follow.ts';
import { createRouter, type RoutedAlias, type RoutedRule } from '../../../src/core/routing/route.ts';
import { waysOf } from '../../../src/core/routing/ways.ts';

/** Returns the possible ends of mail to a@x.example with aliases `name@domain: forward`, each once. */
function ends(...lines: readonly string[]): readonly string[] {
  const aliases = lines.flatMap((line) => {
    const [, name = '', domain, forward] = /^(.*)@([a-z.]+): (.*)$/.exec(line) ?? [];
    return forward === undefined ? [] : [{ name, domain, forward: decodeForward(forward) }];
  });
  const ways = waysOf<RoutedAlias, RoutedRule>(
    ['a@x.example'],
    { from: '', subject: '', body: '' },
    (domain) => {
      const own = aliases.filter((alias) => alias.domain === domain);
      if (own.length === 0) return 'outside';
      return createRouter({ aliases: own, rules: [], mode: 'aliases', fallback: null }).routes;
    },
  );
  return ways.map(({ hops }) => endsOf(hops).to.join() || 'refused');
}

test.each([
  ['a name', ['a@x.example: p@o.example', '(a|b)@x.example: q@o.example'], ['p@o.example']],
  [
    'two patterns',
    ['(a|b)@x.example: p@o.example', '(a|c)@x.example: q@o.example'],
    ['p@o.example', 'q@o.example'],
  ],
  [
    'two patterns with one destination',
    ['(a|b)@x.example: p@o.example', '(a|c)@x.example: p@o.example'],
    ['p@o.example'],
  ],
  ['a name that may be a pattern', ['a*@x.example: p@o.example'], ['refused', 'p@o.example']],
  [
    'a name that may be a pattern, and a catch-all',
    ['a*@x.example: p@o.example', '*@x.example: q@o.example'],
    ['q@o.example', 'p@o.example'],
  ],
  [
    'patterns on the way',
    ['a@x.example: b@y.example', '(b|c)@y.example: p@o.example', '(b|d)@y.example: q@o.example'],
    ['p@o.example', 'q@o.example'],
  ],
  [
    'patterns after patterns: each combination once',
    [
      '(a|b)@x.example: b@y.example,c@y.example',
      '(a|c)@x.example: q@o.example',
      '(b|k)@y.example: p@o.example',
      '(b|l)@y.example: r@o.example',
      '(c|m)@y.example: s@o.example',
      '(c|n)@y.example: t@o.example',
    ],
    [
      'p@o.example,s@o.example',
      'q@o.example',
      'r@o.example,s@o.example',
      'p@o.example,t@o.example',
      'r@o.example,t@o.example',
    ],
  ],
])('%s', (_, lines, expected) => {
  expect(ends(...lines)).toEqual(expected);
});

test('many patterns on the way end after 64 ways', () => {
  const lines = Array.from({ length: 26 }, (_, at) => {
    const [from, to] = [at, at + 1].map((code) => String.fromCodePoint(97 + code));
    return [
      `(${from}|1)@x.example: ${to}@x.example`,
      `(${from}|2)@x.example: ${to}@x.example,${at}@o.example`,
    ];
  });
  expect(ends(...lines.flat())).toHaveLength(64);
});
