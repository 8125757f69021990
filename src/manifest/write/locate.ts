import type { Source } from '../../model/problem.ts';
import { entriesOf, valueOf, type Node } from '../read/node.ts';
import type { SourceText } from '../read/text.ts';

/** One thing within a domain's text that can be left out. */
export type Item =
  | { readonly kind: 'setting'; readonly name: string }
  | { readonly kind: 'alias'; readonly name: string }
  | { readonly kind: 'rule'; readonly index: number }
  | { readonly kind: 'credential'; readonly name: string };

/** Finds the item of a domain within which a position lies; null: before all of them. */
export function createLocator(domain: Node, text: SourceText): (source: Source) => Item | null {
  const starts = itemsOfDomain(domain);
  return ({ line, column }) => {
    const offset = (text.lineStarts[line - 1] ?? 0) + column - 1;
    let found: Item | null = null;
    for (const start of starts) {
      if (start.offset > offset) break;
      found = start.item;
    }
    return found;
  };
}

interface Start {
  readonly offset: number;
  readonly item: Item;
}

function itemsOfDomain(domain: Node): readonly Start[] {
  const starts: Start[] = [];
  for (const { key, value } of entriesOf(domain)) {
    if (value.kind === 'text') starts.push({ offset: key.offset, item: { kind: 'setting', name: key.text } });
  }
  for (const { key } of entriesOf(valueOf(domain, 'aliases'))) {
    starts.push({ offset: key.offset, item: { kind: 'alias', name: key.text } });
  }
  const rules = valueOf(domain, 'rules');
  for (const [index, rule] of (rules?.kind === 'list' ? rules.items : []).entries()) {
    starts.push({ offset: rule.offset, item: { kind: 'rule', index } });
  }
  for (const { key } of entriesOf(valueOf(domain, 'credentials'))) {
    starts.push({ offset: key.offset, item: { kind: 'credential', name: key.text } });
  }
  return starts.sort((a, b) => a.offset - b.offset);
}
