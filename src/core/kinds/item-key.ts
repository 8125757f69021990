import type { HistoryItem } from '../model/history/entries.ts';
import { namedAliases } from '../fields/fields.ts';
import { idKey } from '../model/item-key.ts';
import type { Kind } from '../model/kinds.ts';
import { nameKey, type DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { entryKeyOf } from './facts.ts';
import { KINDS } from './registry.ts';

/** See `entryKeyOf`. */
export function entryKey(kind: Kind, name: string): string {
  return entryKeyOf(KINDS[kind], name);
}

/** The same among the entries of all domains. */
export function accountEntryKey(domain: DomainName, kind: Kind, name: string): string {
  return `${domain}\n${entryKey(kind, name)}`;
}

/** What is needed to recognise an item. */
type Identified = Pick<Change, 'kind' | 'domain' | 'name' | 'id'>;

/**
 * What an item is, whatever is done to it: two changes of one item have one key. Where the account has no names it is the id,
 * for a name may come to mean another item.
 */
export function itemKey({ kind, domain, name, id }: Identified): string {
  return `${domain}\n${kind}\n${KINDS[kind].identity === 'id' ? idKey(id ?? name) : nameKey(name)}`;
}

/** An item and what is done to it, whatever it becomes. */
export function actionKey(change: Identified & Pick<Change, 'action'>): string {
  return `${change.action}\n${itemKey(change)}`;
}

/**
 * The same with what it becomes: a change that the service rejected is not sent again, another change of the item may
 * be. The rank of a new rule follows from its neighbours and is no part of what is asked for.
 */
export function changeKey(change: Change): string {
  const { kind, action, desired } = change;
  const asked = Object.entries(desired ?? {}).filter(
    ([name]) => action !== 'add' || KINDS[kind].fields[name]?.derived !== true,
  );
  return `${actionKey(change)}\n${desired === null ? null : JSON.stringify(asked)}`;
}

/** What an item of the history is found by: itself first, and of a rule for one alias the mail that it takes. */
export function historyKeys({ kind, domain, name, from, to }: HistoryItem): readonly string[] {
  const names = [from, to].flatMap((state) =>
    state === null ? [] : namedAliases(KINDS[kind].fields, state),
  );
  const taken = names.map((alias) => accountEntryKey(domain, 'alias', alias));
  return [...new Set([accountEntryKey(domain, kind, name), ...taken])];
}
