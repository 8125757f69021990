import { parseCredentialName, type CredentialName, type NameKey } from '../../model/names.ts';
import type { DesiredCredential } from '../../kinds/credential/fields.ts';
import type { Reference } from '../../model/destinations.ts';
import type { CredentialChange } from '../../model/plan.ts';
import type { Loading } from '../resolve/context.ts';
import {
  digestNamed,
  exportNamed,
  isAbsent,
  mergeNamed,
  readNamed,
  type SectionLanguage,
} from './entries.ts';
import { changesOf, editSection, type EntryChange } from '../update/entries.ts';
import { valueOf, type Entry, type Node } from '../read/node.ts';
import { readReference, refusalOf } from '../resolve/values/references.ts';
import { sourceOf } from '../read/text.ts';

export type CredentialEntries = ReadonlyMap<NameKey, DesiredCredential>;

export const CREDENTIAL_SECTION: SectionLanguage<'credentials', CredentialEntries> = {
  read: (section, loading) => readNamed(section, loading, parseCredentialName, readCredential),
  merge: (own, brought, _, log) => mergeNamed(own, brought, sameCredential, log),
  digest: (entries) =>
    digestNamed(entries, ({ name, state, ...rest }) => [
      name,
      state,
      'password' in rest ? rest.password.shown : null,
    ]),
  export: (live, comments) => exportNamed('credential', live, comments, () => ({})),
  update(editing, changes) {
    const own = changesOf('credential', changes).filter(({ action }) => action !== 'update');
    editSection(editing, 'credentials', own, entryChange);
  },
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

function entryChange({ action, via }: CredentialChange): EntryChange {
  if (action === 'delete') return { kind: 'value', value: {} };
  return via === undefined ? { kind: 'remove' } : { kind: 'value', value: { state: 'absent' } };
}
