import { itemKey } from '../../core/kinds/item-key.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Adoption, Change, Plan } from '../../core/model/plan.ts';
import { isHeldBack, type Approvals } from './approval.ts';
import { clearSkips, forget, recordDone, type FailedEntry, type Ledger } from './ledger.ts';
import { findNotKept, type NotKept, type Sightings } from './memory/not-kept.ts';
import { sendsSecret } from '../../core/kinds/items.ts';

/** What the last read of the account says of a run. */
export type Verdict = SeenVerdict | { readonly kind: 'unseen'; readonly reason: string };

export interface SeenVerdict {
  readonly kind: 'seen';
  /** What is still to be done, what is held back left out. */
  readonly open: readonly Change[];
  /** Of it what the service accepted before. */
  readonly notKept: readonly NotKept[];
  /** Touched domains that could not be read or understood again, and why. */
  readonly unread: ReadonlyMap<DomainName, string>;
  /** Live rules that it recognised by content. */
  readonly adoptions: readonly Adoption[];
}

export interface Evidence {
  readonly ledger: Ledger;
  readonly approvals: Approvals;
  readonly desired: Desired;
  /** Grows with what this read shows. */
  readonly sightings: Sightings;
  /** Of the read, monotonic milliseconds. */
  readonly began: number;
  readonly ended: number;
}

/** What follows from `plan`, which was made after a round was read back; the ledger then says of each item what is known now. */
export function judgeRound(plan: Plan, { approvals, sightings, ...recheck }: Evidence): SeenVerdict {
  const { ledger } = recheck;
  // Withheld from this plan: nothing it says of these domains is a finding, least of all that nothing is left to do.
  const unread = new Map(plan.withheld.map(({ domain, reason }) => [domain, reason]));
  const isUnseen = (change: Change): boolean => unread.has(change.domain) || sendsSecret(change);
  clearSkips(ledger, isUnseen);
  dropResolvedFailures(ledger, plan, isUnseen);
  const open = plan.changes.filter((change) => !isHeldBack(approvals, change));
  const notKept = findNotKept(open, sightings, recheck);
  return { kind: 'seen', open, notKept, unread, adoptions: plan.adoptions };
}

/** Failures of items that are in place now are none: the answer was lost, or somebody else did the same. */
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
