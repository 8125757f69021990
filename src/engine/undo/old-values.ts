import { isAbsolute } from 'node:path';
import type { ResolvePassword } from '../apply/send/passwords.ts';
import {
  decodeForward,
  referenceDocument,
  type Destination,
  type Reference,
} from '../../core/model/destinations.ts';
import type { ConcealedText, KeptText } from '../../core/model/history/entries.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import type { Print } from '../../core/fields/codec.ts';
import type { RunItem } from './run-items.ts';

/** What is put back is in no manifest; no output shows this place. */
export const NOWHERE: Source = { file: 'undo', line: 1, column: 1 };

/** Texts as they were: those behind references, where the references still have those values. */
export interface OldValues {
  /** The text, or the one that is not kept. */
  readonly reveal: (text: KeptText) => Result<string, ConcealedText>;
  /** What stands for the values of these references, by normalised value. */
  readonly references: ReadonlyMap<string, Reference>;
}

/** Reads the references that stand for what items were before; a value counts only by its fingerprint. */
export async function readOldValues(
  items: readonly RunItem[],
  { print, resolve }: { readonly print: Print; readonly resolve: ResolvePassword },
): Promise<OldValues> {
  const concealed = items.flatMap(({ original }) => concealedIn(original));
  const wanted = new Set(concealed.map((text) => text.print));
  const values = new Map<string, Destination>();
  const references = new Map<string, Reference>();
  for (const shown of new Set(concealed.map((text) => text.shown))) {
    const reference = referenceOf(shown);
    const value = reference === null ? null : await resolve(reference);
    if (reference === null || typeof value !== 'string') continue;
    for (const destination of decodeForward(value)) {
      const own = print?.(destination);
      if (own === undefined || !wanted.has(own)) continue;
      values.set(own, destination);
      references.set(destination, reference);
    }
  }
  return {
    references,
    reveal(text) {
      if (typeof text === 'string') return succeed(text);
      const value = values.get(text.print);
      return value === undefined ? fail(text) : succeed(value);
    },
  };
}

/** Null of a text that is more than a reference, and of a path that leads elsewhere from another directory. */
function referenceOf(shown: string): Reference | null {
  const written = referenceDocument(shown);
  if (written === null) return null;
  const place = { written, shown, source: NOWHERE };
  if ('env' in written) return { ...place, kind: 'env', name: written.env };
  return isAbsolute(written.file) ? { ...place, kind: 'file', path: written.file, below: null } : null;
}

/** The texts of a kept value that are concealed. */
function concealedIn(kept: unknown): readonly ConcealedText[] {
  if (typeof kept !== 'object' || kept === null) return [];
  return 'print' in kept ? [kept as ConcealedText] : Object.values(kept).flatMap(concealedIn);
}
