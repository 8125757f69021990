import { isAbsolute } from 'node:path';
import type { Destination, ReferenceDocument, References } from '../../../core/model/destinations.ts';
import { destinationDocument, oneOrList, type ShowForward } from '../../../core/model/manifest/manifest-document.ts';

/** Shows all values of a reference as the reference, and notes which values those of a used one are; a part of a list, or a path that is relative elsewhere, as it is. */
export function referenceFinder(
  references: References,
  used: Map<string, readonly string[]> = new Map(),
): ShowForward {
  const byReference = Map.groupBy(references, ([, { shown }]) => shown);
  return (forward) => {
    const left = new Set<string>(forward.toSorted());
    const parts: (string | ReferenceDocument)[] = [];
    for (const { shown, written } of distinct([...left], references)) {
      const values = (byReference.get(shown) ?? []).map(([value]) => value);
      if (!values.every((value) => left.has(value))) continue;
      parts.push(written);
      used.set(shown, values);
      for (const value of values) left.delete(value);
    }
    return oneOrList([...parts, ...[...left].map(destinationDocument)]);
  };
}

/** The references that stand for a value of these forwards, each once. */
export function referencesBehind(
  forwards: Iterable<readonly Destination[]>,
  references: References,
): readonly ReferenceDocument[] {
  if (references.size === 0) return [];
  const values = Iterator.from(forwards).flatMap((forward) => forward.toSorted());
  return distinct(values, references).map(({ written }) => written);
}

/** The references behind these values, each once; none to a path that would lead elsewhere from another directory. */
function distinct(values: Iterable<string>, references: References): readonly WrittenReference[] {
  const found = new Map<string, WrittenReference>();
  for (const value of values) {
    const reference = references.get(value);
    if (reference === undefined || isElsewhere(reference.written)) continue;
    if (!found.has(reference.shown)) found.set(reference.shown, reference);
  }
  return [...found.values()];
}

type WrittenReference = NonNullable<ReturnType<References['get']>>;

function isElsewhere(reference: ReferenceDocument): boolean {
  return 'file' in reference && !isAbsolute(reference.file);
}
