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

/** Returns what stands after the name of a domain of which only a part is withheld. */
export function partSuffix(part: PlanDocument['withheld'][number]['part']): string {
  return part === 'deletes' ? ', deletes and narrowing changes' : '';
}
