import type { Change } from '../model/plan.ts';
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
