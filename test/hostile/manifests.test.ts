import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadManifest } from '../../src/core/manifest/load.ts';
import { fwdsync } from '../support/command.ts';
import { IS_FULL, SEED } from '../simulation/support/explore.ts';
import { everyNth, runs } from '../support/share.ts';
import { EXPRESSIONS, NAUGHTY, YAML_DOCUMENTS } from './support/corpora.ts';

// Text that is made to break programs, as manifests and as parts of them. Reading it gives a result, never an exception.

const ACME = join(import.meta.dirname, '../../examples/acme');
const EXAMPLE = readdirSync(ACME)
  .map((name) => readFileSync(join(ACME, name), 'utf8'))
  .join('---\n');

/** Returns all texts, or every fourth of them. */
function some(texts: readonly string[]): readonly string[] {
  return IS_FULL ? texts : everyNth(4, texts);
}

/** Loads the text; `refused` has a position in the text. */
function load(text: string): 'loaded' | 'refused' {
  const { desired, problems } = loadManifest([{ file: 'hostile.yaml', text }], {
    references: 'optional',
    resolve: () => null,
    apiVersion: 'v4',
  });
  const lines = text.split(/\r\n|\r|\n/).length;
  for (const { code, message, source } of problems) {
    expect([code, message].every((part) => part.length > 0)).toBe(true);
    if (source !== null)
      expect([source.line >= 1, source.column >= 1, source.line <= lines + 1]).toEqual([true, true, true]);
  }
  expect(desired === null, text.slice(0, 200)).toBe(problems.some(({ severity }) => severity === 'error'));
  return desired === null ? 'refused' : 'loaded';
}

function count(texts: readonly string[]): Readonly<Record<'loaded' | 'refused', number>> {
  const outcomes = texts.map(load);
  const loaded = outcomes.filter((outcome) => outcome === 'loaded').length;
  return { loaded, refused: outcomes.length - loaded };
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '      ');
}

const quoted = (text: string): string => JSON.stringify(text);

describe('the YAML test suite', () => {
  test('as manifests: none of them is one', () => {
    expect(YAML_DOCUMENTS.length).toBeGreaterThan(350);
    const documents = some(YAML_DOCUMENTS);
    expect(count(documents)).toEqual({ loaded: 0, refused: documents.length });
  });

  test('as a section, as the end and as the beginning of a manifest', () => {
    const head = 'version: 1\ndomains:\n  acme.example:\n    aliases:\n';
    for (const text of some(YAML_DOCUMENTS)) {
      load(`${head}${indented(text)}\n`);
      load(`${head}      info: a@corp.example\n${text}`);
      load(`${text}\n${head}      info: a@corp.example\n`);
    }
  });
});

const PLACES: Readonly<Record<string, (text: string) => string>> = {
  'of an alias': (text) => `domains: { acme.example: { aliases: { ${quoted(text)}: a@corp.example } } }`,
  'a destination': (text) => `domains: { acme.example: { aliases: { info: ${quoted(text)} } } }`,
  'a domain': (text) => `domains: { ${quoted(text)}: { aliases: {} } }`,
  'a credential': (text) => `domains: { acme.example: { credentials: { ${quoted(text)}: {} } } }`,
  'the name of a rule': (text) =>
    `domains: { acme.example: { rules: [{ name: ${quoted(text)}, alias: info, forward: a@corp.example }] } }`,
  'an expression': (text) =>
    `domains: { acme.example: { rules: [{ name: x, expression: ${quoted(text)}, forward: a@corp.example }] } }`,
  'a regular expression': (text) =>
    `domains: { acme.example: { rules: [{ name: x, regex: ${quoted(text)}, scopes: [subject], forward: a@corp.example }] } }`,
  'a key': (text) => `${quoted(text)}: 1\ndomains: {}`,
  'a group': (text) => `destinations: { ${quoted(text)}: a@corp.example }\ndomains: {}`,
  'an unquoted text': (text) => `domains:\n  acme.example:\n    aliases:\n      ${text}: ${text}`,
};

describe('the list of naughty strings', () => {
  test.each(Object.entries(PLACES))('as %s', (_, place) => {
    expect(NAUGHTY.length).toBeGreaterThan(450);
    const texts = some(NAUGHTY);
    const { loaded, refused } = count(texts.map((text) => `version: 1\n${place(text)}\n`));
    expect(loaded + refused).toBe(texts.length);
    expect(Object.keys({})).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

test('every expression of the CEL conformance data', () => {
  expect(EXPRESSIONS.length).toBeGreaterThan(1_000);
  const place = PLACES['an expression'] as (text: string) => string;
  const { loaded, refused } = count(some(EXPRESSIONS).map((text) => `version: 1\n${place(text)}\n`));
  expect(loaded).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(loaded);
});

test('a manifest with anything done to it', { timeout: 3_600_000 }, () => {
  const pieces = fc.constantFrom(
    '\t',
    '\0',
    '\u202e',
    '- ',
    ': ',
    '&a ',
    '*a',
    '!!js ',
    '<<: ',
    '{',
    ']',
    '|',
    '"',
    '#',
    '\r',
    '---\n',
    '\ud800',
    'null',
    '?',
    '%',
  );
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(40),
    put: fc.oneof(pieces, fc.string()),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      let text = EXAMPLE;
      for (const { at, cut, put } of edits) {
        const from = Math.floor(at * text.length);
        text = text.slice(0, from) + put + text.slice(from + cut);
      }
      load(text);
    }),
    { numRuns: IS_FULL ? 20_000 : runs(70, 10), seed: SEED },
  );
});

test('the real command ends with 0 or 5', async () => {
  const picked = [
    ...YAML_DOCUMENTS.filter((_, index) => index % 80 === 0),
    `version: 1\n${PLACES['of an alias']?.('__proto__')}\n`,
  ];
  for (const stdin of picked) {
    const { code, stderr } = await fwdsync(['validate', '-f', '-'], { stdin });
    expect(code, stdin + stderr).toBe(load(stdin) === 'loaded' ? 0 : 5);
  }
});
