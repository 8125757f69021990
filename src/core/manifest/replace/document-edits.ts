import { isAlias, isScalar, isSeq, type Alias, type Document, type Node } from 'yaml';
import { inlineAlias, type Draft } from '../update/draft.ts';
import type { Edit } from '../update/edits.ts';
import { flowText } from '../update/value-text.ts';
import { planReplacement, type ReplacementPlan, type ReplaceTerms } from './plan-replacement.ts';
import { removalsFrom } from './remove-items.ts';
import { createNeedsQuotes, textInStyle } from './scalar-text.ts';
import { layoutOf, resolved } from './yaml-view.ts';

/** The edits of a document and the destinations that they change; places are offsets in the text. */
export interface DocumentEdits {
  readonly edits: readonly Edit[];
  readonly changes: readonly { readonly offset: number; readonly from: string }[];
  /** Offsets of destinations to remove that are the only ones. */
  readonly only: readonly number[];
  /** The values at all places of destinations. */
  readonly slots: Iterable<Node>;
}

export function editDocument(document: Document.Parsed, text: string, terms: ReplaceTerms): DocumentEdits {
  const { aliases, isInBrackets } = layoutOf(document);
  const plan = planReplacement(document, aliases, terms);
  const draft: Draft = { file: '', text, documents: [document], edits: [] };
  const editing: Editing = { document, terms, plan, draft, isInBrackets };
  const quotes = { flow: createNeedsQuotes('flow'), block: createNeedsQuotes('block') };
  for (const scalar of plan.edited) {
    const [start, end] = rangeOf(scalar);
    const written = text.slice(start, end);
    const needsQuotes = quotes[surroundingOf(scalar, editing)];
    draft.edits.push({ start, end, text: textInStyle(scalar, written, terms.to ?? '', needsQuotes) });
  }
  for (const [list, places] of Map.groupBy(plan.removed.values(), ({ list }) => list)) {
    draft.edits.push(...removalsFrom(text, list, new Set(places.map(({ index }) => index))));
  }
  const touched = touchedBy(plan);
  for (const alias of aliases) editAlias(alias, touched, editing);
  return {
    edits: draft.edits,
    changes: changesOf(document, plan),
    only: [...plan.only].map((node) => rangeOf(node)[0]),
    slots: plan.slots,
  };
}

interface Editing {
  readonly document: Document.Parsed;
  readonly terms: ReplaceTerms;
  readonly plan: ReplacementPlan;
  readonly draft: Draft;
  readonly isInBrackets: (node: unknown) => boolean;
}

/** Returns the nodes whose text changes or is removed, with their lists. */
function touchedBy({ edited, removed, own }: ReplacementPlan): ReadonlySet<unknown> {
  const nodes = new Set<unknown>([...edited, ...removed.keys()]);
  const lists = [...own].filter((node) => isSeq(node) && node.items.some((item) => nodes.has(item)));
  return new Set([...nodes, ...lists]);
}

/**
 * Edits a YAML alias that is a destination or refers to one. If its target is outside the destinations, the alias is
 * replaced by the new text. If its target changes but the alias is not a destination, the alias is replaced by the old
 * text. An alias of a list is written out, and the next round changes it.
 */
function editAlias(alias: Alias.Parsed, touched: ReadonlySet<unknown>, editing: Editing): void {
  const { document, plan, draft } = editing;
  const target = resolved(document, alias);
  if (target === undefined || plan.removed.has(alias)) return;
  if (!plan.aliases.has(alias)) {
    if (touched.has(target)) inlineAlias(draft, document, alias);
  } else if (!plan.own.has(target as Node)) editForeign(alias, target, editing);
}

/** Edits an alias that is a destination while its target is not. */
function editForeign(
  alias: Alias.Parsed,
  target: unknown,
  { document, terms, draft, isInBrackets }: Editing,
): void {
  const isOld = (node: unknown): boolean => isScalar(node) && terms.isFrom(String(node.value));
  if (isSeq(target) && target.items.some((item) => isOld(resolved(document, item)))) {
    inlineAlias(draft, document, alias);
  } else if (terms.to !== null && isOld(target)) {
    const [start, end] = rangeOf(alias);
    draft.edits.push({ start, end, text: flowText(terms.to, isInBrackets(alias) ? 'flow' : 'block') });
  }
}

/** Returns the changed destinations. If a YAML alias refers to a changed destination, only the target counts. */
function changesOf(
  document: Document.Parsed,
  { found, removed, own }: ReplacementPlan,
): DocumentEdits['changes'] {
  return [...found].flatMap((node) => {
    const scalar = resolved(document, node);
    if (!isScalar(scalar) || (isAlias(node) && !removed.has(node) && own.has(scalar))) return [];
    return [{ offset: rangeOf(node)[0], from: String(scalar.value) }];
  });
}

function surroundingOf(node: Node, { isInBrackets }: Editing): 'flow' | 'block' {
  return isInBrackets(node) ? 'flow' : 'block';
}

function rangeOf(node: Node): readonly [number, number] {
  const [start = 0, end = 0] = node.range ?? [];
  return [start, end];
}
