import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { References } from '../../core/model/destinations.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { readKnownReferences, writeKnownReferences } from './documents.ts';
import { readText, writeAtomically } from './files.ts';
import { createFingerprinter, fingerprintValue, recognise, withReferences } from './fingerprints.ts';
import type { OwnFiles } from './own-files.ts';
import type { RecogniseReferences, StateFault, StateStore } from './store.ts';

const SALT_BYTES = 32;

/** The directory of an account, for what is remembered of its secret values. */
interface Scope {
  readonly place: string;
  readonly files: OwnFiles;
}

export async function rememberReferences(
  scope: Scope,
  references: References,
): Promise<Result<void, StateFault>> {
  const salt = await openSalt(scope);
  if (salt === null) return fail({ message: `${join(scope.place, 'salt')} cannot be read or written` });
  const before = await readReferences(scope);
  const text = writeKnownReferences(withReferences(before ?? new Map(), references, salt));
  if (before !== null && text === writeKnownReferences(before)) return succeed(undefined);
  return writeAtomically(scope.files, referencesPath(scope), text);
}

export async function openReferences(scope: Scope): Promise<RecogniseReferences | null> {
  const known = await readReferences(scope);
  if (known === null) return null;
  if (known.size === 0) return () => new Map();
  const salt = await openSalt(scope);
  return salt === null ? null : (values) => recognise(known, values, salt);
}

/** Returns the references, or null if there are none or they are damaged. */
async function readReferences(scope: Scope): Promise<ReadonlyMap<string, string> | null> {
  const read = await readText(scope.files, referencesPath(scope));
  return read.kind === 'text' ? readKnownReferences(read.text) : null;
}

function referencesPath(scope: Scope): string {
  return join(scope.place, 'references.json');
}

export async function openFingerprinter(
  scope: Scope,
): Promise<((password: string) => Promise<string>) | null> {
  const salt = await openSalt(scope);
  return salt === null ? null : createFingerprinter(salt);
}

export async function openValuePrints(scope: Scope): ReturnType<StateStore['openValuePrints']> {
  const salt = await openSalt(scope);
  return salt === null ? null : (value) => fingerprintValue(value, salt);
}

/**
 * Returns the salt, which is created once. Returns null if there is none and none can be saved; then values are not
 * remembered.
 */
async function openSalt(scope: Scope): Promise<Uint8Array | null> {
  const path = join(scope.place, 'salt');
  const read = await readText(scope.files, path);
  if (read.kind === 'unreadable') return null;
  if (read.kind === 'text' && /^[0-9a-f]{64}\n$/.test(read.text)) {
    return Buffer.from(read.text.trim(), 'hex');
  }
  const salt = randomBytes(SALT_BYTES);
  const written = await writeAtomically(scope.files, path, `${salt.toString('hex')}\n`);
  return written.ok ? salt : null;
}
