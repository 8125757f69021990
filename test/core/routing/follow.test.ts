import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeForward } from '../../../src/core/model/destinations.ts';
import {
  createReach,
  endsOf,
  follow,
  type DomainRouting,
  type Hop,
} from '../../../src/core/routing/follow.ts';
import { createRouter, type RoutedAlias, type RoutedRule } from '../../../src/core/routing/route.ts';

const MESSAGE = { from: '', subject: 'invoice 7', body: '' };

/** Aliases as `local@domain: destinations`, one per line. `?@domain` is an unknown domain. */
function routings(...lines: readonly string[]): (domain: string) => DomainRouting<RoutedAlias, RoutedRule> {
  const aliases = lines.flatMap((line) => {
    const [, name = '', domain, forward] = /^([^@]*)@([a-z.]+): (.*)$/.exec(line) ?? [];
    return forward === undefined ? [] : [{ name, domain, forward: decodeForward(forward) }];
  });
  return (domain) => {
    if (lines.includes(`?@${domain}`)) return 'unknown';
    const own = aliases.filter((alias) => alias.domain === domain);
    if (own.length === 0) return 'outside';
    return createRouter({ aliases: own, rules: [], mode: 'aliases', fallback: null }).route;
  };
}

function shown({ address, depth, ...hop }: Hop<RoutedAlias, RoutedRule>): string {
  const what =
    hop.kind !== 'routed' ? hop.kind : hop.route.kind === 'alias' ? hop.route.alias.name : hop.route.kind;
  return `${'  '.repeat(depth)}${address} ${what}`;
}

/** Returns the hops from the first address, one per line, indented by their depth. */
function way(to: string, ...lines: readonly string[]): string {
  return follow([to], MESSAGE, routings(...lines))
    .map(shown)
    .join('\n');
}

describe('each way ends', () => {
  test.each([
    ['outside', ['a@x.example: ana@corp.example'], 'a@x.example a\n  ana@corp.example delivered'],
    [
      'at a webhook',
      ['a@x.example: https://x.example/a@x.example'],
      'a@x.example a\n  https://x.example/a@x.example delivered',
    ],
    ['discarded', ['a@x.example: null'], 'a@x.example a\n  null discarded'],
    ['refused', ['b@x.example: ana@corp.example'], 'a@x.example refused'],
    [
      'refused later',
      ['a@x.example: b@y.example', 'a@y.example: c@z.example'],
      'a@x.example a\n  b@y.example refused',
    ],
    [
      'where nothing is known',
      ['a@x.example: b@y.example', '?@y.example'],
      'a@x.example a\n  b@y.example unknown',
    ],
    [
      'in a loop',
      ['a@x.example: b@y.example', 'b@y.example: a@x.example,ana@corp.example'],
      'a@x.example a\n  b@y.example b\n    a@x.example loop\n    ana@corp.example delivered',
    ],
    ['in itself', ['*@x.example: a@x.example'], 'a@x.example *\n  a@x.example loop'],
    [
      'where two ways meet',
      [
        'a@x.example: b@x.example,c@x.example',
        'b@x.example: d@x.example',
        'c@x.example: d@x.example',
        'd@x.example: ana@corp.example',
      ],
      'a@x.example a\n  b@x.example b\n    d@x.example d\n      ana@corp.example delivered\n  c@x.example c\n    d@x.example reached',
    ],
    [
      'where a pattern shortens the address until a name matches',
      ['x(.*)@x.example: $1@x.example', 'a@x.example: ana@corp.example'],
      'xxa@x.example x(.*)\n  xa@x.example x(.*)\n    a@x.example a\n      ana@corp.example delivered',
    ],
  ])('%s', (_, lines, expected) => {
    expect(way(expected.split(' ')[0] ?? '', ...lines)).toBe(expected);
  });

  test('if captures make new addresses without end', () => {
    const hops = follow(['a@x.example'], MESSAGE, routings('(.+)@x.example: $1a@x.example,$1b@x.example'));
    expect(hops.length).toBeLessThan(3000);
    expect(endsOf(hops)).toMatchObject({ to: [], unknown: [] });
    expect(endsOf(hops).loops).not.toEqual([]);
  });

  test('however long the way is', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `a${at}@x.example: a${at + 1}@x.example`);
    const aliases = lines.map((_, at) => ({
      name: `a${at}`,
      forward: decodeForward(`a${at + 1}@x.example`),
    }));
    const { route } = createRouter<RoutedAlias, RoutedRule>({
      aliases,
      rules: [],
      mode: 'aliases',
      fallback: null,
    });
    expect(follow(['a0@x.example'], MESSAGE, () => route)).toHaveLength(20_001);
  });

  test('after thousands of written destinations of a pattern', () => {
    const members = Array.from({ length: 3000 }, (_, at) => `m${at}`);
    const aliases = [
      { name: '(all|everyone)', forward: decodeForward(members.map((name) => `${name}@x.example`).join()) },
      { name: '*', forward: decodeForward('ana@corp.example') },
    ];
    const { route } = createRouter<RoutedAlias, RoutedRule>({
      aliases,
      rules: [],
      mode: 'aliases',
      fallback: null,
    });
    const routing = (domain: string) => (domain === 'x.example' ? route : 'outside');
    expect(endsOf(follow(['all@x.example'], MESSAGE, routing))).toMatchObject({
      to: ['ana@corp.example'],
      loops: [],
    });
  });
});

test('each domain decides on the message with its own engine', () => {
  const rules = [
    {
      match: { type: 'regex', regex: 'invoice', scopes: ['subject'] },
      forward: decodeForward('b@y.example'),
      active: true,
    },
  ] as const;
  const byRules = createRouter<RoutedAlias, RoutedRule>({
    aliases: [],
    rules,
    mode: 'rules',
    fallback: null,
  });
  const byAliases = routings('b@y.example: ana@corp.example');
  const hops = follow(['a@x.example'], MESSAGE, (domain) =>
    domain === 'x.example' ? byRules.route : byAliases(domain),
  );
  expect(hops.map(shown)).toEqual(['a@x.example rule', '  b@y.example b', '    ana@corp.example delivered']);
});

describe('the end of a message', () => {
  const ends = (to: readonly string[], ...lines: readonly string[]) => {
    return endsOf(follow(to, MESSAGE, routings(...lines)));
  };
  const none = { to: [], via: [], unknown: [], loops: [] };

  test.each([
    ['refused', ['b@x.example: ana@corp.example'], none],
    ['discarded', ['a@x.example: null'], { ...none, to: ['null'] }],
    [
      'discarded beside a delivery',
      ['a@x.example: null,ana@corp.example'],
      { ...none, to: ['ana@corp.example'] },
    ],
    [
      'discarded beside a refusal',
      ['a@x.example: null,b@x.example'],
      { ...none, to: ['null'], via: ['b@x.example'] },
    ],
    [
      'a loop',
      ['a@x.example: b@x.example', 'b@x.example: a@x.example'],
      { ...none, via: ['b@x.example'], loops: ['a@x.example'] },
    ],
    [
      'unknown in part',
      ['a@x.example: b@y.example,ana@corp.example', '?@y.example'],
      { ...none, to: ['ana@corp.example'], unknown: ['b@y.example'] },
    ],
    [
      'sorted, each once',
      ['a@x.example: z@corp.example,b@x.example', 'b@x.example: z@corp.example,https://h.example/'],
      { ...none, to: ['https://h.example/', 'z@corp.example'], via: ['b@x.example'] },
    ],
  ])('%s', (_, lines, expected) => {
    expect(ends(['a@x.example'], ...lines)).toEqual(expected);
  });

  test('with destinations: the matching entry is known already', () => {
    const lines = ['a@x.example: ana@corp.example', 'b@x.example: ben@corp.example'];
    expect(ends(['b@x.example', 'a@x.example', 'c@corp.example'], ...lines).to).toEqual([
      'ana@corp.example',
      'ben@corp.example',
      'c@corp.example',
    ]);
  });
});

test('among random aliases: every destination that can be reached, and a loop exactly where one leads back', () => {
  const node = fc.integer({ min: 0, max: 7 });
  const graphs = fc.array(fc.array(node, { maxLength: 3 }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(graphs, (graph) => {
      const aliases = graph.map((next, at) => ({
        name: `a${at}`,
        forward: decodeForward([...next.map((to) => `a${to}@x.example`), `a${at}@corp.example`].join()),
      }));
      const { route } = createRouter<RoutedAlias, RoutedRule>({
        aliases,
        rules: [],
        mode: 'aliases',
        fallback: null,
      });
      const routing = (domain: string) => (domain === 'x.example' ? route : 'outside');
      const { to, loops } = endsOf(follow(['a0@x.example'], MESSAGE, routing));
      const reached = reachable(graph, [0]);
      expect(to).toEqual([...reached].map((at) => `a${at}@corp.example`).sort());
      const returns = [...reached].some((at) => reachable(graph, graph[at] ?? []).has(at));
      expect(loops.length > 0).toBe(returns);
    }),
  );
});

test('with random aliases, mail is delivered exactly where its path ends, in any order of questions', () => {
  const node = fc.integer({ min: 0, max: 9 });
  const graphs = fc.array(fc.array(node, { maxLength: 3 }), { minLength: 8, maxLength: 8 });
  const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  fc.assert(
    fc.property(graphs, order, (graph, asked) => {
      // Node 8 means delivered, 9 means refused.
      const aliases = graph.map((next, at) => ({
        name: `a${at}`,
        forward: decodeForward(
          next.map((to) => (to === 8 ? '8@corp.example' : `a${to}@x.example`)).join() || 'null',
        ),
      }));
      const { route } = createRouter<RoutedAlias, RoutedRule>({
        aliases,
        rules: [],
        mode: 'aliases',
        fallback: null,
      });
      const reaches = createReach(MESSAGE, (domain) => (domain === 'x.example' ? route : 'outside'));
      for (const at of asked)
        expect(reaches(`a${at}@x.example`)).toBe(at < 8 && reachable(graph, [at]).has(8));
    }),
  );
});

test('a chain of 50,000 aliases is asked for address by address in linear time', () => {
  const aliases = Array.from({ length: 50_000 }, (_, at) => {
    return { name: `a${at}`, forward: decodeForward(at === 0 ? 'x@corp.example' : `a${at - 1}@x.example`) };
  });
  const { route } = createRouter<RoutedAlias, RoutedRule>({
    aliases,
    rules: [],
    mode: 'aliases',
    fallback: null,
  });
  const reaches = createReach(MESSAGE, (domain) => (domain === 'x.example' ? route : 'outside'));
  for (const { name } of aliases.toReversed()) expect(reaches(`${name}@x.example`)).toBe(true);
});

test('a loop of captures has no end, and other mail ends', () => {
  const reaches = createReach(MESSAGE, routings('(.+)@x.example: $1x@x.example', 'b@y.example: b@x.example'));
  expect([reaches('a@x.example'), reaches('b@y.example'), reaches('c@z.example')]).toEqual([
    false,
    false,
    true,
  ]);
});

function reachable(graph: readonly (readonly number[])[], from: readonly number[]): ReadonlySet<number> {
  const reached = new Set(from);
  for (const at of reached) for (const next of graph[at] ?? []) reached.add(next);
  return reached;
}
