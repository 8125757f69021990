import { booleanOf, isNull, numberOf, type Node } from './node.ts';

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
      if (isNull(node)) return null;
      return scalars === 'text' ? node.text : (booleanOf(node) ?? numberOf(node) ?? node.text);
    case 'list':
      return node.items.map((item) => toPlain(item, 'text'));
    case 'map': {
      const plain = Object.create(null) as Record<string, unknown>;
      for (const [key, { value }] of node.entries) {
        const typed = scalars === 'typed' || TYPED_KEYS.has(key);
        plain[key] = toPlain(value, typed ? 'typed' : 'text');
      }
      return plain;
    }
  }
}
