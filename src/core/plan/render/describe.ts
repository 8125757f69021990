import type { ChangeDocument, PlanDocument } from '../document/document.ts';
import { describeItem } from '../../kinds/items.ts';

/** A change in words, and the reason if it is not obvious. */
export interface ChangeText {
  readonly text: string;
  readonly note: string;
}

/** Describes a change in one line, `from -> to` for changed fields only. The text is not escaped yet. */
export function describeChange(change: ChangeDocument): ChangeText {
  return { text: describeItem(change.kind, change), note: noteOf(change) };
}

const SELF_EVIDENT: ReadonlySet<ChangeDocument['reason']> = new Set(['manifest', 'reorder', 'undo']);

function noteOf(change: ChangeDocument): string {
  if (change.conditional) {
    return change.action === 'delete' ? '(if the service made one)' : '(updated, if the service made one)';
  }
  return SELF_EVIDENT.has(change.reason) ? '' : change.reason.replace('-', ' ');
}

/** Names the part of a domain that a guard withholds if it does not withhold all. */
export const WITHHELD_PART = 'deletes and narrowing changes';

/** Returns the withheld part of a domain, to follow its name. It is empty if the name says enough. */
export function partSuffix(part: PlanDocument['withheld'][number]['part']): string {
  return part === 'deletes' ? `, ${WITHHELD_PART}` : '';
}
