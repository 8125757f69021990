import { describe, expect, test } from 'vitest';
import { load, problemsOf } from './support/loading.ts';
import { everyNth, runs } from '../../support/share.ts';

// Short files that describe huge manifests give an error of limited size, in limited time and memory.

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n');
}

/** Returns the codes of a text's errors. */
function errorsOf(text: string): readonly string[] {
  const errors = load(text).problems.filter(({ severity }) => severity === 'error');
  return errors.map(({ code }) => code);
}

/** Their square is more than the limit of entries. */
const MANY = runs(15_000, 1_100);
/** Their square is more than the limit of destinations. */
const MANY_DESTINATIONS = runs(15_000, 3_200);
const NAMES = lines(MANY, (index) => `    a${index}: x@corp.example`);
const SMALL = `version: 1
templates:
  t:
    aliases: { a: x@corp.example, b: x@corp.example }
domains:
  a.example: { use: [t] }
  b.example: { use: [t], aliases: { c: x@corp.example } }
`;

describe('templates times domains', () => {
  test(`${MANY} aliases in as many domains`, { timeout: 120_000 }, () => {
    const domains = lines(MANY, (index) => `  d${index}.example: { use: [t] }`);
    const text = `version: 1\ntemplates:\n  t:\n   aliases:\n${NAMES}\ndomains:\n${domains}\n`;
    expect(errorsOf(text)).toEqual(['too-many-entries']);
  });

  test(`${MANY} templates used by as many domains`, { timeout: 120_000 }, () => {
    const templates = lines(MANY, (index) => `  t${index}: {}`);
    const uses = `[${lines(MANY, (index) => `t${index}`).replaceAll('\n', ', ')}]`;
    const domains = lines(MANY, (index) => `  d${index}.example: {}`);
    const text = `version: 1\ntemplates:\n${templates}\ndefaults: { use: ${uses} }\ndomains:\n${domains}\n`;
    expect(errorsOf(text)).toEqual(['too-many-entries']);
  });

  test(`${MANY} ignored patterns in as many domains`, { timeout: 120_000 }, () => {
    const patterns = `[${lines(MANY, (index) => `p${index}*`).replaceAll('\n', ', ')}]`;
    const domains = lines(MANY, (index) => `  d${index}.example: { aliases: {} }`);
    const text = `version: 1\ndefaults: { ignore: { aliases: ${patterns} } }\ndomains:\n${domains}\n`;
    expect(errorsOf(text)).toEqual(['too-many-entries']);
  });

  test.each([
    [7, []],
    [6, ['too-many-entries 7:3']],
    [3, ['too-many-entries 7:3']],
    [2, ['too-many-entries 6:3']],
  ])('a limit of %i: 4 entries of a template, one of a domain, and two uses', (maxEntries, problems) => {
    expect(problemsOf(SMALL, { maxEntries })).toEqual(problems);
  });
});

describe('groups', () => {
  test.each(
    everyNth(2, [
      ['the outermost first', (index: number) => index],
      ['the innermost first', (index: number) => 19_999 - index],
    ]),
  )('a chain of 20,000, %s', { timeout: 120_000 }, (_, numberOf) => {
    const groups = lines(20_000, (index) => {
      const number = numberOf(index);
      return `  g${number}: [g${number + 1}, a${number}@corp.example]`;
    });
    const text = `version: 1\ndestinations:\n${groups}\n  g20000: z@corp.example\ndomains:\n  acme.example:\n    aliases: { sales: g0 }\n`;
    expect(errorsOf(text)).toEqual(['nesting-too-deep']);
  });

  test.each([
    [31, []],
    [32, ['nesting-too-deep']],
  ])('%i groups around one', (around, codes) => {
    const groups = lines(around, (index) => `  g${index}: g${index + 1}`);
    const text = `version: 1\ndestinations:\n${groups}\n  g${around}: z@corp.example\ndomains:\n  acme.example:\n    aliases: { sales: g0 }\n`;
    expect(errorsOf(text)).toEqual(codes);
  });

  test('one of many destinations in as many others, and in as many aliases', { timeout: 120_000 }, () => {
    const all = `[${lines(MANY_DESTINATIONS, (index) => `a${index}@corp.example`).replaceAll('\n', ', ')}]`;
    const groups = lines(MANY_DESTINATIONS, (index) => `  g${index}: [all, b${index}@corp.example]`);
    const head = `version: 1\ndestinations:\n  all: ${all}\n`;
    const one = 'domains:\n  acme.example:\n    aliases:\n';
    expect(errorsOf(`${head}${groups}\n${one}      a: all\n`)).toEqual(['too-many-entries']);
    const aliases = lines(MANY_DESTINATIONS, (index) => `      a${index}: [all, b@corp.example]`);
    expect(errorsOf(`${head}${one}${aliases}\n`)).toEqual(['too-many-entries']);
  });

  test('one of 200,000 destinations', { timeout: 120_000 }, () => {
    const all = lines(200_000, (index) => `    - a${index}@corp.example`);
    const text = `version: 1\ndestinations:\n  all:\n${all}\ndomains:\n  acme.example:\n    aliases: { sales: [all, x@corp.example] }\n`;
    expect(errorsOf(text)).toEqual([]);
  });
});
