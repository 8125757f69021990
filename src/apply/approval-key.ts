import type { Change } from '../model/plan.ts';
import type { Section } from '../model/resources.ts';
import { itemOf } from './ledger.ts';

/** Looks changes of a later plan up among those that were approved at the start. */
export type Approval = ReadonlyMap<string, Change>;

export function approve(changes: readonly Change[]): Approval {
  return new Map(changes.map((change) => [approvalKey(change), change]));
}

/** An item and what is done to it, whatever it becomes. */
export function approvalKey(change: Change): string {
  return `${change.action}\n${itemOf(change)}`;
}

/**
 * Whether a change of a later plan is among the approved ones. A delete is only ever carried out on the very item that was
 * seen then: what somebody made since under the same name is not ours to delete.
 */
export function isApprovedBy(approval: Approval, change: Change): boolean {
  const approved = approval.get(approvalKey(change));
  if (approved === undefined) return false;
  if (change.action !== 'delete') return true;
  return (approved.id === null || approved.id === change.id) && !holdsMore(change, approved);
}

/** Of a domain that is deleted: whether more would go with it than was known. */
function holdsMore(change: Change, approved: Change): boolean {
  if (change.kind !== 'domain' || approved.kind !== 'domain') return false;
  const [now, before] = [change.contents, approved.contents];
  if (now === undefined || before === undefined) return false;
  return SECTIONS.some((section) => now[section] > before[section]);
}

const SECTIONS: readonly Section[] = ['aliases', 'rules', 'credentials'];
