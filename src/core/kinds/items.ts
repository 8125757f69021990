import { showFields, type ShownFields, hasSecret } from '../fields/fields.ts';
import type { Disclosure } from '../model/destinations.ts';
import type { Kind } from '../model/kinds.ts';
import type { Change, DomainChange } from '../model/plan.ts';
import { signatureOf } from './facts.ts';
import { KINDS, SECTION_KINDS } from './registry.ts';
import type { ObservedDomain } from '../model/observed.ts';
import { type ShownChange, describeFields } from '../plan/diff/shown.ts';
import { plural } from '../model/names.ts';

/** What is desired of an item, or observed, with its kind. It may have more than its fields. */
export interface ItemState {
  readonly kind: Kind;
  readonly state: object;
}

/** What the account names an item by. */
export interface RowName {
  readonly id?: string;
  readonly name?: string;
}

/** A live item, and what a change names it by. */
export interface LiveItem extends Pick<Change, 'kind' | 'domain' | 'name' | 'id'> {
  readonly state: object;
}

/** All that was read of the sections of a domain. */
export function liveItems(live: ObservedDomain): readonly LiveItem[] {
  return SECTION_KINDS.flatMap((kind) => {
    const rows: Iterable<RowName> = live[KINDS[kind].section] ?? [];
    return Array.from(rows, (state): LiveItem => {
      const { id = null, name = id ?? '' } = state;
      return { kind, domain: live.domain, name, id, state };
    });
  });
}

/** See `signatureOf`. */
export function signature({ kind, state }: ItemState, references: Disclosure['references']): string {
  return signatureOf(KINDS[kind], state, references);
}

/** One side of a change; null where there is no item, or should be none. */
export function sideOf(change: Change, side: 'observed' | 'desired'): ItemState | null {
  const state = change[side];
  return state === null ? null : { kind: change.kind, state };
}

/** Of an update the fields that it changes, of an add or delete all of them; null where the item is not. */
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

/** A change in words, one line's worth. */
export function describeItem(kind: Kind, change: ShownChange): string {
  const { action, contents } = change;
  if (action === 'delete' && contents !== undefined) return `with ${contentsText(contents)}`;
  return (KINDS[kind].describe ?? describeFields)(change);
}

/** True if a change sends what nobody can read again: that no plan asks for it, or that its item is there, says nothing. */
export function sendsSecret({ kind, action }: Pick<Change, 'kind' | 'action'>): boolean {
  return action === 'update' && hasSecret(KINDS[kind].fields);
}

/** What goes with a domain: `1 alias, 0 rules, 2 credentials`. */
export function contentsText(contents: NonNullable<DomainChange['contents']>): string {
  return SECTION_KINDS.map((kind) => plural(contents[KINDS[kind].section], kind)).join(', ');
}
