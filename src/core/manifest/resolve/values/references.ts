import { dirname, isAbsolute, resolve } from 'node:path';
import type { ReferenceValue } from '../../../model/desired.ts';
import type { Reference, ReferenceDocument } from '../../../model/destinations.ts';
import type { Source } from '../../../model/manifest/problem.ts';
import type { LoadOptions } from '../context.ts';
import { textOf, valueOf, type Node } from '../../read/node.ts';
import { sourceOf } from '../../read/text.ts';

/** Reads `{ env: NAME }` or `{ file: PATH }`. Returns null if the node is neither, which the schema has reported. */
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

/** Creates a reference; `source` is the place where it is written. */
export function referenceTo(written: ReferenceDocument, source: Source, cwd: string): Reference {
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

/** Describes why the value must not be used; null if it is not set or usable. */
export function refusalOf({ shown }: Reference, value: ReferenceValue): string | null {
  return value === null || typeof value === 'string' ? null : `${shown} cannot be used: ${value.refused}`;
}
