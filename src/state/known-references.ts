import { createHmac } from 'node:crypto';

/**
 * Values that came from references, as salted fingerprints without case, each with how it is shown; the latest first. A value
 * that somebody writes out later, or that the account still has, is recognised by it.
 */
export type KnownReferences = ReadonlyMap<string, string>;

const KIND = 'fwdsync/references@1';
const MOST_KEPT = 10_000;

/** Of a short text of which there are few, and so guessable by who has the salt: the directory is its owner's alone. */
export function fingerprintValue(value: string, salt: Uint8Array): string {
  return createHmac('sha256', salt).update(value.normalize('NFC').toLowerCase()).digest('base64');
}

/** What is known with these values, normalised value -> how it is shown. */
export function withReferences(
  known: KnownReferences,
  references: ReadonlyMap<string, string>,
  salt: Uint8Array,
): KnownReferences {
  const latest = [...references].filter(([value, shown]) => !isPlaceholder(value, shown));
  const fresh = latest.map(([value, shown]) => [fingerprintValue(value, salt), shown] as const);
  const names = new Set(fresh.map(([fingerprint]) => fingerprint));
  return new Map([...fresh, ...[...known].filter(([print]) => !names.has(print))].slice(0, MOST_KEPT));
}

/** Which of these values came from a reference, and from which. */
export function recognise(
  known: KnownReferences,
  values: Iterable<string>,
  salt: Uint8Array,
): ReadonlyMap<string, string> {
  const recognised = new Map<string, string>();
  for (const value of new Set(values)) {
    const shown = known.get(fingerprintValue(value, salt));
    if (shown !== undefined) recognised.set(value, shown);
  }
  return recognised;
}

/** Equal memories give equal text. */
export function writeKnownReferences(known: KnownReferences): string {
  return `${JSON.stringify({ kind: KIND, references: [...known] })}\n`;
}

/** Null for anything that this version did not write whole. */
export function readKnownReferences(text: string): KnownReferences | null {
  try {
    const value = JSON.parse(text) as { readonly kind?: unknown; readonly references?: unknown } | null;
    if (value?.kind !== KIND || !Array.isArray(value.references)) return null;
    const pairs = value.references as readonly unknown[];
    return pairs.every(isPair) ? new Map(pairs) : null;
  } catch {
    return null;
  }
}

/** A reference that no entry needs and that is not set stands for itself. */
function isPlaceholder(value: string, shown: string): boolean {
  return value === shown.replaceAll(',', ';');
}

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}
