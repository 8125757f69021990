import type { ChangeDocument } from '../document/document.ts';
import { describeItem } from '../../kinds/items.ts';

/** A change in words: what becomes what, and why where that is not plain. */
export interface ChangeText {
  readonly text: string;
  readonly note: string;
}

/** One line's worth of a change; `from -> to` of the changed fields only. Nothing in it is escaped yet. */
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
