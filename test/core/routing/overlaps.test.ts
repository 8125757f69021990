import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeForward } from '../../../src/core/model/destinations.ts';
import { overlapsIn } from '../../../src/core/routing/overlaps/overlaps.ts';
import { createRouter } from '../../../src/core/routing/route.ts';

/** Returns `first second: local part` for each overlap. `name -> x` sets the destination; the default is the position. */
function overlaps(...names: readonly string[]): readonly string[] {
  const aliases = names.map((text, at) => {
    const [name = '', forward = `${at}@x.example`] = text.split(' -> ');
    return { name, forward: decodeForward(forward) };
  });
  return overlapsIn(aliases)
    .map(({ first, second, localPart }) => `${first.name} ${second.name}: ${localPart}`)
    .toArray();
}

test.each([
  ['alternatives', '(sales|info)', '(info|hr)', 'info'],
  ['a class and a word', '([a-z]+)\\.([a-z]+)', '(info|john\\.doe)', 'john.doe'],
  ['a start and an end', '(.*)-x', '(a.*)', 'a-x'],
  ['numbers of repeats', '[a-z]{2,}', '[0-9a-c]{3}', 'aaa'],
  ['groups without captures, and anchors', '^(?:foo|bar)$', '(ba.)', 'bar'],
  ['classes by what they are not', '([^a-z]+)', '(\\w+)', '0'],
  ['letters in either case', '(Info|B)', '([A-I]nfo)', 'info'],
  ['repeats of repeats', '((a*)*)', '((a+)+b?)', 'a'],
  ['names of groups', '(?P<who>x|y)', '(?<what>y|z)', 'y'],
  ['escaped signs', '(a\\.b|c\\+)', '(a.b)', 'a.b'],
])('%s: an address that both match is found', (_, first, second, localPart) => {
  expect(overlaps(first, second)).toEqual([`${first} ${second}: ${localPart}`]);
});

test.each([
  ['nothing in common', ['(x|y)', '(z)']],
  [
    'the same destinations, in another order',
    ['(x) -> a@x.example,b@x.example', '(x|y) -> b@x.example,a@x.example'],
  ],
  ['only the empty local part', ['(a?)', '(b?)']],
  ['the same destinations by captures', ['(a) -> $1@x.example', '(a|[b]{2}) -> a@x.example']],
  ['addresses that have aliases of their own', ['(sales|info)', '(info|hr)', 'info']],
  ['what only a space could match', ['(\\s)', '( )']],
])('no overlap: %s', (_, names) => {
  expect(overlaps(...names)).toEqual([]);
});

test('an address with an alias of its own is no example; another is found', () => {
  expect(overlaps('(.*)', '(a.*)', 'a', 'aa')).toEqual(['(.*) (a.*): ab']);
});

test.each([
  ['a flag', '(?i)info'],
  ['a class by its name', '[[:alpha:]]+'],
  ['a class of Unicode', '(\\pL+)'],
  ['a bracket that is not closed', '(info'],
  ['repeats of repeats that are too many', '((a{500}){500})'],
  ['deep nesting', `${'('.repeat(900)}a${')'.repeat(900)}{2000}`],
  ['deeper nesting', `${'('.repeat(40_000)}a${')'.repeat(40_000)}`],
])('patterns beyond the known syntax or size are not compared: %s', (_, name) => {
  expect(overlaps(name, '(.+)')).toEqual([]);
});

test('many patterns end in bounded time, by steps and not by a clock', () => {
  const names = Array.from({ length: 3000 }, (_, at) => `(.*${at}.*)`);
  expect(overlaps(...names).length).toBeGreaterThan(10);
});

test('both of a pair match its address, by the engine itself', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\d',
    '(a|b)',
    '(ab|c)?',
    'a*',
    'b+',
    '.{1,2}',
    '\\.',
  );
  const name = fc.array(atom, { minLength: 1, maxLength: 4 }).map((parts) => `(${parts.join('')})`);
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 5 }), (names) => {
      const aliases = names.map((text, at) => ({ name: text, forward: decodeForward(`${at}@x.example`) }));
      const router = createRouter<(typeof aliases)[number], never>({
        aliases,
        rules: [],
        mode: 'aliases',
        fallback: null,
      });
      for (const { first, second, localPart } of overlapsIn(aliases)) {
        const taking = router.routesByAlias(localPart).map((route) => route.kind === 'alias' && route.alias);
        expect(taking).toEqual(expect.arrayContaining([first, second]));
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('the common matches of two patterns with plain syntax are found', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '(a|b)', '(ab|b)?', 'a*', 'b+');
  const name = fc.array(atom, { minLength: 1, maxLength: 3 }).map((parts) => `(${parts.join('')})`);
  const words = fc
    .array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(name, name, words, (first, second, word) => {
      fc.pre(first !== second);
      const aliases = [first, second].map((text, at) => ({
        name: text,
        forward: decodeForward(`${at}@x.example`),
      }));
      const { routesByAlias } = createRouter({ aliases, rules: [], mode: 'aliases', fallback: null });
      if (routesByAlias(word).length > 1) expect(overlaps(first, second)).toHaveLength(1);
    }),
    { seed: 1, numRuns: 1000 },
  );
});
