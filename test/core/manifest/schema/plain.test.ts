import type { ErrorObject } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createProblemLog } from '../../../../src/core/manifest/problems.ts';
import { booleanOf, isNull, numberOf, type Node } from '../../../../src/core/manifest/read/node.ts';
import { parseDocuments } from '../../../../src/core/manifest/read/syntax.ts';
import { createSourceText } from '../../../../src/core/manifest/read/text.ts';
import { plainOf } from '../../../../src/core/manifest/schema/plain.ts';
import { compileShape } from '../../../../src/core/manifest/schema/shape.ts';

const TYPED = new Set(
  'version active verify prune max_deletes max_delete_percent deletes reroutes after'.split(' '),
);

/** Values with the texts that `plainOf` omits. */
function wholeOf(node: Node, typed: 'text' | 'typed' = 'text'): unknown {
  if (isNull(node)) return null;
  if (node.kind === 'text')
    return (typed === 'typed' ? (booleanOf(node) ?? numberOf(node)) : undefined) ?? node.text;
  if (node.kind === 'list') return node.items.map((item) => wholeOf(item));
  const entries = [...node.entries].map(([key, { value }]) => [
    key,
    wholeOf(value, TYPED.has(key) ? 'typed' : typed),
  ]);
  return Object.fromEntries(entries) as unknown;
}

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom('x', '', null, 1, true, 'x', 'absent'),
    fc.array(tie('tree'), { maxLength: 2 }),
    mapOf(tie('tree')),
    mapOf(tie('tree')),
  ),
}));

function mapOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const names =
    'aliases domains templates destinations credentials rules ignore prune verify env state a.example a b';
  return fc.dictionary(fc.constantFrom(...names.split(' ')), values, { maxKeys: 4, noNullPrototype: true });
}

const document = fc.record(
  {
    version: fc.constant(1),
    domains: fc.dictionary(
      fc.constantFrom('a.example', 'aliases'),
      fc.record({ aliases: mapOf(tree), ignore: tree }),
    ),
    templates: fc.dictionary(
      fc.constantFrom('a', 'aliases'),
      fc.record({ aliases: mapOf(tree), credentials: mapOf(tree) }),
    ),
    destinations: mapOf(tree),
    other: tree,
  },
  { requiredKeys: ['version'], noNullPrototype: true },
);

test('the schema finds the same faults without the texts that are left out', () => {
  const validate = compileShape();
  const faultsOf = (data: unknown): readonly string[] => {
    validate(data);
    return (validate.errors ?? []).map(({ instancePath, keyword, params }: ErrorObject) =>
      JSON.stringify([instancePath, keyword, params]),
    );
  };
  let left = 0;
  fc.assert(
    fc.property(document, (written) => {
      const source = createSourceText('m.yaml', `${JSON.stringify(written, null, 1)}\n`);
      const [node] = parseDocuments(source, createProblemLog()).nodes;
      if (node === undefined) throw new Error('no document');
      const [plain, whole] = [plainOf(node), wholeOf(node)];
      if (JSON.stringify(plain) !== JSON.stringify(whole)) left += 1;
      expect(faultsOf(plain)).toEqual(faultsOf(whole));
    }),
    { numRuns: 1_000 },
  );
  expect(left).toBeGreaterThan(300);
});
