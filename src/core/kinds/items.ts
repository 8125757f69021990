import { showFields, type ShownFields, hasSecret } from '../fields/fields.ts';
import type { Disclosure } from '../model/destinations.ts';
import type { Kind } from '../model/kinds.ts';
import type { Change, DomainChange } from '../model/plan.ts';
import { signatureOf } from './facts.ts';
import { KINDS, SECTION_KINDS } from './registry.ts';
import type { ObservedDomain } from '../model/observed.ts';
import { type ShownChange, describeFields } from '../plan/diff/shown.ts';
import { plural } from '../model/names.ts';

/** The desired or observed state of an item, with its kind. It may hold more than its fields. */
export interface ItemState {
  readonly kind: Kind;
  readonly state: object;
}

/** The id and name of an item in the account. */
export interface RowName {
  readonly id?: string;
  readonly name?: string;
}

/** A live item, with the properties that a change names it by. */
export interface LiveItem extends Pick<Change, 'kind' | 'domain' | 'name' | 'id'> {
  readonly state: object;
}

/** Returns all live items that were read of a domain's sections. */
export function liveItems(live: ObservedDomain): readonly LiveItem[] {
  return SECTION_KINDS.flatMap((kind) => {
    const rows: Iterable<RowName> = live[KINDS[kind].section] ?? [];
    return Array.from(rows, (state): LiveItem => {
      const { id = null, name = id ?? '' } = state;
      return { kind, domain: live.domain, name, id, state };
    });
  });
}

/** Returns the signature of an item; see `signatureOf`. */
export function signature({ kind, state }: ItemState, references: Disclosure['references']): string {
  return signatureOf(KINDS[kind], state, references);
}

/** Returns one side of a change; null if there is no item, or should be none. */
export function sideOf(change: Change, side: 'observed' | 'desired'): ItemState | null {
  const state = change[side];
  return state === null ? null : { kind: change.kind, state };
}

/**
 * Shows one side of a change: the changed fields of an update, all fields of an add or delete. Returns null if that
 * side has no item.
 */
export function shownFields(
  change: Change,
  side: 'observed' | 'desired',
  disclosure: Disclosure,
): ShownFields | null {
  const state = change[side];
  if (state === null) return null;
  const all = showFields(KINDS[change.kind].fields, state, disclosure);
  if (change.fields.length === 0) return all;
  return Object.fromEntries(change.fields.map((field) => [field, all[field] ?? null]));
}

/** Describes a change in one line. */
export function describeItem(kind: Kind, change: ShownChange): string {
  const { action, contents } = change;
  if (action === 'delete' && contents !== undefined) return `with ${contentsText(contents)}`;
  return (KINDS[kind].describe ?? describeFields)(change);
}

/**
 * True if a change sends a secret, which cannot be read back. Neither an empty plan nor a live item proves that it was
 * applied.
 */
export function sendsSecret({ kind, action }: Pick<Change, 'kind' | 'action'>): boolean {
  return action === 'update' && hasSecret(KINDS[kind].fields);
}

/** Lists the items that are deleted with a domain: `1 alias, 0 rules, 2 credentials`. */
export function contentsText(contents: NonNullable<DomainChange['contents']>): string {
  return SECTION_KINDS.map((kind) => plural(contents[KINDS[kind].section], kind)).join(', ');
}
