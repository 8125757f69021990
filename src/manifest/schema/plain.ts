import { booleanOf, isNull, numberOf, type MapNode, type Node, type TextNode } from '../read/node.ts';

/** Keys whose values are truth values or numbers; every other scalar is text as written: `007` and `no` stay. */
const TYPED_KEYS: ReadonlySet<string> = new Set([
  'version',
  'active',
  'verify',
  'prune',
  'max_deletes',
  'max_delete_percent',
  'deletes',
  'reroutes',
]);

/** The plain data that a JSON Schema describes. Objects have no prototype, so that every key is only a key. */
export function plainOf(node: Node): unknown {
  return toPlain(node, 'text');
}

function toPlain(node: Node, scalars: 'text' | 'typed'): unknown {
  switch (node.kind) {
    case 'text':
      return isNull(node) ? null : plainScalar(node, scalars);
    case 'list':
      return node.items.map((item) => toPlain(item, 'text'));
    case 'map':
      return plainMap(node, scalars);
  }
}

function plainMap(node: MapNode, scalars: 'text' | 'typed'): unknown {
  const plain = Object.create(null) as Record<string, unknown>;
  for (const [key, { value }] of node.entries) {
    plain[key] = toPlain(value, TYPED_KEYS.has(key) ? 'typed' : scalars);
  }
  return plain;
}

function plainScalar(node: TextNode, scalars: 'text' | 'typed'): unknown {
  if (scalars === 'text') return node.text;
  return booleanOf(node) ?? numberOf(node) ?? node.text;
}
