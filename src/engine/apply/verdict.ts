import { itemKey } from '../../core/kinds/item-key.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Adoption, Change, Plan } from '../../core/model/plan.ts';
import { isHeldBack, type Approvals } from './approval.ts';
import { clearSkips, forget, recordDone, type FailedEntry, type Ledger } from './ledger.ts';
import { findNotKept, type NotKept, type Sightings } from './memory/not-kept.ts';
import { sendsSecret } from '../../core/kinds/items.ts';

/** Verdict on a run from the last read of the account. */
export type Verdict = SeenVerdict | { readonly kind: 'unseen'; readonly reason: string };

export interface SeenVerdict {
  readonly kind: 'seen';
  /** Changes that are still open, without those that are held back. */
  readonly open: readonly Change[];
  /** Open changes that the service accepted before. */
  readonly notKept: readonly NotKept[];
  /** Touched domains that could not be read or understood again, with the reason. */
  readonly unread: ReadonlyMap<DomainName, string>;
  /** Live rules that were recognised by content. */
  readonly adoptions: readonly Adoption[];
}

export interface Evidence {
  readonly ledger: Ledger;
  readonly approvals: Approvals;
  readonly desired: Desired;
  /** Sightings so far; this read adds its own. */
  readonly sightings: Sightings;
  /** Start of the read, in monotonic milliseconds. */
  readonly began: number;
  readonly ended: number;
}

/**
 * Judges a round from a plan that was made after the round was read back. Updates the ledger with what is now known
 * of each item.
 */
export function judgeRound(plan: Plan, { approvals, sightings, ...recheck }: Evidence): SeenVerdict {
  const { ledger } = recheck;
  // The plan withholds these domains, so it says nothing about them. In particular, it does not say that they are
  // done.
  const unread = new Map(plan.withheld.map(({ domain, reason }) => [domain, reason]));
  const isUnseen = (change: Change): boolean => unread.has(change.domain) || sendsSecret(change);
  clearSkips(ledger, isUnseen);
  dropResolvedFailures(ledger, plan, isUnseen);
  const open = plan.changes.filter((change) => !isHeldBack(approvals, change));
  const notKept = findNotKept(open, sightings, recheck);
  return { kind: 'seen', open, notKept, unread, adoptions: plan.adoptions };
}

/**
 * Removes failures of items that are in place now. Either the answer was lost, or the same change was made outside
 * this run.
 */
function dropResolvedFailures(ledger: Ledger, plan: Plan, isUnseen: (change: Change) => boolean): void {
  const open = new Set(plan.changes.map(itemKey));
  const needless: FailedEntry[] = [];
  for (const [item, entry] of ledger.failed) {
    const { change, cause } = entry;
    if (open.has(item) || isUnseen(change)) continue;
    if (cause === 'unknown') recordDone(ledger, { change, id: change.id, isKept: true });
    else forget(ledger, change);
    if (cause === 'rejected') needless.push(entry);
  }
  noteNeedless(ledger, needless);
}

function noteNeedless(ledger: Ledger, [first, ...others]: readonly FailedEntry[]): void {
  if (first === undefined) return;
  const { change, message } = first;
  const what = `${change.kind} ${change.name} of ${change.domain}`;
  const note =
    others.length === 0
      ? `${what} was refused (${message}) but is in the desired state now`
      : `${what} and ${others.length} more were refused (${message}) but are in the desired state now`;
  ledger.notes.add(note);
}
