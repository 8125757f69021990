import { booleanOf, isNull, numberOf, type MapNode, type Node, type TextNode } from '../read/node.ts';
import { KINDS, ALL_KINDS } from '../../kinds/registry.ts';

/** Keys whose values are booleans or numbers. Every other scalar is text as written: `007` and `no` stay. */
const TYPED_KEYS: ReadonlySet<string> = new Set([
  'version',
  'verify',
  'prune',
  'max_deletes',
  'max_delete_percent',
  'deletes',
  'reroutes',
  'after',
  ...ALL_KINDS.flatMap((kind) =>
    Object.entries(KINDS[kind].fields).flatMap(([name, { codec }]) => (codec.isFlag ? [name] : [])),
  ),
]);

/** The position of a node; `names` is a map from names to destinations. */
type Standing = 'document' | 'owners' | 'owner' | 'names' | 'inside';

const STANDING_BELOW: Readonly<Record<Standing, (key: string) => Standing>> = {
  document: (key) =>
    key === 'destinations' ? 'names' : ['domains', 'templates'].includes(key) ? 'owners' : 'inside',
  owners: () => 'owner',
  owner: (key) => (key === 'aliases' ? 'names' : 'inside'),
  names: () => 'inside',
  inside: () => 'inside',
};

/**
 * Returns the plain data that a JSON Schema validates. Aliases and groups that are a text or a list of texts are left
 * out, because the schema always accepts them, and they are nearly all of a large manifest. Objects have no prototype,
 * so that every key is only a key.
 */
export function plainOf(document: Node): unknown {
  return toPlain(document, 'text', 'document');
}

function toPlain(node: Node, scalars: 'text' | 'typed', standing: Standing): unknown {
  switch (node.kind) {
    case 'text':
      return isNull(node) ? null : plainScalar(node, scalars);
    case 'list':
      return node.items.map((item) => toPlain(item, 'text', 'inside'));
    case 'map':
      return plainMap(node, scalars, standing);
  }
}

function plainMap(node: MapNode, scalars: 'text' | 'typed', standing: Standing): unknown {
  const plain = Object.create(null) as Record<string, unknown>;
  for (const [key, { value }] of node.entries) {
    if (standing === 'names' && isDestinations(value) && !TYPED_KEYS.has(key)) continue;
    const isTyped = TYPED_KEYS.has(key);
    plain[key] = toPlain(value, isTyped ? 'typed' : scalars, STANDING_BELOW[standing](key));
  }
  return plain;
}

function isDestinations(node: Node): boolean {
  return node.kind === 'list'
    ? node.items.length > 0 && node.items.every(isDestination)
    : isDestination(node);
}

function isDestination(node: Node): boolean {
  return node.kind === 'text' && node.text !== '' && !isNull(node);
}

function plainScalar(node: TextNode, scalars: 'text' | 'typed'): unknown {
  if (scalars === 'text') return node.text;
  return booleanOf(node) ?? numberOf(node) ?? node.text;
}
