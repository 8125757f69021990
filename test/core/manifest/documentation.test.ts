import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../src/core/manifest/problem-codes.ts';
import { FINDINGS } from '../../../src/core/model/lint/findings.ts';
import { load } from './support/loading.ts';
import schema from '../../../schemas/manifest.v1.schema.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../../..');
const GUIDE = readFileSync(join(ROOT, 'docs/manifest.md'), 'utf8');
const LOOKED_UP = ['docs/manifest-reference.md', 'docs/problems.md']
  .map((page) => readFileSync(join(ROOT, page), 'utf8'))
  .join('\n');

/** The text between a heading and the next one of any level. */
function sectionUnder(heading: string): string {
  const start = LOOKED_UP.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`neither page has the heading ${heading}`);
  return LOOKED_UP.slice(start + heading.length + 2).split(/\n#+ /)[0] ?? '';
}

/** The cells of each row of the table under a heading, the first of them without its backquotes. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const rows = sectionUnder(heading)
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
  );
}

function firstCells(heading: string): readonly string[] {
  return rowsUnder(heading).map(([first = '']) => first);
}

/** `code severity` of each row. */
function codesUnder(heading: string): readonly string[] {
  return rowsUnder(heading).map(([code, severity]) => `${code} ${severity}`);
}

/** Returns the matches of a pattern in the sources of a folder: the groups, joined by a space. */
function matchesIn(folder: string, pattern: RegExp): readonly string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
  const found = texts.flatMap((text) =>
    [...text.matchAll(pattern)].map(([, ...groups]) => groups.reverse().join(' ')),
  );
  return [...new Set(found)];
}

/** `code severity` of the problems that the sources contain. */
const PROBLEM = /severity: '(error|warning)',\s*code: '([a-z-]+)'/g;

describe('keys', () => {
  const HEADINGS: Readonly<Record<string, string>> = {
    api: '### Keys of `api`',
    guards: '### Keys of `guards`',
    allowance: '### Keys of an allowance',
    defaults: '### Keys of `defaults`',
    lint: '### Keys of `lint`',
    delivery: '### Keys of `delivery`',
    template: '### Keys of a template',
    domain: '### Keys of a domain',
    prune: '### Keys of `prune`',
    ignore: '### Keys of `ignore`',
    alias: '### Keys of an alias',
    rule: '### Keys of a rule',
    credential: '### Keys of a credential',
    reference: '### Keys of a reference',
    expectation: '### Keys of an expectation',
  };
  /** A reference instead of a value, which the page describes once. */
  const REFERENCES = new Set(['destinations', 'destination']);
  const maps = Object.entries(schema.$defs)
    .filter(([name, definition]) => 'properties' in definition && !REFERENCES.has(name))
    .map(([name]) => name);

  test('the page describes each map of the schema', () => {
    expect(Object.keys(HEADINGS).sort()).toEqual([...maps].sort());
  });

  test('the keys of a document', () => {
    expect(firstCells('### Keys of a document')).toEqual(Object.keys(schema.properties));
  });

  test.each(Object.entries(HEADINGS))('the keys of %s', (name, heading) => {
    const definition = (schema.$defs as Readonly<Record<string, { readonly properties?: object }>>)[name];
    expect(firstCells(heading)).toEqual(Object.keys(definition?.properties ?? {}));
  });
});

const CODES = [
  '## In the manifest',
  '## Only the account shows it',
  '## In a plan',
  '## Of several manifests',
];

describe('codes', () => {
  test('each error of a manifest', () => {
    const errors = codesUnder('## In the manifest').filter((row) => row.endsWith(' error'));
    expect(errors).toEqual(ERROR_CODES.map((code) => `${code} error`));
  });

  test('each warning and notice, with its severity, in the order of codes', () => {
    const tables = CODES.map(codesUnder);
    const found = tables.flat().filter((row) => !row.endsWith(' error'));
    const codes = Object.entries(FINDINGS).map(([code, severity]) => `${code} ${severity}`);
    expect(found.toSorted()).toEqual(codes.toSorted());
    for (const rows of tables) expect(rows).toEqual(rows.toSorted());
  });

  test('each error that only the account shows', () => {
    const codes = ['src/core/kinds', 'src/core/plan', 'src/engine/apply'].flatMap((folder) =>
      matchesIn(folder, PROBLEM),
    );
    expect(codesUnder('## Only the account shows it')).toEqual([...codes].sort());
  });

  test('each problem of several manifests', () => {
    const codes = new Set([
      ...['src/service', 'src/cli'].flatMap((folder) => matchesIn(folder, PROBLEM)),
      ...matchesIn('src/core/plan', /\bwarn\(\s*'([a-z-]+)'/g).map((code) => `${code} warning`),
    ]);
    expect(codesUnder('## Of several manifests')).toEqual([...codes].sort());
  });

  test('each guard', () => {
    const guards = [
      ...matchesIn('src/core/plan/guards', /guard: '([a-z-]+)'/g),
      ...matchesIn('src/core/plan/guards', /finding\('([a-z-]+)'/g),
    ];
    expect([...new Set(firstCells('## Guards'))].sort()).toEqual([...new Set(guards)].sort());
  });

  test('each says what to do', () => {
    for (const heading of CODES) {
      for (const row of rowsUnder(heading)) {
        expect(row, row[0]).toHaveLength(4);
        expect(row.every((cell) => cell !== '')).toBe(true);
      }
    }
  });
});

describe('examples', () => {
  const examples = [...GUIDE.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => text);

  /** Completes an example, which is a whole manifest or the lines of one domain. */
  function whole(text: string): string {
    if (/^version:/m.test(text)) return text;
    return `version: 1\ndomains:\n  acme.example:\n${text.replaceAll(/^(?=.)/gm, '    ')}`;
  }

  test.each(examples)('%#', (text) => {
    const { problems, desired } = load(whole(text));
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(desired).not.toBeNull();
  });

  test('there are some', () => {
    expect(examples.length).toBeGreaterThan(8);
  });
});
