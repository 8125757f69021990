import { WORDS } from '../diff/kinds.ts';
import type { ChangeDocument } from '../document/document.ts';

/** A change in words: what becomes what, and why where that is not plain. */
export interface ChangeText {
  readonly text: string;
  readonly note: string;
}

/** One line's worth of a change; `from -> to` of the changed fields only. Nothing in it is escaped yet. */
export function describeChange(change: ChangeDocument): ChangeText {
  return { text: WORDS[change.kind](change), note: noteOf(change) };
}

/** `manifest` and `reorder` go without saying. */
function noteOf(change: ChangeDocument): string {
  if (change.conditional) {
    return change.action === 'delete' ? '(if the service made one)' : '(updated, if the service made one)';
  }
  return change.reason === 'manifest' || change.reason === 'reorder' ? '' : change.reason.replace('-', ' ');
}
