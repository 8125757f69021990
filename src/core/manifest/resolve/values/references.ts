import { dirname, isAbsolute, resolve } from 'node:path';
import type { ReferenceValue } from '../../../model/desired.ts';
import type { Reference, ReferenceDocument } from '../../../model/destinations.ts';
import type { Source } from '../../../model/manifest/problem.ts';
import type { LoadOptions, NeededReferences } from '../context.ts';
import { entriesOf, textOf, valueOf, type Node } from '../../read/node.ts';
import { sourceOf, type ManifestText } from '../../read/text.ts';

/** `{ env: NAME }` or `{ file: PATH }`; null when the node is neither, which the schema has reported. */
export function readReference(
  node: Node | undefined,
  { cwd = '.' }: Pick<LoadOptions, 'cwd'>,
): Reference | null {
  if (node?.kind !== 'map' || node.entries.size !== 1) return null;
  const source = sourceOf(node);
  const env = textOf(valueOf(node, 'env'));
  if (env) return referenceTo({ env }, source, cwd);
  const file = textOf(valueOf(node, 'file'));
  return file ? referenceTo({ file }, source, cwd) : null;
}

/** `source` is where it is written. */
function referenceTo(written: ReferenceDocument, source: Source, cwd: string): Reference {
  if ('env' in written)
    return { kind: 'env', name: written.env, written, shown: `{ env: ${written.env} }`, source };
  const { file } = written;
  const directory = resolve(cwd, source.file === '-' ? '.' : dirname(source.file));
  return {
    kind: 'file',
    path: resolve(directory, file),
    below: isAbsolute(file) ? null : directory,
    written,
    shown: `{ file: ${file} }`,
    source,
  };
}

/** In words, why there is no value to be used; null: it is not set, or there is one. */
export function refusalOf({ shown }: Reference, value: ReferenceValue): string | null {
  return value === null || typeof value === 'string' ? null : `${shown} cannot be used: ${value.refused}`;
}

/** The section `api` in block style, with what is indented below it. */
const API = /^["']?api["']?[ \t]*:.*(?:\n(?:[ \t].*|#.*|\r)?)*/gm;
const KEY =
  /\bkey["']?\s*:\s*(?:[&!]\S+\s+)?(?:#.*\s+)?(?:\{\s*)?["']?(env|file)["']?\s*:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s,}#]+))/g;

/** The references that a text seems to have in `api.key`, where it cannot be parsed or is no manifest. */
export function keysInText({ file, text }: ManifestText, cwd = '.'): readonly Reference[] {
  const decoded = typeof text === 'string' ? text : new TextDecoder().decode(text);
  const sections = decoded.match(API) ?? [decoded];
  return sections.flatMap((section) =>
    Array.from(section.matchAll(KEY), ([, kind, double, single, plain]) => {
      const value = double ?? single ?? plain ?? '';
      return referenceTo(
        kind === 'env' ? { env: value } : { file: value },
        { file, line: 1, column: 1 },
        cwd,
      );
    }),
  );
}

/** The references whose values loading these documents needs: of passwords only where they are checked. */
export function referencesIn(
  documents: readonly Node[],
  options: Pick<LoadOptions, 'cwd' | 'references'>,
): NeededReferences {
  const keys = documents.map((document) => readReference(valueOf(valueOf(document, 'api'), 'key'), options));
  const others: Reference[] = [];
  for (const document of documents) {
    collectBelow(valueOf(document, 'destinations'), options, others);
    for (const owners of [valueOf(document, 'templates'), valueOf(document, 'domains')]) {
      for (const { value } of entriesOf(owners)) collectOf(value, options, others);
    }
  }
  return { keys: keys.filter((key) => key !== null), others };
}

/** Of a domain or template. */
function collectOf(owner: Node, options: Pick<LoadOptions, 'cwd' | 'references'>, found: Reference[]): void {
  for (const { key, value } of entriesOf(owner)) {
    if (key.text !== 'credentials' || options.references !== 'required') collectBelow(value, options, found);
  }
}

/** The names of entries are no keys of a reference. */
function collectBelow(node: Node | undefined, options: Pick<LoadOptions, 'cwd'>, found: Reference[]): void {
  if (node?.kind === 'list') for (const item of node.items) collect(item, options, found);
  for (const { value } of entriesOf(node)) collect(value, options, found);
}

function collect(node: Node, options: Pick<LoadOptions, 'cwd'>, found: Reference[]): void {
  if (node.kind === 'text') return;
  const reference = readReference(node, options);
  if (reference === null) collectBelow(node, options, found);
  else found.push(reference);
}
