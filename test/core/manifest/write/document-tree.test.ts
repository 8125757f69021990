import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentTree } from '../../../../src/core/manifest/read/document-tree.ts';
import { decodeManifest } from '../../../../src/core/manifest/read/decode.ts';
import { booleanOf, isNull, type Node } from '../../../../src/core/manifest/read/node.ts';
import { parseDocuments } from '../../../../src/core/manifest/read/syntax.ts';
import { createProblemLog } from '../../../../src/core/manifest/problems.ts';
import { writeManifest } from '../../../../src/core/manifest/write/manifest-yaml.ts';
import type {
  DomainDocument,
  ManifestDocument,
} from '../../../../src/core/model/manifest/manifest-document.ts';
import type { AbsentDocument, ForwardDocument } from '../../../../src/core/model/resources.ts';
import { runs } from '../../../support/share.ts';

// A document is checked as data and then written. Reading the text must give the same data.

function documentOf(domain: DomainDocument): ManifestDocument {
  return { version: 1, comments: ['a # comment'], domains: new Map([['acme.example', domain]]) };
}

/** Content of a tree, without positions. */
function meaningOf(node: Node | undefined): unknown {
  switch (node?.kind) {
    case undefined:
      return undefined;
    case 'text':
      return { text: node.text, null: isNull(node), boolean: booleanOf(node) };
    case 'list':
      return node.items.map(meaningOf);
    case 'map':
      return [...node.entries].map(([key, { value }]) => [key, meaningOf(value)]);
  }
}

function written(document: ManifestDocument): Node | undefined {
  const log = createProblemLog();
  const source = decodeManifest({ file: 'm.yaml', text: writeManifest(document) }, log);
  const { nodes = [] } = source === null ? {} : parseDocuments(source, log);
  expect(log.sorted()).toEqual([]);
  return nodes[0];
}

const HARD = [
  '<<',
  '*',
  '~',
  'null',
  'yes',
  '007',
  '1e3',
  '',
  ' a',
  'a ',
  '- a',
  'a: b',
  '#',
  '"',
  "'",
  '\t',
  '{}',
];
const LINES = [
  'a\nb',
  'a\r\nb',
  'a\rb',
  '\n',
  'a\n',
  '\n\na\n\n',
  ' a\n  b\n',
  'a\n\tb',
  'a \nb',
  '# a\nb',
  'a\\\nb',
];
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(...HARD, ...LINES, 'x', ',', ']', '}', '&', '!', '%', '@', '`', '|', '>'),
  }),
);

describe('a written document is read as the same tree', () => {
  test.each([...HARD, ...LINES])('%j', (hard) => {
    const document = documentOf({
      whitelabel: hard,
      aliases: new Map<string, ForwardDocument | AbsentDocument>([
        ['a', hard],
        ['b', [hard, { env: hard }]],
        [hard.replaceAll(/[\r\n]/g, ''), { state: 'absent' }],
      ]),
      rules: [{ name: hard, scopes: [hard], expression: hard, active: false }],
      credentials: new Map([['c', {}]]),
    });
    const { tree } = documentTree(document, createProblemLog());
    expect(meaningOf(written(document))).toEqual(meaningOf(tree));
  });

  test('of any text', () => {
    const one = fc.record({ name: text, value: text, expression: text });
    fc.assert(
      fc.property(one, ({ name, value, expression }) => {
        const document = documentOf({
          aliases: new Map([[name, [value, value]]]),
          rules: [{ name: value, expression }],
        });
        const log = createProblemLog();
        const { tree } = documentTree(document, log);
        // Refused documents are not written.
        fc.pre(log.errorCount() === 0);
        expect(meaningOf(written(document))).toEqual(meaningOf(tree));
      }),
      { numRuns: runs(2000, 300) },
    );
  });
});
