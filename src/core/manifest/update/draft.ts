import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  parseAllDocuments,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { nameKey, parseDomainName, type DomainName } from '../../model/names.ts';
import type { ManifestText } from '../read/text.ts';
import { applyEdits, type Edit } from './edits.ts';

/** A manifest during editing: its text, its parsed YAML, and the edits so far. */
export interface Draft {
  readonly file: string;
  readonly text: string;
  readonly documents: readonly Document.Parsed[];
  readonly edits: Edit[];
}

export function createDraft({ file, text }: ManifestText): Draft {
  const source = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
  const documents = parseAllDocuments(source, { schema: 'failsafe', uniqueKeys: false, prettyErrors: false });
  return { file, text: source, documents: Array.isArray(documents) ? documents : [], edits: [] };
}

export function finishDraft({ file, text, edits }: Draft): ManifestText {
  return { file, text: edits.length === 0 ? text : applyEdits(text, edits) };
}

/** A key with its value, and its map and document. */
export interface DraftPlace {
  readonly draft: Draft;
  readonly document: Document.Parsed;
  readonly map: YAMLMap;
  readonly pair: Pair;
}

/** Returns the place of each domain. */
export function findDomains(drafts: readonly Draft[]): ReadonlyMap<DomainName, DraftPlace> {
  const places = new Map<DomainName, DraftPlace>();
  for (const place of sectionsOf(drafts, 'domains')) {
    for (const pair of place.map.items) {
      const parsed = parseDomainName(scalarText(pair.key));
      if (parsed.ok) places.set(parsed.value, { ...place, pair });
    }
  }
  return places;
}

/** Returns the maps under a top-level key in all documents, such as `domains`. */
export function sectionsOf(drafts: readonly Draft[], key: string): readonly Omit<DraftPlace, 'pair'>[] {
  return drafts.flatMap((draft) =>
    draft.documents.flatMap((document) => {
      const { contents } = document;
      const map = isMap(contents) ? findPair(contents, key)?.value : undefined;
      return isMap(map) ? [{ draft, document, map }] : [];
    }),
  );
}

/** Returns the pair of this key; keys are compared like names of aliases. */
export function findPair(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => nameKey(scalarText(pair.key)) === nameKey(key));
}

export function scalarText(node: unknown): string {
  return isScalar(node) ? String(node.value) : '';
}

/** Returns the start of a node's content, after its anchor. */
export function startOf(node: unknown): number {
  return (node as Node).range?.[0] ?? 0;
}

/**
 * Returns the end of a node's content. The range of a block collection would include the line break and comments after
 * it.
 */
export function endOf(node: unknown): number {
  if (isPair(node))
    return node.value === null ? endOf(node.key) : Math.max(endOf(node.key), endOf(node.value));
  if (isCollection(node) && node.flow !== true && node.items.length > 0) return endOf(node.items.at(-1));
  return (node as Node | null)?.range?.[1] ?? 0;
}

export function lineStartOf(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the offset after the line break of an offset's line. */
export function nextLineOf(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStartOf(text, offset);
}

/**
 * Returns the offset after the colon of a pair and the anchor of its value. The anchor stays, because others may refer
 * to it.
 */
export function behindAnchor({ text }: Draft, pair: Pair, value: Node | null): number {
  const colon = text.indexOf(':', endOf(pair.key)) + 1;
  const anchor = value === null || isAlias(value) ? undefined : value.anchor;
  return anchor === undefined ? colon : text.indexOf(`&${anchor}`, colon) + anchor.length + 1;
}

/** Returns the place of a key in the map under another key. */
export function placeWithin(
  { draft, document, pair: { value } }: DraftPlace,
  key: string,
): DraftPlace | null {
  const pair = isMap(value) ? findPair(value, key) : undefined;
  return isMap(value) && pair !== undefined ? { draft, document, map: value, pair } : null;
}

/**
 * Replaces a YAML alias by its value, because a value that is written elsewhere cannot be changed here. The next round
 * changes the value. Returns true if the node was an alias.
 */
export function inlineAlias(draft: Draft, document: Document.Parsed, node: unknown): boolean {
  if (!isAlias(node)) return false;
  const target = node.resolve(document);
  if (target === undefined) return false;
  const [start = 0, end = 0] = node.range ?? [];
  draft.edits.push({ start, end, text: inlineText(target, document) });
  return true;
}

/** Writes the value of a node on one line, with its aliases resolved. */
function inlineText(node: unknown, document: Document.Parsed): string {
  return JSON.stringify((node as Node).toJS(document)).replaceAll(/(?<=["\]}]|true|false),(?=["[{])/g, ', ');
}
