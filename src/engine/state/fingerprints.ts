import { createHmac, scrypt } from 'node:crypto';
import { referenceDocument, type References } from '../../core/model/destinations.ts';

/** Cost of one fingerprint: about 10 ms and 4 MiB, so that guessing passwords from a stolen state directory is expensive. */
const SCRYPT = { N: 4096, r: 8, p: 1 } as const;
const BYTES = 24;
const MOST_REFERENCES = 10_000;

/** Returns a function that computes password fingerprints with one salt. Each password is computed once per process. */
export function createFingerprinter(salt: Uint8Array): (password: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (password) => {
    const key = createHmac('sha256', salt).update(password).digest('base64');
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = derive(password, salt);
    known.set(key, made);
    return made;
  };
}

function derive(password: string, salt: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, BYTES, SCRYPT, (error, bytes) => {
      if (error === null) resolve(`scrypt:${bytes.toString('base64')}`);
      else reject(error);
    });
  });
}

/**
 * Values that came from references: salted fingerprints, ignoring case, each with its shown form, the latest first. They
 * identify a value that is later written literally or is still in the account.
 */
type KnownReferences = ReadonlyMap<string, string>;

/** Returns the known references with these values added. */
export function withReferences(
  known: KnownReferences,
  references: References,
  salt: Uint8Array,
): KnownReferences {
  // A reference that no entry needs and that is not set is shown as itself.
  const latest = [...references].filter(([value, { shown }]) => value !== shown);
  const fresh = latest.map(([value, { shown }]) => [fingerprintValue(value, salt), shown] as const);
  const names = new Set(fresh.map(([fingerprint]) => fingerprint));
  return new Map([...fresh, ...[...known].filter(([print]) => !names.has(print))].slice(0, MOST_REFERENCES));
}

/** Returns the values that came from a reference, each with its reference. */
export function recognise(known: KnownReferences, values: Iterable<string>, salt: Uint8Array): References {
  const recognised = new Map<string, NonNullable<ReturnType<References['get']>>>();
  for (const value of new Set(values)) {
    const shown = known.get(fingerprintValue(value, salt));
    const written = referenceDocument(shown ?? '');
    if (shown !== undefined && written !== null) recognised.set(value, { shown, written });
  }
  return recognised;
}

/**
 * Returns the fingerprint of a value. Anyone with the salt can guess a short text, but only the owner can read the
 * directory.
 */
export function fingerprintValue(value: string, salt: Uint8Array): string {
  return createHmac('sha256', salt).update(value.normalize('NFC').toLowerCase()).digest('base64');
}
