import { actionKey } from '../model/item-key.ts';
import { sameDestinations } from '../model/destinations.ts';
import type { Change } from '../model/plan.ts';
import { SECTIONS } from '../model/kinds.ts';
import { sameMatch } from '../model/resources.ts';

/** Looks changes of a later plan up among those that were approved at the start. */
export type Approval = ReadonlyMap<string, Change>;

export function approve(changes: readonly Change[]): Approval {
  return new Map(changes.map((change) => [actionKey(change), change]));
}

/**
 * Whether a change of a later plan is among the approved ones. A delete is only ever sent for the very item that was
 * seen then: what somebody made since under the same name, or gave another purpose, is not ours to delete.
 */
export function isApprovedBy(approval: Approval, change: Change): boolean {
  const approved = approval.get(actionKey(change));
  if (approved === undefined) return false;
  if (change.action !== 'delete') return true;
  if (approved.id !== null && approved.id !== change.id) return false;
  return !holdsMore(change, approved) && !isRepurposed(change, approved);
}

/** That the manifest does not name it says little about what somebody has just pointed elsewhere. */
function isRepurposed(change: Change, approved: Change): boolean {
  if (change.reason !== 'prune') return false;
  if (change.kind === 'alias' && approved.kind === 'alias') return isElsewhere(change, approved);
  if (change.kind !== 'rule' || approved.kind !== 'rule') return false;
  const [now, before] = [change.observed, approved.observed];
  return (
    isElsewhere(change, approved) || (now !== null && before !== null && !sameMatch(now.match, before.match))
  );
}

type Forwarding = Extract<Change, { readonly kind: 'alias' | 'rule' }>;

function isElsewhere({ observed: now }: Forwarding, { observed: before }: Forwarding): boolean {
  return now !== null && before !== null && !sameDestinations(now.forward, before.forward);
}

/** Of a domain that is deleted: whether more would go with it than was known. */
function holdsMore(change: Change, approved: Change): boolean {
  if (change.kind !== 'domain' || approved.kind !== 'domain') return false;
  const [now, before] = [change.contents, approved.contents];
  if (now === undefined || before === undefined) return false;
  return SECTIONS.some((section) => now[section] > before[section]);
}
