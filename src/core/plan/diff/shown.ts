import type { ShownFields } from '../../fields/fields.ts';
import { plural } from '../../model/names.ts';
import type { Action } from '../../model/plan.ts';
import type { Section } from '../../model/kinds.ts';

/** The parts of a change that its description uses. */
export interface ShownChange {
  readonly action: Action;
  readonly fields: readonly string[];
  readonly observed: ShownFields | null;
  readonly desired: ShownFields | null;
  /** The rule directly before it in the final order; null means that it is first. */
  readonly after?: string | null;
  /** The number of live items that are deleted with a domain. */
  readonly contents?: Readonly<Record<Section, number>>;
}

/** Describes each changed field as `from -> to`. */
export function describeFields({ fields, observed, desired }: ShownChange): string {
  return fields
    .map((field) => {
      const now = fieldText(field, desired);
      return observed === null ? `${field} ${now}` : `${field} ${fieldText(field, observed)} -> ${now}`;
    })
    .join('; ');
}

/**
 * Describes a change of destinations. If the lists overlap, shows only added and removed ones; otherwise all before
 * and all after.
 */
export function describeForward(observed: ShownFields, desired: ShownFields): string {
  return describeLists(listOf(observed), listOf(desired));
}

/** Describes the change of a list of shown destinations. */
export function describeLists(was: readonly string[], will: readonly string[]): string {
  const added = will.filter((destination) => !was.includes(destination));
  const removed = was.filter((destination) => !will.includes(destination));
  const isShared = will.some((destination) => was.includes(destination));
  // The difference is behind a reference, or masked.
  if (added.length + removed.length === 0) return `${will.join(', ')} (another value)`;
  if (!isShared) return `${was.join(', ')} -> ${will.join(', ')}`;
  const changed = [...added.map((one) => `+${one}`), ...removed.map((one) => `-${one}`)];
  return `${changed.join(' ')}  (${plural(will.length, 'destination')})`;
}

function listOf(state: ShownFields): readonly string[] {
  return shownList(fieldText('forward', state));
}

/** Splits a shown list. A comma within braces belongs to the path of a reference. */
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
