import { itemKey } from '../../../core/kinds/item-key.ts';
import { showDestinations, type Disclosure } from '../../../core/model/destinations.ts';
import type { Change, Plan } from '../../../core/model/plan.ts';
import {
  changeName,
  type NotKeptItem,
  type Outcome,
  type Report,
  type RequestTotals,
} from '../../../core/model/report.ts';
import type { NotKept } from '../memory/not-kept.ts';
import type { Verdict } from '../verdict.ts';
import type { Ledger } from '../ledger.ts';
import type { ApplyInput } from '../ports.ts';

export interface ReportInput {
  readonly input: ApplyInput;
  readonly ledger: Ledger;
  /** Current totals of the client. */
  readonly totals: RequestTotals;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly verdict: Verdict;
  readonly snapshot: string | null;
  readonly undoFlags: readonly string[];
}

/** Returns the report of a run from its ledger and its last read of the account. */
export function reportRun({ input, ledger, totals, now, verdict, snapshot, undoFlags }: ReportInput): Report {
  const notKept = verdict.kind === 'seen' ? verdict.notKept : [];
  const lost = new Set(notKept.map(({ change }) => itemKey(change)));
  const applied = [...ledger.done].filter(([item]) => !lost.has(item));
  return {
    outcome: outcomeOf(input, ledger, verdict),
    startedAt: input.startedAt,
    finishedAt: now,
    askedMs: input.askedMs ?? 0,
    plan: input.digest,
    applied: applied.map(([item, { change, id }]) => {
      const made = ledger.added.has(item) && change.action !== 'delete';
      return { ...changeName(change), ...(made ? { action: 'add' } : {}), id };
    }),
    failed: [...ledger.failed.values()].map(({ change, endpoint, status, index, message, errors }) => {
      return { ...changeName(change), source: change.source, endpoint, status, index, message, errors };
    }),
    skipped: [
      ...(input.leftAlone ?? []),
      ...[...ledger.skipped.values()].map(({ change, reason }) => {
        return { ...changeName(change), source: change.source, reason };
      }),
    ],
    guards: input.plan.guards,
    withheld: input.plan.withheld,
    problems: input.plan.problems,
    notKept: notKept.map((item) => notKeptItem(item, input.references)),
    notes: [...(input.notes ?? []), ...ledger.notes, ...verificationNotes(verdict)],
    requests: requestsOfRun(totals, input.totalsBefore),
    wrote: ledger.wrote,
    stopped: ledger.stop,
    run: ledger.wrote ? input.origin.run : null,
    snapshot,
    undoFlags,
  };
}

/** Returns the report of a plan that was not applied because its guards refuse it. */
export function refusedReport(
  plan: Plan,
  {
    digest,
    now,
    requests,
  }: { readonly digest: string; readonly now: number; readonly requests: Report['requests'] },
): Report {
  return {
    outcome: 'refused',
    startedAt: now,
    finishedAt: now,
    askedMs: 0,
    plan: digest,
    applied: [],
    failed: [],
    skipped: plan.changes.map((change) => {
      return { ...changeName(change), source: change.source, reason: 'a guard refuses the plan' };
    }),
    guards: plan.guards,
    withheld: plan.withheld,
    problems: plan.problems,
    notKept: [],
    notes: [],
    requests,
    wrote: false,
    stopped: null,
    run: null,
    snapshot: null,
    undoFlags: [],
  };
}

/** Returns the requests of this run, including those before its plan. */
function requestsOfRun(totals: RequestTotals, before: RequestTotals): RequestTotals {
  return {
    total: totals.total - before.total,
    retried: totals.retried - before.retried,
    rateLimited: totals.rateLimited - before.rateLimited,
    waitedSeconds: Math.round((totals.waitedSeconds - before.waitedSeconds) * 10) / 10,
  };
}

/**
 * Returns the outcome. It is `converged` only if everything was read again and nothing is left, not even held-back
 * changes.
 */
function outcomeOf(input: ApplyInput, ledger: Ledger, verdict: Verdict): Outcome {
  const { plan, heldBack, leftAlone = [] } = input;
  const tombstones = plan.withheld.filter(({ cause }) => cause === 'tombstone');
  const withheld = plan.withheld.length - tombstones.length + heldBack.length + leftAlone.length;
  const seen = verdict.kind === 'seen' && verdict.unread.size === 0 && verdict.open.length === 0;
  const undone = ledger.failed.size + ledger.skipped.size + withheld + plan.problems.length;
  const clean = seen && ledger.stop === null && undone === 0;
  if (clean) return plan.changes.length === 0 ? 'unchanged' : 'converged';
  return ledger.wrote ? 'partial' : unwrittenOutcome(input, ledger);
}

function unwrittenOutcome(input: ApplyInput, ledger: Ledger): Outcome {
  if (ledger.stop?.kind === 'interrupted' || input.plan.problems.length > 0) return 'failed';
  const isLeft = input.plan.changes.length === 0 && (input.leftAlone ?? []).length > 0;
  return isLeft || input.plan.withheld.some(({ cause }) => cause === 'guard') ? 'refused' : 'failed';
}

function verificationNotes(verdict: Verdict): readonly string[] {
  if (verdict.kind === 'unseen') return [`results not verified: ${verdict.reason}`];
  return [...verdict.unread].map(([domain, reason]) => `${domain} could not be read again: ${reason}`);
}

function notKeptItem({ change, shown }: NotKept, references: Disclosure['references']): NotKeptItem {
  const later =
    shown === null
      ? 'the next run sends it again'
      : 'it is sent again when its entry or the live value changes';
  const message = `${notKeptText(change, references)}; ${later}`;
  return { ...changeName(change), source: change.source, message };
}

function notKeptText(change: Change, references: Disclosure['references']): string {
  if (change.desired === null) return 'the service accepted the delete but still shows it';
  if (change.observed === null) return 'the service accepted it but does not show it';
  const live =
    change.kind === 'alias'
      ? `: ${showDestinations(change.observed.forward, { references, mask: false })}`
      : '';
  return `the service accepted it but shows another ${change.fields.join(', ')}${live}`;
}
