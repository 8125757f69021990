import { signFields, type FieldRows, type Fields } from '../fields/fields.ts';
import type { Disclosure } from '../model/destinations.ts';
import type { Kind, KindTypes, SectionKind } from '../model/kinds.ts';
import { nameKey } from '../model/names.ts';
import type { ShownChange } from '../plan/diff/shown.ts';

/** What is true of a kind at every stage. */
export interface KindFacts<K extends Kind = Kind> {
  readonly kind: K;
  /** Its place wherever kinds are listed. */
  readonly order: number;
  /** Where a manifest keeps it in a domain, under which name the API lists it as well; null means that it is no part of a domain. */
  readonly section: K extends SectionKind ? KindTypes[K]['section'] : null;
  /** For people. */
  readonly plural: string;
  /** How the section is written: entries by name, or entries in an order. */
  readonly entries: 'map' | 'list';
  /** What the account recognises an item by. */
  readonly identity: 'name' | 'id';
  /** True if it decides where mail goes. What does not neither waits for what does nor keeps it waiting. */
  readonly routesMail: boolean;
  /** True if v3's list of domains shows it. */
  readonly isListed: boolean;
  readonly fields: FieldRows;
  /** One line's worth of a change; by default what becomes of each field. */
  readonly describe?: (change: ShownChange) => string;
  /** Writes what the state directory remembers of an item, of the parts that its rows sign; by default as JSON. */
  readonly signature?: (parts: Fields) => string;
}

/**
 * A text that is equal for equal desired states. Values from references stand in it as the reference, so that it may
 * be saved; a new value behind the same reference does not change it.
 */
export function signatureOf(
  { fields, signature = JSON.stringify }: Pick<KindFacts, 'fields' | 'signature'>,
  state: object,
  references: Disclosure['references'],
): string {
  return signature(signFields(fields, state, references));
}

/** What the entry of an item is within its domain, from one run to the next: `alias:sales`, `rule:vip`, `domain:acme.example`. */
export function entryKeyOf({ kind, identity }: Pick<KindFacts, 'kind' | 'identity'>, name: string): string {
  // A name that the manifest alone has is compared as it is written.
  return `${kind}:${identity === 'id' ? name.normalize('NFC') : nameKey(name)}`;
}
