import { isAlias, isMap, isScalar, isSeq, visit, type Alias, type Document, type Node } from 'yaml';
import type { TreeView } from '../written.ts';

/** Returns a node, or the target of a YAML alias. */
export function resolved(document: Document.Parsed, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

/** Traverses the nodes of the YAML library; aliases of whole maps and lists are followed. */
export function yamlView(document: Document.Parsed): TreeView<Node> {
  return {
    *entriesOf(node) {
      const map = resolved(document, node);
      if (!isMap<Node, Node | null>(map)) return;
      for (const { key, value } of map.items) {
        const name = resolved(document, key);
        if (isScalar(name) && value !== null) yield { name: String(name.value), key, value };
      }
    },
    itemsOf(node) {
      const list = resolved(document, node);
      return isSeq<Node>(list) ? list.items : [];
    },
  };
}

/** The YAML aliases of a document, and the nodes within brackets. */
export interface DocumentLayout {
  readonly aliases: readonly Alias.Parsed[];
  readonly isInBrackets: (node: unknown) => boolean;
}

export function layoutOf(document: Document.Parsed): DocumentLayout {
  const aliases: Alias.Parsed[] = [];
  const inBrackets = new Set<unknown>();
  visit(document, {
    Alias(_, alias) {
      aliases.push(alias as Alias.Parsed);
    },
    Collection(_, { flow, items }) {
      if (flow !== true) return;
      for (const item of items) {
        inBrackets.add(item);
        if (typeof item === 'object' && item !== null && 'value' in item) inBrackets.add(item.value);
      }
    },
  });
  return { aliases, isInBrackets: (node) => inBrackets.has(node) };
}
