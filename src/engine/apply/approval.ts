import { differingRows, type FieldRow, type Fields } from '../../core/fields/fields.ts';
import { SETTINGS } from '../../core/kinds/domain/fields.ts';
import { actionKey, changeKey, itemKey } from '../../core/kinds/item-key.ts';
import { KINDS, SECTIONS } from '../../core/kinds/registry.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Change, Plan } from '../../core/model/plan.ts';
import { isRefused } from '../../core/plan/withhold.ts';
import { isHeldUp, recordSkips, STAGE_ONE_FAILED, whyBlocked, type Ledger } from './ledger.ts';
import { isNotKept } from './memory/not-kept.ts';
import type { ApplyInput } from './ports.ts';

/** Changes as approved at the start, to find them again in later plans. */
export type Approval = ReadonlyMap<string, Change>;

export function approve(changes: readonly Change[]): Approval {
  return new Map(changes.map((change) => [actionKey(change), change]));
}

/**
 * True if a change of a later plan is among the approved ones. A delete is only ever sent for the very item that was
 * seen then. An item that was made or given another purpose since, under the same name, is not ours to delete.
 */
export function isApprovedBy(approval: Approval, change: Change): boolean {
  const approved = approval.get(actionKey(change));
  if (approved === undefined) return completesAdd(approval, change);
  if (wasTouched(change, approved)) return false;
  if (change.action !== 'delete') return true;
  if (approved.id !== null && approved.id !== change.id) return false;
  return !holdsMore(change, approved) && !isRepurposed(change, approved);
}

/** True if an update completes an approved add whose request cannot carry everything (v3: the webhook). */
function completesAdd(approval: Approval, change: Change): boolean {
  if (change.kind !== 'domain' || change.action !== 'update') return false;
  const wanted: Fields | null = approval.get(actionKey({ ...change, action: 'add' }))?.desired ?? null;
  const [desired, observed]: readonly Fields[] = [change.desired ?? {}, change.observed ?? {}];
  return change.fields.every((field) => {
    const { codec } = SETTINGS[field] as FieldRow;
    const isGiven = wanted?.[field] !== undefined && codec.same(desired?.[field], wanted[field]);
    return isGiven && (codec.hasNone !== true || codec.same(observed?.[field], null));
  });
}

/** Changes that may run, as decided before the run. */
export interface Approvals {
  readonly approved: Approval;
  /** Changes kept from running. */
  readonly heldBack: Approval;
  readonly newcomers: ApplyInput['newcomers'];
}

export function approvalsOf({ plan, heldBack, newcomers }: ApplyInput): Approvals {
  return { approved: approve(plan.changes), heldBack: approve(heldBack), newcomers };
}

export function isHeldBack({ heldBack }: Approvals, change: Change): boolean {
  return heldBack.has(actionKey(change));
}

/**
 * Returns the changes of a later plan that may be sent. Leaves out changes that are held back, changes that the
 * service already rejected or accepted, and deletes that were not approved. If a guard refuses the new plan, nothing
 * new is sent.
 */
export function selectWork(plan: Plan, approvals: Approvals, ledger: Ledger): readonly Change[] {
  const guard = isRefused(plan) ? 'refuses' : 'passes';
  const lost = lostRoutes(plan, ledger);
  const work: Change[] = [];
  for (const change of plan.changes) {
    if (isHeldBack(approvals, change) || isNotKept(ledger, change) || wasRejected(ledger, change)) continue;
    const reason = isApprovedBy(approvals.approved, change)
      ? heldUpReason(ledger, change, lost)
      : newcomerReason(approvals, change, guard);
    if (reason === null) work.push(change);
    else recordSkips(ledger, [change], reason);
  }
  return work;
}

/** Returns the domains in which the service accepted a change before stage 2 that is not in place. */
function lostRoutes(plan: Plan, ledger: Ledger): ReadonlySet<DomainName> {
  const lost = plan.changes.filter((change) => change.stage === 1 && isNotKept(ledger, change));
  return new Set(lost.filter(({ kind }) => KINDS[kind].routesMail).map(({ domain }) => domain));
}

/**
 * Returns why a change must not be sent now. A rejection that blocks it lasts for the whole run, and so does a change
 * that the service does not keep.
 */
function heldUpReason(ledger: Ledger, change: Change, lost: ReadonlySet<DomainName>): string | null {
  const blocked = whyBlocked(ledger, change.domain, change.kind);
  if (blocked !== null || change.stage === 1) return blocked;
  if (KINDS[change.kind].routesMail && lost.has(change.domain)) return 'an earlier change was not kept';
  return isHeldUp(ledger, change, 'for-good') ? STAGE_ONE_FAILED : null;
}

function newcomerReason(approvals: Approvals, change: Change, guard: 'refuses' | 'passes'): string | null {
  if (change.action === 'delete' || change.reason === 'undo' || isLeft(approvals, change)) {
    return 'it appeared or changed during the run: the next plan shows it';
  }
  return guard === 'refuses' ? 'it appeared during the run, and a guard refuses it' : null;
}

/**
 * True if a change is left to the next plan because the approved plan does not mention it. Changes of rank follow
 * from the order that the plan states. A domain that the plan expects and that is missing now was deleted by someone
 * else.
 */
function isLeft({ approved, newcomers }: Approvals, change: Change): boolean {
  if (newcomers !== 'left' || change.action === 'move') return false;
  if (change.kind === 'domain' && change.action === 'add') return true;
  return approved.values().every((known) => itemKey(known) !== itemKey(change));
}

function wasRejected({ failed }: Ledger, change: Change): boolean {
  const entry = failed.get(itemKey(change));
  return entry?.cause === 'rejected' && changeKey(entry.change) === changeKey(change);
}

/** True if an undo would change an item that has changed since the undo was approved, except by the undo itself. */
function wasTouched(change: Change, approved: Change): boolean {
  const [now, before] = [change.observed, approved.observed];
  if (change.reason !== 'undo' || approved.conditional) return false;
  if (now === null || before === null) return now !== before;
  const { fields } = KINDS[change.kind];
  return differingRows(fields, before, now).some(
    (field) => fields[field]?.derived !== true && (change.kind !== 'domain' || change.fields.includes(field)),
  );
}

/** True if an item that the manifest does not name was given another purpose since. It may be in use now. */
function isRepurposed(change: Change, approved: Change): boolean {
  const [now, before] = [change.observed, approved.observed];
  if (change.reason !== 'prune' || now === null || before === null) return false;
  const { fields, routesMail } = KINDS[change.kind];
  return differingRows(fields, before, now).some((field) => !routesMail || fields[field]?.routes === true);
}

/** True if deleting the domain would delete more than was known at approval. */
function holdsMore(change: Change, approved: Change): boolean {
  if (change.kind !== 'domain' || approved.kind !== 'domain') return false;
  const [now, before] = [change.contents, approved.contents];
  if (now === undefined || before === undefined) return false;
  return SECTIONS.some((section) => now[section] > before[section]);
}
