import { isAbsolute } from 'node:path';
import type { ReferenceDocument, References } from '../../model/destinations.ts';
import { destinationDocument, oneOrList, type ShowForward } from '../../model/manifest/manifest-document.ts';

/**
 * Returns a function that writes forwards with all values of a reference as the reference. A reference is not used if
 * some of its values are missing or its path is relative. `used` receives the values of each reference that is
 * written.
 */
export function referenceFinder(
  references: References,
  used: Map<string, readonly string[]> = new Map(),
): ShowForward {
  const byReference = Map.groupBy(references, ([, { shown }]) => shown);
  return (forward) => {
    const left = new Set<string>(forward.toSorted());
    const parts: (string | ReferenceDocument)[] = [];
    for (const value of left) {
      const reference = references.get(value);
      if (reference === undefined || isElsewhere(reference.written)) continue;
      const { shown, written } = reference;
      const values = (byReference.get(shown) ?? []).map(([own]) => own);
      if (!values.every((own) => left.has(own))) continue;
      parts.push(written);
      used.set(shown, values);
      for (const own of values) left.delete(own);
    }
    return oneOrList([...parts, ...[...left].map(destinationDocument)]);
  };
}

/** True if the path has another meaning in another directory. */
function isElsewhere(reference: ReferenceDocument): boolean {
  return 'file' in reference && !isAbsolute(reference.file);
}
