import { dirname, resolve } from 'node:path';
import type { Reference } from '../model/desired.ts';
import type { LoadOptions } from './context.ts';
import { textOf, valueOf, type Node } from './node.ts';
import { sourceOf } from './text.ts';

/** `{ env: NAME }` or `{ file: PATH }`; null when the node is neither, which the schema has reported. */
export function readReference(node: Node | undefined, options: LoadOptions): Reference | null {
  if (node?.kind !== 'map' || node.entries.size !== 1) return null;
  const env = textOf(valueOf(node, 'env'));
  if (env) return { kind: 'env', name: env, shown: `{ env: ${env} }`, source: sourceOf(node) };
  const file = textOf(valueOf(node, 'file'));
  if (!file) return null;
  const base = node.within.file === '-' ? '.' : dirname(node.within.file);
  const path = resolve(options.cwd ?? '.', base, file);
  return { kind: 'file', path, shown: `{ file: ${file} }`, source: sourceOf(node) };
}

/** Its value: one line break at the end of a file is cut, an empty value counts as not set. */
export function resolveReference(reference: Reference, options: LoadOptions): string | null {
  const value = options.resolve(reference);
  const cut = reference.kind === 'file' ? value?.replace(/\r?\n$/, '') : value;
  return cut === undefined || cut === '' ? null : cut;
}
