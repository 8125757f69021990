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

/** Source of restored items, which are in no manifest. No output shows this place. */
export const NOWHERE: Source = { file: 'undo', line: 1, column: 1 };

/** Texts as they were. A concealed text is included only if its reference still has that value. */
export interface OldValues {
  /** Returns the text, or the concealed text if its value is not kept. */
  readonly reveal: (text: KeptText) => Result<string, ConcealedText>;
  /** References to show in place of their values, by normalised value. */
  readonly references: ReadonlyMap<string, Reference>;
}

/** Reads the references that stood for earlier values. A value counts only if its fingerprint matches. */
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

/**
 * Returns null for a text that is more than a reference, and for a path that leads elsewhere from another directory.
 */
function referenceOf(shown: string): Reference | null {
  const written = referenceDocument(shown);
  if (written === null) return null;
  const place = { written, shown, source: NOWHERE };
  if ('env' in written) return { ...place, kind: 'env', name: written.env };
  return isAbsolute(written.file) ? { ...place, kind: 'file', path: written.file, below: null } : null;
}

/** Returns the concealed texts in a kept value. */
function concealedIn(kept: unknown): readonly ConcealedText[] {
  if (typeof kept !== 'object' || kept === null) return [];
  return 'print' in kept ? [kept as ConcealedText] : Object.values(kept).flatMap(concealedIn);
}
