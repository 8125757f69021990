import type { ShownFields } from '../../fields/fields.ts';
import { plural } from '../../model/names.ts';
import type { Action } from '../../model/plan.ts';
import type { Section } from '../../model/kinds.ts';

/** What the words for a change are made of. */
export interface ShownChange {
  readonly action: Action;
  readonly fields: readonly string[];
  readonly observed: ShownFields | null;
  readonly desired: ShownFields | null;
  /** Of a rule: the one directly before it in the final order; null: it is first. */
  readonly after?: string | null;
  /** Of a domain that is deleted: how many live items go with it. */
  readonly contents?: Readonly<Record<Section, number>>;
}

/** `from -> to` of each field that changes. */
export function describeFields({ fields, observed, desired }: ShownChange): string {
  return fields
    .map((field) => {
      const now = fieldText(field, desired);
      return observed === null ? `${field} ${now}` : `${field} ${fieldText(field, observed)} -> ${now}`;
    })
    .join('; ');
}

/** Of lists that share something only what is new and what goes; else all that was, and all that will be. */
export function describeForward(observed: ShownFields, desired: ShownFields): string {
  return describeLists(listOf(observed), listOf(desired));
}

/** What becomes of a list of destinations, each as it is shown. */
export function describeLists(was: readonly string[], will: readonly string[]): string {
  const added = will.filter((destination) => !was.includes(destination));
  const removed = was.filter((destination) => !will.includes(destination));
  const isShared = added.length < will.length && removed.length < was.length;
  // What differs is behind a reference, or masked.
  if (added.length + removed.length === 0) return `${will.join(', ')} (another value)`;
  if (!isShared) return `${was.join(', ')} -> ${will.join(', ')}`;
  const changed = [...added.map((one) => `+${one}`), ...removed.map((one) => `-${one}`)];
  return `${changed.join(' ')}  (${plural(will.length, 'destination')})`;
}

function listOf(state: ShownFields): readonly string[] {
  return shownList(fieldText('forward', state));
}

/** The parts of a list as it is shown: a comma within braces belongs to the path of a reference. */
export function shownList(text: string): readonly string[] {
  return Array.from(text.matchAll(/(?:^|, )((?:\{[^{}]*\}|(?!, )[^])*)/g), ([, part = '']) => part);
}

export function fieldText(field: string, state: ShownFields | null): string {
  const value = state?.[field];
  if (field === 'active') return value === true ? 'active' : 'inactive';
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : 'none';
}
