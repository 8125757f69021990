import { parseCredentialName, type CredentialName, type NameKey } from '../../model/names.ts';
import type { DesiredCredential } from '../../model/resources.ts';
import type { Reference } from '../../model/destinations.ts';
import type { Loading } from './context.ts';
import { isAbsent, mergeNamed, readNamed, type SectionReader } from './entries.ts';
import { valueOf, type Entry, type Node } from '../read/node.ts';
import { readReference, refusalOf } from './values/references.ts';
import { sourceOf } from '../read/text.ts';

export type CredentialEntries = ReadonlyMap<NameKey, DesiredCredential>;

export const CREDENTIAL_SECTION: SectionReader<'credentials', CredentialEntries> = {
  read: (section, loading) => readNamed(section, loading, parseCredentialName, readCredential),
  merge: (own, brought, _, log) => mergeNamed(own, brought, sameCredential, log),
};

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

function sameCredential(a: DesiredCredential, b: DesiredCredential): boolean {
  if (a.state === 'absent' || b.state === 'absent') return a.state === b.state;
  return a.password?.shown === b.password?.shown;
}
