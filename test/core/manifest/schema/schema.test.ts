import { expect, test } from 'vitest';
import { FINDING_CODES } from '../../../../src/core/model/lint/findings.ts';
import schema from '../../../../schemas/manifest.v1.schema.json' with { type: 'json' };

interface Node {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Node>>;
}

const DEFINITIONS = schema.$defs as unknown as Readonly<Record<string, Node>>;

/** Every key that a manifest may have, with the place in the schema. */
function* keysOf(node: unknown, place: string): Generator<readonly [string, Node]> {
  if (typeof node !== 'object' || node === null) return;
  const { properties = {} } = node as Node;
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'object') yield [`${place}.${key}`, value];
  }
  for (const [key, value] of Object.entries(node)) yield* keysOf(value, `${place}/${key}`);
}

function states(node: Node | undefined, keyword: string): boolean {
  if (node === undefined) return false;
  return (
    keyword in node ||
    (node.$ref !== undefined && states(DEFINITIONS[node.$ref.split('/').at(-1) ?? ''], keyword))
  );
}

test('an editor completes the codes that can be silenced', () => {
  const [codes, withEntry] = schema.$defs.silence.anyOf;
  expect(codes?.enum).toEqual(FINDING_CODES);
  expect(withEntry?.pattern).toBe(`^(?:${FINDING_CODES.join('|')})\\s+\\S`);
});

const KEYS = [...keysOf(schema, '')];

test.each(['description', 'examples', 'default'])('every key has its %s', (keyword) => {
  expect(KEYS.length).toBeGreaterThan(50);
  expect(KEYS.filter(([, node]) => !states(node, keyword)).map(([place]) => place)).toEqual([]);
});
