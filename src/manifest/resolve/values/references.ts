import { dirname, isAbsolute, resolve } from 'node:path';
import type { ReferenceValue } from '../../../model/desired.ts';
import type { Reference } from '../../../model/destinations.ts';
import type { LoadOptions, NeededReferences } from '../context.ts';
import { entriesOf, textOf, valueOf, type Node } from '../../read/node.ts';
import { sourceOf } from '../../read/text.ts';

/** `{ env: NAME }` or `{ file: PATH }`; null when the node is neither, which the schema has reported. */
export function readReference(
  node: Node | undefined,
  { cwd = '.' }: Pick<LoadOptions, 'cwd'>,
): Reference | null {
  if (node?.kind !== 'map' || node.entries.size !== 1) return null;
  const env = textOf(valueOf(node, 'env'));
  const source = sourceOf(node);
  if (env) return { kind: 'env', name: env, written: { env }, shown: `{ env: ${env} }`, source };
  const file = textOf(valueOf(node, 'file'));
  if (!file) return null;
  const directory = resolve(cwd, node.within.file === '-' ? '.' : dirname(node.within.file));
  return {
    kind: 'file',
    path: resolve(directory, file),
    below: isAbsolute(file) ? null : directory,
    written: { file },
    shown: `{ file: ${file} }`,
    source,
  };
}

/** In words, why there is no value to be used; null: it is not set, or there is one. */
export function refusalOf({ shown }: Reference, value: ReferenceValue): string | null {
  return value === null || typeof value === 'string' ? null : `${shown} cannot be used: ${value.refused}`;
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
  return { key: keys.find((key) => key !== null) ?? null, others };
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
