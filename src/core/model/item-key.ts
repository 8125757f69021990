import type { Change } from './plan.ts';

/** Returns the key that ids are compared by. */
export function idKey(id: string): string {
  return id.toLowerCase();
}

/**
 * Returns the id that a request names an item by. A request without an id could affect every item of its kind, so a
 * change without its id is a bug.
 */
export function requestId({ id, action, kind, name, domain }: Change): string {
  if (id === null || id === '') throw new Error(`${action} of ${kind} ${name} in ${domain} has no id`);
  return id;
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
