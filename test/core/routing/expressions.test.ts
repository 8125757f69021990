import { describe, expect, test } from 'vitest';
import { expressionMatcher } from '../../../src/emulator/delivery/delivery-expressions.ts';
import { compileExpression, type MailVariables } from '../../../src/core/routing/cel.ts';
import { BOOLEAN_EXPRESSIONS } from '../../hostile/support/corpora.ts';

// Compares the result of an expression in the offline check and in the emulator, which share no code.

type Mail = Partial<MailVariables>;
const EMPTY: MailVariables = { subject: '', body: '', sender: '', recipient: '' };

/** null means refused. */
function offline(source: string, mail: Mail): boolean | null {
  const compiled = compileExpression(source);
  return compiled.ok ? compiled.value.matches({ ...EMPTY, ...mail }) : null;
}

function emulated(source: string, mail: Mail): boolean {
  return expressionMatcher(source)({ ...EMPTY, ...mail });
}

test.each<[string, Mail, boolean]>([
  ['10 - (5 - 2) == 7', {}, true],
  ['24 / (4 / 2) == 12 && 7 - (3 + 2) == 2 && 2 * (3 + 4) == 14', {}, true],
  ['(subject == "x") == (body == "y")', { subject: 'x', body: 'y' }, true],
  ['(subject == "x") == (body == "y")', { subject: 'x' }, false],
  ['(subject == "x" ? body : sender) == "y"', { subject: 'x', body: 'y' }, true],
  ['!(subject == "a" || subject == "b") && (body == "" || subject == "c")', { subject: 'b' }, false],
  ['subject.contains("🎉")', { subject: 'won 🎉' }, true],
  ['subject.matches("^🎉.$") && size(subject) == 2', { subject: '🎉é' }, true],
  ['subject in ["👩‍👩‍👧", "é"]', { subject: '👩‍👩‍👧' }, true],
  ['has({"a":1}.a)', {}, true],
  ['has({"a":1}.b)', {}, false],
  ['!has({"a": {"b": 1}}.a.c) && has({"a": {"b": 1}}.a.b)', {}, true],
  ['["a"].exists(x, has({"a": x}.a) && x == subject)', { subject: 'a' }, true],
  ['subject == "has(x.a)" && has({"has": 1}.has)', { subject: 'has(x.a)' }, true],
  ['["a", "b"].exists(x, subject.matches(x))', { subject: 'b' }, true],
  ['["a", "b"].map(x, x + "c")[1] == subject', { subject: 'bc' }, true],
])('%s of %o is %s', (source, mail, expected) => {
  expect([offline(source, mail), emulated(source, mail)]).toEqual([expected, expected]);
});

describe('matches is RE2', () => {
  test.each<[string, string, boolean]>([
    ['(?i)INVOICE', 'an invoice', true],
    ['(?s)a.b', 'a\nb', true],
    ['a.b', 'a\nb', false],
    ['\\Ainv', 'invoice', true],
    ['ice\\z', 'invoice', true],
    ['ice\\z', 'invoice\n', false],
    ['^[[:digit:]]+$', '42', true],
    ['(?P<n>a)b', 'ab', true],
    ['^\\pN\\p{Greek}$', '7α', true],
    ['\\Qa.b\\E', 'axb', false],
    ['(?U)^a+$', 'aaa', true],
  ])('%s in %j: %s', (pattern, subject, expected) => {
    const source = `subject.matches(${JSON.stringify(pattern)})`;
    expect([offline(source, { subject }), emulated(source, { subject })]).toEqual([expected, expected]);
    const dynamic = [offline, emulated].map((holds) =>
      holds('subject.matches(body)', { subject, body: pattern }),
    );
    expect(dynamic).toEqual([expected, expected]);
  });

  test.each(['a(?=b)', '(?!b)a', '(?<=x)a', '(a)\\1', '('])('%s is none, and matches nothing', (pattern) => {
    const source = `subject.matches(${JSON.stringify(pattern)})`;
    expect([offline(source, { subject: 'ab' }), emulated(source, { subject: 'ab' })]).toEqual([null, false]);
    const mail = { subject: 'ab', body: pattern };
    for (const holds of [offline, emulated]) {
      expect(holds('subject.matches(body)', mail)).toBe(false);
      expect(holds('!subject.matches(body)', mail)).toBe(false);
      expect(holds('subject.matches(body) || true', mail)).toBe(true);
    }
  });
});

test.each([
  'Has({"a":1}.a)',
  'subject.matchesInLinearTime("")',
  'subject.matchesRe2("")',
  'has(subject)',
  '"\\ud83c" == ""',
])('%s is no expression', (source) => {
  expect([offline(source, {}), emulated(source, {})]).toEqual([null, false]);
});

/** Expressions that the library evaluates wrongly: mixed numbers behind `dyn`, keys of maps that are no texts, bytes, optionals, nanoseconds. */
const KNOWN_WRONG = [
  "b'ÿ' == b'\\303\\277'",
  "b'\\303\\277' != b'ÿ'",
  'dyn(9223372036854775807) < 9223372036854775808.0',
  'dyn(9223372036854775808.0) > 9223372036854775807',
  'dyn(9223372036854775808.0) <= 9223372036854775807',
  'dyn(9223372036854775807) >= 9223372036854775808.0',
  'dyn(3u) in [5, 4, 3, 2, 1]',
  'dyn(3u) in [5.0, 4.0, 3.0, 2.0, 1.0]',
  'dyn(3) in [5u, 4u, 3u, 2u, 1u]',
  'dyn(3.0) in [5u, 4u, 3u, 2u, 1u]',
  "{6: 'six', 7: 'seven', 8: 'eight'}.exists_one(foo, foo % 5 == 2)",
  'optional.of(null).hasValue()',
  "has(optional.of({'c': {'entry': 'hello world'}}).c) && !has(optional.of({'c': {'entry': 'hello world'}}).c.missing)",
  "has({'foo': optional.none()}.foo)",
  "timestamp('0001-01-01T00:00:01.999999999Z') + duration('999999999ns') == timestamp('0001-01-01T00:00:02.999999998Z')",
];

test('expressions of the conformance data give what it says', () => {
  const taken = BOOLEAN_EXPRESSIONS.filter(({ expr }) => offline(expr, {}) !== null);
  expect(taken.length).toBeGreaterThan(450);
  const wrong = taken.filter(({ expr, expected }) => offline(expr, {}) !== expected);
  expect(wrong.map(({ expr }) => expr)).toEqual(KNOWN_WRONG);
  const differing = taken.filter(({ expr }) => offline(expr, {}) !== emulated(expr, {}));
  expect(differing).toEqual([]);
});
