import { isAbsolute } from 'node:path';
import type { Destination } from '../../model/destinations.ts';
import {
  destinationDocument,
  oneOrList,
  referenceDocument,
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
    return oneOrList([...parts, ...[...left].map(destinationDocument)]);
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

function parseReference(shown: string): ReferenceDocument | null {
  const reference = referenceDocument(shown);
  return reference !== null && 'file' in reference && !isAbsolute(reference.file) ? null : reference;
}
