import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lexer } from 'yaml';
import { decodeManifest } from '../../src/core/manifest/read/decode.ts';
import type { Node } from '../../src/core/manifest/read/node.ts';
import { composePlainShape } from '../../src/core/manifest/read/plain-shape.ts';
import { parseAnyShape, SHAPE_LIMITS } from '../../src/core/manifest/read/syntax.ts';
import { createSourceText } from '../../src/core/manifest/read/text.ts';
import { createProblemLog } from '../../src/core/manifest/problems.ts';
import { NAUGHTY, YAML_DOCUMENTS } from '../hostile/support/corpora.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

// Large manifests are composed by src/core/manifest/read/plain-shape.ts, all others by the library: both must give the same
// trees, positions and problems for every text.

test('the YAML test suite', () => {
  for (const text of YAML_DOCUMENTS) expectSame(text);
});

test('naughty strings as keys and values, without and with quotes', () => {
  let plain = 0;
  for (const naughty of NAUGHTY) {
    const doubled = naughty.replaceAll("'", "''");
    for (const scalar of [
      naughty,
      `'${doubled}'`,
      `"${naughty}"`,
      `[${naughty}]`,
      `{ a: ${naughty}, b: c }`,
    ]) {
      for (const text of [
        `${scalar}: a\n`,
        `a: ${scalar}\nb: c\n`,
        `a:\n  - ${scalar}\n`,
        `- ${scalar}: b\n  c: d\n`,
      ]) {
        if (expectSame(text) === 'plain') plain += 1;
      }
    }
  }
  expect(plain).toBeGreaterThan(1_000);
});

const MANIFESTS: readonly string[] = [
  ...['minimal', 'acme/acme.example', 'acme/shared', 'agency/templates', 'agency/clients/oak-works'].map(
    (name) => readFileSync(join(import.meta.dirname, `../../examples/${name}.yaml`), 'utf8'),
  ),
  `# All that has the plain shape.
---
a: b # comment
"c d" : e
'f': 'it''s'
"g": "h: # i"
j k: l m # n
empty:
also:   # nothing
o:
  p: q
  r:

    # within
    s: http://t.example/u?v=w#x
  y: [z, 'a', "b", [c], { d: e, f: [] }, {}]
list:
- a
-   b: c
    d:
    - e
    -
      f: g
  # comment
-
- [h] # i
last: ~
---
- a
- b:
`,
  'a: b\r\nc:\r\n  - d # e\r\n  - f: g\r\n\r\n---\r\nh: [i, j]\r\n',
];

const CHARACTERS =
  ' ·\n·\t·:·#·-·?·,·[·]·{·}·&·*·!·|·>·\'·"·%·@·`·~·<·=·.·\\·a·b·0·é·\u{1f4e7}·\u00a0·\u3000·\ufffd';
const PHRASES = ': · #·- ·---\n·...\n·--- a\n·\r\n·\n  ·\n    ·&a ·*a·!t ·|\n·>-\n·<<: ·? h\n·%YAML 1.2\n';
const NODES = "a: b\n·- c\n·[d, e]·{ f: g }·''·\"\"·null·{h}·[i: j]·k: l·\n- m\n·'it''s'";
const PIECES = [CHARACTERS, PHRASES, NODES].flatMap((pieces) => pieces.split('·'));

type Edit = (text: string) => string;

const randomEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...PIECES)).map(([at, cut, piece]): Edit => (text) => {
    const begin = at % (text.length + 1);
    return text.slice(0, begin) + piece + text.slice(begin + cut);
  }),
  fc.tuple(fc.nat(), fc.nat(3)).map(([at, cut]): Edit => (text) => {
    const begin = at % (text.length + 1);
    return text.slice(0, begin) + text.slice(begin + cut);
  }),
  fc.tuple(fc.nat(), fc.constantFrom(...PIECES)).map(([at, piece]) => onLine(at, (line) => [piece + line])),
  fc.nat().map((at) => onLine(at, () => [])),
  fc.nat().map((at) => onLine(at, (line) => [line, line])),
  fc
    .tuple(fc.nat(), fc.nat(8))
    .map(([at, indent]) => onLine(at, (line) => [' '.repeat(indent) + line.trimStart()])),
);

function onLine(at: number, change: (line: string) => readonly string[]): Edit {
  return (text) => {
    const lines = text.split('\n');
    const index = at % lines.length;
    return lines.toSpliced(index, 1, ...change(lines[index] ?? '')).join('\n');
  };
}

test('random edits of manifests', { timeout: 3_600_000 }, () => {
  const seen = { plain: 0, library: 0, refused: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(...MANIFESTS),
      fc.array(randomEdit, { minLength: 1, maxLength: 3 }),
      (manifest, edits) => {
        seen[expectSame(edits.reduce((text, edit) => edit(text), manifest))] += 1;
      },
    ),
    { numRuns: runs(100_000, 200), seed: PROVE_SEED },
  );
  console.info('edited manifests, by who composed them:', seen);
  expect(seen.plain).toBeGreaterThan(seen.library / 5);
});

test.each<[string, (depth: number) => string]>([
  ['maps', (depth) => Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ['lists', (depth) => Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}-`).join('\n')],
  [
    'lists of maps',
    (depth) => Array.from({ length: depth }, (_, level) => `${'  '.repeat(level)}- a:`).join('\n'),
  ],
  ['flow lists', (depth) => `a: ${'['.repeat(depth)}${']'.repeat(depth)}`],
  ['flow maps', (depth) => `a: ${'{ b: '.repeat(depth)}c${' }'.repeat(depth)}`],
])('%s at the limit of nesting', (_, nested) => {
  const composed = Array.from({ length: 40 }, (_, depth) => expectSame(`${nested(depth + 1)}\n`));
  expect(composed[0]).toBe('plain');
  expect(composed.at(-1)).toBe('library');
});

test('a line of many megabytes is for the library', () => {
  const text = `a: ${'b#'.repeat(6_000_000)}\n`;
  expect(composePlainShape(createSourceText('m.yaml', text), SHAPE_LIMITS)).toBe(null);
});

/** The code that composed the text; `refused` means that the decoder refused it first. */
function expectSame(text: string): 'plain' | 'library' | 'refused' {
  const source = decodeManifest({ file: 'm.yaml', text }, createProblemLog());
  if (source === null) return 'refused';
  const nodes = composePlainShape(source, SHAPE_LIMITS);
  if (nodes === null) return 'library';
  const log = createProblemLog();
  const library = parseAnyShape(source, log);
  const given = [nodes.map(flatten), false, []];
  const expected = [library.nodes.map(flatten), library.broken, log.sorted()];
  // Strings compare fast.
  if (JSON.stringify(given) !== JSON.stringify(expected))
    expect({ text, given }).toEqual({ text, given: expected });
  const lexemes = weightOf(text) - 1;
  if (composePlainShape(source, { ...SHAPE_LIMITS, lexemes }) !== null)
    expect.fail(`too few lexemes: ${text}`);
  return 'plain';
}

function weightOf(text: string): number {
  let weight = 0;
  for (const lexeme of new Lexer().lex(text)) weight += lexeme === '---' ? SHAPE_LIMITS.documentWeight : 1;
  return weight;
}

/** Converts a tree to arrays, with entries in their order. */
function flatten(node: Node): unknown {
  const { kind, offset } = node;
  if (kind === 'text') return [offset, node.text, node.plain];
  if (kind === 'list') return [kind, offset, node.items.map(flatten)];
  return [
    kind,
    offset,
    [...node.entries].map(([name, { key, value }]) => [name, flatten(key), flatten(value)]),
  ];
}
