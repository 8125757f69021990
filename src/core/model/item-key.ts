import type { Kind } from './kinds.ts';
import { nameKey, type DomainName } from './names.ts';
import type { Change } from './plan.ts';

/** What the entry of an item is within its domain, from one run to the next: `alias:sales`, `rule:vip`, `domain:acme.example`. */
export function entryKey(kind: Kind, name: string): string {
  return kind === 'rule' ? `rule:${name.normalize('NFC')}` : `${kind}:${nameKey(name)}`;
}

/** The same among the entries of all domains. */
export function accountEntryKey(domain: DomainName, kind: Kind, name: string): string {
  return `${domain}\n${entryKey(kind, name)}`;
}

/**
 * What an item is within a run, whatever is done to it: two changes of one item have one key. A rule is its id, for a
 * name may come to mean another one.
 */
export function itemKey(change: Change): string {
  const name = change.kind === 'rule' ? (change.id ?? change.name) : nameKey(change.name);
  return `${change.domain}\n${change.kind}\n${name}`;
}

/** An item and what is done to it, whatever it becomes. */
export function actionKey(change: Change): string {
  return `${change.action}\n${itemKey(change)}`;
}

/**
 * The same with what it becomes: a change that the service rejected is not sent again, another change of the item may
 * be. The rank of a new rule follows from its neighbours and is no part of what is asked for.
 */
export function changeKey(change: Change): string {
  const isNewRule = change.kind === 'rule' && change.action === 'add';
  const desired = isNewRule ? { ...change.desired, rank: null } : change.desired;
  return `${actionKey(change)}\n${JSON.stringify(desired)}`;
}

/** What the ids of rules are compared by. */
export function ruleIdKey(id: string): string {
  return id.toLowerCase();
}

/**
 * The id that a request names an item by. A request without one could concern every item of its kind, so that a change
 * that needs an id and has none is a bug.
 */
export function requestId({ id, action, kind, name, domain }: Change): string {
  if (id === null || id === '') throw new Error(`${action} of ${kind} ${name} in ${domain} has no id`);
  return id;
}
