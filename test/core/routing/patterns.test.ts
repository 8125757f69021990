import { describe, expect, test } from 'vitest';
import { compileExpression, type MailVariables } from '../../../src/core/routing/cel.ts';
import { compilePattern, type Pattern } from '../../../src/core/routing/regex.ts';

function pattern(source: string, letterCase: 'exact' | 'any' = 'exact'): Pattern {
  const compiled = compilePattern(source, { letterCase });
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value;
}

describe('patterns', () => {
  test('are found anywhere, or match the whole', () => {
    expect([pattern('b+').finds('abbc'), pattern('b+').matchesAll('abbc')]).toEqual([true, false]);
    expect([pattern('^b+$').finds('abbc'), pattern('b+').matchesAll('bb')]).toEqual([false, true]);
    expect(pattern('a|ab').matchesAll('ab')).toBe(true);
  });

  test('letter case, line breaks and empty texts', () => {
    expect([pattern('Ab').finds('xab'), pattern('Ab', 'any').finds('xaB')]).toEqual([false, true]);
    const overLines = pattern('^a.*z$');
    expect([overLines.finds('a\n\nz'), overLines.matchesAll('a\n\nz')]).toEqual([false, true]);
    expect([pattern('.*').matchesAll(''), pattern('a').finds('')]).toEqual([true, false]);
  });

  test('groups', () => {
    expect(pattern('(a)(?:b)(?P<last>c)?').groups).toBe(2);
    expect(pattern('(a+)(b)?').capture('aa')).toEqual(['aa', 'aa', '']);
    expect(pattern('(a+)').capture('aab')).toBeNull();
  });

  test.each([
    ['a(?=b)', 'look-around', 1],
    ['(?!a)b', 'look-around', 0],
    ['x(?<=a)', 'look-around', 1],
    ['(a)\\1', 'back-references', 3],
    ['(?<n>a)\\k<n>', 'back-references', 7],
    ['a[z-a]', 'invalid character class range: "z-a"', 2],
    ['a**', 'invalid nested repetition operator: "**"', 1],
    ['a**b**', 'invalid nested repetition operator', null],
    ['(a', 'missing closing )', null],
    ['a\\', 'trailing backslash', null],
    ['a'.repeat(10_001), 'longer than 10000', null],
  ])('%s is refused, with its place', (source, reason, offset) => {
    const compiled = compilePattern(source, { letterCase: 'exact' });
    expect(compiled.ok ? null : compiled.error.message).toContain(reason);
    expect(compiled.ok ? null : compiled.error.offset).toBe(offset);
  });

  test('take linear time', () => {
    expect(pattern('(a*)*b').finds('a'.repeat(100_000))).toBe(false);
    expect(pattern('(x+x+)+y').matchesAll('x'.repeat(100_000))).toBe(false);
  });
});

describe('expressions', () => {
  const empty: MailVariables = { subject: '', body: '', sender: '', recipient: '' };
  function holds(source: string, mail: Partial<MailVariables> = {}): boolean {
    const compiled = compileExpression(source);
    if (!compiled.ok) throw new Error(compiled.error.message);
    return compiled.value.matches({ ...empty, ...mail });
  }

  test.each<[string, Partial<MailVariables>, boolean]>([
    ['subject == "a"', { subject: 'a' }, true],
    ['subject.contains("in")', { subject: 'invoice' }, true],
    ['sender.startsWith("a") || sender.endsWith("z")', { sender: 'xyz' }, true],
    ['!(body.contains("x")) && recipient != ""', { recipient: 'a@b.example' }, true],
    ['subject.matches("inv.*[0-9]")', { subject: 'an invoice 7' }, true],
    ['subject.matches("^inv")', { subject: 'an invoice' }, false],
    ['subject.matches(body)', { subject: 'abc', body: 'b' }, true],
    ['subject.matches(body)', { subject: 'abc', body: '(' }, false],
    ['size(subject) > 2', { subject: 'abc' }, true],
    ['sender in ["a@b.example", "c@d.example"]', { sender: 'c@d.example' }, true],
  ])('%s', (source, mail, expected) => {
    expect(holds(source, mail)).toBe(expected);
  });

  test('patterns inside take linear time, given in the mail as well', () => {
    const subject = 'a'.repeat(50_000);
    expect(holds('subject.matches("(a*)*b")', { subject })).toBe(false);
    expect(holds('subject.matches(body)', { subject, body: '(a*)*b' })).toBe(false);
  });

  test.each([
    ['subject ==', 'expected', true],
    ['subjct == "a"', 'Unknown variable', true],
    ['subject && true', '', true],
    ['subject', 'gives string, not bool', false],
    ['"a".matches("(")', 'missing closing', true],
    [`${'('.repeat(200)}true${')'.repeat(200)}`, '', true],
    [`${'!'.repeat(9_000)}subject`, '', true],
    [`subject == "${'a'.repeat(10_001)}"`, 'longer than 10000', false],
  ])('number %# is refused', (source, reason, placed) => {
    const compiled = compileExpression(source);
    expect(compiled.ok).toBe(false);
    if (compiled.ok) return;
    expect(compiled.error.message.toLowerCase()).toContain(reason.toLowerCase());
    if (!placed) expect(compiled.error.offset).toBeNull();
  });
});
