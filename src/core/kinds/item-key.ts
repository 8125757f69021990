import type { HistoryItem } from '../model/history/entries.ts';
import { namedAliases } from '../fields/fields.ts';
import { idKey } from '../model/item-key.ts';
import type { Kind } from '../model/kinds.ts';
import { nameKey, type DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { entryKeyOf } from './facts.ts';
import { KINDS } from './registry.ts';

/** Returns the key of an entry within its domain; see `entryKeyOf`. */
export function entryKey(kind: Kind, name: string): string {
  return entryKeyOf(KINDS[kind], name);
}

/** Returns the key of an entry among the entries of all domains. */
export function accountEntryKey(domain: DomainName, kind: Kind, name: string): string {
  return `${domain}\n${entryKey(kind, name)}`;
}

/** The properties that identify an item. */
type Identified = Pick<Change, 'kind' | 'domain' | 'name' | 'id'>;

/**
 * Returns the key of an item, independent of the action: two changes of one item have one key. A kind without names in
 * the account uses the id, because a name may come to mean another item.
 */
export function itemKey({ kind, domain, name, id }: Identified): string {
  return `${domain}\n${kind}\n${KINDS[kind].identity === 'id' ? idKey(id ?? name) : nameKey(name)}`;
}

/** Returns the key of an item and the action on it, independent of the desired state. */
export function actionKey(change: Identified & Pick<Change, 'action'>): string {
  return `${change.action}\n${itemKey(change)}`;
}

/**
 * Returns the key of an item, the action and the desired state. A change that the service rejected is not sent again;
 * another change of the item may be. The rank of a new rule follows from its neighbours and is not part of the key.
 */
export function changeKey(change: Change): string {
  const { kind, action, desired } = change;
  const asked = Object.entries(desired ?? {}).filter(
    ([name]) => action !== 'add' || KINDS[kind].fields[name]?.derived !== true,
  );
  return `${actionKey(change)}\n${desired === null ? null : JSON.stringify(asked)}`;
}

/**
 * Returns the keys that find an item in the history: its own first. A rule for one alias is also found by that alias.
 */
export function historyKeys({ kind, domain, name, from, to }: HistoryItem): readonly string[] {
  const names = [from, to].flatMap((state) =>
    state === null ? [] : namedAliases(KINDS[kind].fields, state),
  );
  const taken = names.map((alias) => accountEntryKey(domain, 'alias', alias));
  return [...new Set([accountEntryKey(domain, kind, name), ...taken])];
}
