import { expect, test } from 'vitest';
import type { RuleMatch, Scope } from '../../../src/core/model/resources.ts';
import { aliasCondition } from '../../../src/core/routing/name-match.ts';
import { takesAllOf, takesEverything } from '../../../src/core/routing/reach.ts';

test.each<[RuleMatch, boolean]>([
  [{ type: 'alias', alias: '*' }, true],
  [{ type: 'alias', alias: '(.*)' }, true],
  [{ type: 'alias', alias: '^(.*)$' }, true],
  // It may be a prefix, for names that begin with a dot.
  [{ type: 'alias', alias: '.*' }, false],
  [{ type: 'alias', alias: '(.*' }, false],
  [{ type: 'alias', alias: '' }, false],
  [{ type: 'alias', alias: 'info' }, false],
  [{ type: 'alias', alias: 'x.*' }, false],
  [{ type: 'alias', alias: '.*x' }, false],
  [{ type: 'regex', regex: '^.*$', scopes: ['subject'] }, true],
  [{ type: 'regex', regex: 'x|.*', scopes: ['body', 'sender'] }, true],
  // A dot may not match the line breaks of a body.
  [{ type: 'regex', regex: '^.*$', scopes: ['body'] }, false],
  // If a pattern must match a whole text, this one matches empty texts only.
  [{ type: 'regex', regex: '', scopes: ['subject'] }, false],
  [{ type: 'regex', regex: '(.*', scopes: ['subject'] }, false],
  [{ type: 'regex', regex: '*', scopes: ['subject'] }, false],
  [{ type: 'regex', regex: '.*invoice.*', scopes: ['subject'] }, false],
  [{ type: 'cel', expression: ' true ' }, true],
  [{ type: 'cel', expression: 'true && false' }, false],
])('%j takes all mail: %s', (match, expected) => {
  expect(takesEverything(match)).toBe(expected);
});

test.each<[string, string, boolean]>([
  ['s*', 'S*', true],
  ['s*', 'sa*', true],
  ['sa*', 's*', false],
  ['s*', 'sales', true],
  ['s*', 's.*', false],
  ['s.*', 's.*', true],
  ['s.*', 'sa*', false],
  ['(s.*)', 'sa*', true],
  ['s*', '(sa|sb).*', true],
  ['(sa|sb).*', 'sa*', true],
  ['(sa|sb).*', 's*', false],
  // A rule for `s` also matches mail to `s+label`.
  ['(s|t)', 's', false],
  ['(s|t)', 's*', false],
  ['(s|t|u)', '(s|t)', true],
  ['(s|t)', '(sa|tb)', false],
  ['s*', '(s|sa)', true],
  ['(s.+)', '(s|sa)', false],
  ['(s.+)', '(sa|sb)', true],
  ['(s.+)', '(s.+|sx)', true],
  ['(s.+)', 's', false],
  ['(s.+)', 's*', false],
  ['(s.+)', 'sa*', true],
  ['(s.+)', '(s.+)x', false],
  ['s*', '(s.+)', true],
  ['(.+)', '*', true],
])('a rule for the alias %s takes all mail of one for %s: %s', (wide, alias, expected) => {
  expect(takesAllOf({ type: 'alias', alias: wide }, { type: 'alias', alias })).toBe(expected);
});

test('mail that a rule certainly matches as a whole, it matches at every address, as in the router', () => {
  const names = [
    '*',
    's*',
    'Sa*',
    'sales',
    'sales*',
    'sales.*',
    '.*',
    '.s*',
    '*o',
    's?',
    'jane.d*',
    'info',
    'info+eu',
  ];
  const patterns = [
    '(.*)',
    '(.+)',
    '^.*$',
    '(s.*)',
    '(s|t).*',
    '(s|t)',
    '^s.+',
    '(sales|info)',
    'x{2}',
    '(a|.*)',
    '(a',
  ];
  const texts = [
    's',
    'sa',
    'sales',
    'SALES+x',
    's.',
    'sales.eu',
    'salesx',
    '.s',
    'jane.d',
    'janedd',
    'jane.doe',
  ];
  const others = ['info', 'info+eu', 'tx', 'xx', 'a', 'xo', 'sales.*', '(s|t).*'];
  const all = [...names, ...patterns];
  const pairs = all.flatMap((wide) => all.map((alias) => ({ wide, alias })));
  const wider = pairs.filter(({ wide, alias }) =>
    takesAllOf({ type: 'alias', alias: wide }, { type: 'alias', alias }),
  );
  expect(wider.length).toBeGreaterThan(2 * all.length);
  const wrong = wider.filter(
    ({ wide, alias }) =>
      wide !== alias &&
      [...texts, ...others].some(
        (text) => aliasCondition(alias)(text) !== false && aliasCondition(wide)(text) !== true,
      ),
  );
  expect(wrong).toEqual([]);
});

test('a regex rule takes all mail of one with the same pattern and fewer scopes; an expression, of its equal', () => {
  const regex = (pattern: string, ...scopes: readonly Scope[]): RuleMatch => {
    return { type: 'regex', regex: pattern, scopes };
  };
  const both = regex('x', 'subject', 'body');
  expect(takesAllOf(both, regex('x', 'body'))).toBe(true);
  expect(takesAllOf(regex('x', 'body'), both)).toBe(false);
  expect(takesAllOf(both, regex('xx', 'body'))).toBe(false);
  expect(takesAllOf(both, { type: 'alias', alias: 'x' })).toBe(false);
  expect(takesAllOf({ type: 'alias', alias: 'x' }, both)).toBe(false);
  const hi: RuleMatch = { type: 'cel', expression: 'subject == "hi"' };
  expect(takesAllOf(hi, { ...hi })).toBe(true);
  expect(takesAllOf(hi, both)).toBe(false);
});
