import type { DesiredCredential, Reference } from '../../model/desired.ts';
import { parseCredentialName, type CredentialName, type NameKey } from '../../model/names.ts';
import { isAbsent, type ReadEntries } from './aliases.ts';
import type { Loading } from './context.ts';
import { createNameReader } from './values/names.ts';
import { entriesOf, valueOf, type Entry } from '../read/node.ts';
import type { Node } from '../read/node.ts';
import { readReference, refusalOf } from './values/references.ts';
import { sourceOf } from '../read/text.ts';

export type CredentialEntries = ReadonlyMap<NameKey, DesiredCredential>;

/** The SMTP credentials of a domain or template. */
export function readCredentials(section: Node | undefined, loading: Loading): ReadEntries<CredentialEntries> {
  const names = createNameReader(parseCredentialName, loading.log);
  const entries = new Map<NameKey, DesiredCredential>();
  let failed = false;
  for (const entry of entriesOf(section)) {
    const named = names.read(entry.key);
    const credential = named === null ? null : readCredential(entry, named.name, loading);
    if (named === null || credential === null) failed = true;
    else entries.set(named.key, credential);
  }
  return { entries, failed };
}

function readCredential(entry: Entry, name: CredentialName, loading: Loading): DesiredCredential | null {
  const source = sourceOf(entry.key);
  if (entry.value.kind !== 'map') return null;
  if (isAbsent(entry.value)) return { state: 'absent', name, source };
  const written = valueOf(entry.value, 'password');
  if (written === undefined) return { state: 'present', name, source };
  const password = readReference(written, loading.options);
  if (password === null) return null;
  // Passwords are resolved only when they will be sent; a mere check may say what is missing.
  if (loading.options.references === 'optional') checkPassword(written, password, loading);
  return { state: 'present', name, source, password };
}

function checkPassword(written: Node, password: Reference, { options, log }: Loading): void {
  const value = options.resolve(password);
  if (typeof value === 'string' && value !== '') return;
  log.report('reference-not-set', written, {
    message: refusalOf(password, value) ?? `${password.shown} is not set`,
    hint: 'apply needs it when the password is to be sent',
  });
}
