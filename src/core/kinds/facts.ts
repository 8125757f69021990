import { signFields, type FieldRows, type Fields } from '../fields/fields.ts';
import type { Disclosure } from '../model/destinations.ts';
import type { Kind, KindTypes, SectionKind } from '../model/kinds.ts';
import { nameKey } from '../model/names.ts';
import type { ShownChange } from '../plan/diff/shown.ts';

/** The facts about a kind that every stage uses. */
export interface KindFacts<K extends Kind = Kind> {
  readonly kind: K;
  /** The kind's place wherever kinds are listed. */
  readonly order: number;
  /**
   * The section of a domain that holds the kind, in the manifest and in the API; null means that it is not part of a
   * domain.
   */
  readonly section: K extends SectionKind ? KindTypes[K]['section'] : null;
  /** The plural for people. */
  readonly plural: string;
  /** The form of the section: entries by name, or entries in an order. */
  readonly entries: 'map' | 'list';
  /** The property that identifies an item in the account. */
  readonly identity: 'name' | 'id';
  /** True if the kind decides where mail goes. Only changes of such kinds wait for each other. */
  readonly routesMail: boolean;
  /** True if v3's list of domains shows it. */
  readonly isListed: boolean;
  readonly fields: FieldRows;
  /** Describes a change in one line; by default the change of each field. */
  readonly describe?: (change: ShownChange) => string;
  /** Encodes an item's signed fields for the state directory; by default as JSON. */
  readonly signature?: (parts: Fields) => string;
}

/**
 * Returns a text that is equal for equal desired states. It holds references instead of their values, so it may be
 * saved, and a new value behind the same reference does not change it.
 */
export function signatureOf(
  { fields, signature = JSON.stringify }: Pick<KindFacts, 'fields' | 'signature'>,
  state: object,
  references: Disclosure['references'],
): string {
  return signature(signFields(fields, state, references));
}

/**
 * Returns the key of an entry within its domain. It is stable between runs: `alias:sales`, `rule:vip`,
 * `domain:acme.example`.
 */
export function entryKeyOf({ kind, identity }: Pick<KindFacts, 'kind' | 'identity'>, name: string): string {
  // A name that exists only in the manifest is compared as written.
  return `${kind}:${identity === 'id' ? name.normalize('NFC') : nameKey(name)}`;
}
