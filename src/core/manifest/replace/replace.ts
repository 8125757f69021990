import { isMap, isSeq, parseAllDocuments, type Document, type Node } from 'yaml';
import type { Desired } from '../../model/desired.ts';
import type { Source } from '../../model/manifest/problem.ts';
import { createSourceText, sourceOf, type ManifestText } from '../read/text.ts';
import { scalarText } from '../update/draft.ts';
import type { Edit } from '../update/edits.ts';
import { editDocument } from './document-edits.ts';
import type { ReplaceTerms } from './plan-replacement.ts';
import { resolved } from './yaml-view.ts';

/** A destination as a manifest writes it, and its replacement. */
export interface DestinationChange {
  readonly source: Source;
  readonly from: string;
  /** null means that it is removed. */
  readonly to: string | null;
}

export interface Replaced {
  /** All texts, including those without a change. */
  readonly texts: readonly ManifestText[];
  readonly changes: readonly DestinationChange[];
  /** Places of destinations to remove that are the only ones. */
  readonly only: readonly Source[];
  /** References whose value is the destination. */
  readonly references: readonly ReferencePlace[];
}

export interface ReferencePlace {
  readonly reference: string;
  readonly source: Source;
}

export interface ReplaceInput {
  readonly texts: readonly ManifestText[];
  readonly references: Desired['references'];
  readonly terms: ReplaceTerms;
}

/** Replaces or removes a destination wherever manifests write it. Every other byte stays as it is. */
export function replaceDestination({ texts, references, terms }: ReplaceInput): Replaced {
  const named = new Set(
    [...references].flatMap(([value, { shown }]) => (terms.isFrom(value) ? [shown] : [])),
  );
  const replaced = texts.map((text) => replaceInText(text, terms, named));
  return {
    texts: replaced.map(({ text }) => text),
    changes: replaced.flatMap(({ changes }) => changes),
    only: replaced.flatMap(({ only }) => only),
    references: replaced.flatMap((one) => one.references),
  };
}

type ReplacedText = Omit<Replaced, 'texts'> & { readonly text: ManifestText };

/** The most rounds. Conflicting edits wait for the next round. */
const MOST_ROUNDS = 100;

function replaceInText(
  manifest: ManifestText,
  terms: ReplaceTerms,
  named: ReadonlySet<string>,
): ReplacedText {
  const { file, text: written } = manifest;
  const before = typeof written === 'string' ? written : Buffer.from(written).toString('utf8');
  if (named.size === 0 && !terms.mayBeIn(before)) {
    return { text: manifest, changes: [], only: [], references: [] };
  }
  const first = editText(file, before, terms, named);
  let { text } = first;
  for (let round = 1, last = before; text !== last && round < MOST_ROUNDS; round += 1) {
    last = text;
    ({ text } = editText(file, text, terms, named));
  }
  return { ...first, text: text === before ? manifest : { file, text } };
}

function editText(
  file: string,
  text: string,
  terms: ReplaceTerms,
  named: ReadonlySet<string>,
): Omit<Replaced, 'texts'> & { readonly text: string } {
  // A byte order mark is not part of the first line.
  const mark = text.startsWith('\uFEFF') ? 1 : 0;
  const within = createSourceText(file, text.slice(mark));
  const sourceAt = (offset: number): Source => sourceOf({ within, offset: offset - mark });
  const edits: Edit[] = [];
  const changes: DestinationChange[] = [];
  const only: Source[] = [];
  const references: ReferencePlace[] = [];
  for (const document of documentsIn(text)) {
    const one = editDocument(document, text, terms);
    for (const edit of one.edits) edits.push(edit);
    for (const { offset, from } of one.changes)
      changes.push({ source: sourceAt(offset), from, to: terms.to });
    only.push(...one.only.map(sourceAt));
    for (const { reference, offset } of referencesIn(document, named.size === 0 ? [] : one.slots)) {
      if (named.has(reference)) references.push({ reference, source: sourceAt(offset) });
    }
  }
  return { text: edited(text, edits), changes, only, references };
}

/** Applies edits in linear time. An edit that overlaps the previous one is left out. */
function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < end) continue;
    parts.push(text.slice(end, edit.start), edit.text);
    ({ end } = edit);
  }
  return parts.join('') + text.slice(end);
}

function documentsIn(text: string): readonly Document.Parsed[] {
  const how = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, keepSourceTokens: true } as const;
  const documents = parseAllDocuments(text, how);
  return Array.isArray(documents) ? documents.filter(({ contents }) => contents !== null) : [];
}

function* referencesIn(
  document: Document.Parsed,
  slots: Iterable<Node>,
): Generator<{ readonly reference: string; readonly offset: number }> {
  for (const slot of slots) {
    const value = resolved(document, slot);
    for (const item of isSeq(value) ? value.items : [value]) {
      const map = resolved(document, item);
      const [only] = isMap(map) ? map.items : [];
      const reference = `{ ${scalarText(only?.key)}: ${scalarText(only?.value)} }`;
      yield { reference, offset: (item as Node).range?.[0] ?? 0 };
    }
  }
}
