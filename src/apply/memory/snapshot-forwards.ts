import { isAbsolute } from 'node:path';
import { DISCARD, type Destination } from '../../model/destinations.ts';
import {
  forwardDocument,
  type ForwardDocument,
  type ReferenceDocument,
  type ShowForward,
} from '../../model/manifest-document.ts';

/** Shows all values of a reference as the reference; a part of a list, or a path that is relative elsewhere, as it is. */
export function referenceFinder(references: ReadonlyMap<string, string>): ShowForward {
  const byReference = Map.groupBy(references, ([, shown]) => shown);
  return (forward) => {
    const left = new Set<string>(forward.toSorted());
    const parts: (string | ReferenceDocument)[] = [];
    for (const shown of new Set([...left].map((value) => references.get(value)))) {
      const reference = shown === undefined ? null : parseReference(shown);
      const values = (byReference.get(shown ?? '') ?? []).map(([value]) => value);
      if (reference === null || !values.every((value) => left.has(value))) continue;
      parts.push(reference);
      for (const value of values) left.delete(value);
    }
    return parts.length === 0 ? forwardDocument(forward) : join([...parts, ...[...left].map(plain)]);
  };
}

/** The references that stand for a value of these forwards, each once. */
export function referencesBehind(
  forwards: Iterable<readonly Destination[]>,
  references: ReadonlyMap<string, string>,
): readonly ReferenceDocument[] {
  if (references.size === 0) return [];
  const shown = new Set<string>();
  for (const forward of forwards) {
    for (const value of forward.toSorted()) shown.add(references.get(value) ?? '');
  }
  return [...shown].map(parseReference).filter((reference) => reference !== null);
}

function plain(destination: string): string {
  return destination === DISCARD ? 'discard' : destination;
}

function join(parts: readonly (string | ReferenceDocument)[]): ForwardDocument {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : parts;
}

function parseReference(shown: string): ReferenceDocument | null {
  const [, kind, value] = /^\{ (env|file): (.+) \}$/.exec(shown) ?? [];
  if (value === undefined) return null;
  if (kind === 'env') return { env: value };
  return isAbsolute(value) ? { file: value } : null;
}
