import { itemKey } from '../model/item-key.ts';
import { errorText } from '../api/errors.ts';
import type { DomainName } from '../model/names.ts';
import type { Adoption, Change, Plan } from '../model/plan.ts';
import { isHeldBack, selectWork } from './approval.ts';
import { clearSkips, forget, recordDone, type FailedEntry, type SkippedEntry, stopOn } from './ledger.ts';
import { lookAgain, planAgain } from './look.ts';
import { findNotKept, type NotKept } from './memory/not-kept.ts';
import { isPassword } from './send/passwords.ts';
import { executeRound } from './round.ts';
import type { RoundInput } from './gate.ts';
import { isStopped, markSkipped, stopReason, type Run } from './run.ts';

/** Pauses before the second and the third round: what is in place may take a moment to show. */
const PAUSES_MS = [2_000, 10_000] as const;

/** What the last look at the account found. */
export type LastPass =
  | {
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
  | { readonly kind: 'unseen'; readonly reason: string };

type SeenVerdict = Extract<LastPass, { readonly kind: 'seen' }>;

/** Applies the plan, reads the result, and repeats: three times at most. */
export async function runRounds(run: Run): Promise<LastPass> {
  const { changes } = run.input.plan;
  const touched = new Set(changes.map(({ domain }) => domain));
  let next: RoundInput = { work: changes, all: changes, unread: [] };
  let concerned = changes;
  for (let round = 0; ; round += 1) {
    const before = progressOf(run);
    await executeRound(run, next);
    const skipped = new Map(run.ledger.skipped);
    const seen = await look(run, { concerned, touched, round });
    if (seen.kind === 'unseen') return seen;
    const { plan, verdict } = seen;
    const work = await selectWork(run, plan);
    const unread = changes.filter(({ domain }) => verdict.unread.has(domain));
    concerned = [...work, ...verdict.notKept.map(({ change }) => change), ...unread];
    const pause = PAUSES_MS[round];
    const idle = round > 0 && progressOf(run) === before && work.length === concerned.length;
    if (pause === undefined || idle || concerned.length === 0) return close(run, { work, skipped, verdict });
    next = { work, all: [...plan.changes, ...unread], unread: verdict.unread.keys().toArray() };
    await run.ports.clock.sleep(pause, run.ports.signal);
  }
}

interface LookInput {
  /** What was sent or did not show: its domains are read again. */
  readonly concerned: readonly Change[];
  readonly touched: ReadonlySet<DomainName>;
  readonly round: number;
}

type Seen = { readonly kind: 'seen'; readonly plan: Plan; readonly verdict: SeenVerdict };

async function look(
  run: Run,
  { concerned, touched, round }: LookInput,
): Promise<Seen | Extract<LastPass, { readonly kind: 'unseen' }>> {
  if (isStopped(run)) return { kind: 'unseen', reason: stopReason(run) };
  run.ports.onProgress?.({ kind: 'verifying', round: round + 1 });
  const readAt = run.ports.clock.monotonic();
  const looked = await lookAgain(run, concerned);
  if (!looked.ok) {
    stopOn(run.ledger, looked.error);
    return { kind: 'unseen', reason: errorText(looked.error) };
  }
  const plan = planAgain(run, touched);
  // Withheld from this plan: nothing it says of these domains is a finding, least of all that nothing is left to do.
  const unread = new Map(plan.withheld.map(({ domain, reason }) => [domain, reason]));
  const isUnseen = (change: Change): boolean => unread.has(change.domain) || isPassword(change);
  clearSkips(run.ledger, isUnseen);
  settleFailures(run, plan, isUnseen);
  const open = plan.changes.filter((change) => !isHeldBack(run, change));
  const notKept = findNotKept(run, open, readAt);
  const { adoptions } = plan;
  return { kind: 'seen', plan, verdict: { kind: 'seen', open, notKept, unread, adoptions } };
}

/** Failures of items that are in place now are none: the answer was lost, or somebody else did the same. */
function settleFailures(run: Run, plan: Plan, isUnseen: (change: Change) => boolean): void {
  const open = new Set(plan.changes.map(itemKey));
  const needless: FailedEntry[] = [];
  for (const [item, entry] of run.ledger.failed) {
    const { change, cause } = entry;
    if (open.has(item) || isUnseen(change)) continue;
    if (cause === 'unknown') recordDone(run.ledger, { change, id: change.id, isKept: true });
    else forget(run.ledger, change);
    if (cause === 'rejected') needless.push(entry);
  }
  noteNeedless(run, needless);
}

function noteNeedless(run: Run, [first, ...others]: readonly FailedEntry[]): void {
  if (first === undefined) return;
  const { change, message } = first;
  const what = `${change.kind} ${change.name} of ${change.domain}`;
  const note =
    others.length === 0
      ? `${what} was refused (${message}) but is in the desired state now`
      : `${what} and ${others.length} more were refused (${message}) but are in the desired state now`;
  run.ledger.notes.add(note);
}

interface Closing {
  readonly work: readonly Change[];
  /** By the last round. */
  readonly skipped: ReadonlyMap<string, SkippedEntry>;
  readonly verdict: SeenVerdict;
}

function close(run: Run, { work, skipped, verdict }: Closing): LastPass {
  for (const change of work) {
    const reason = skipped.get(itemKey(change))?.reason ?? 'it is still open after the last round';
    markSkipped(run, [change], reason);
  }
  return verdict;
}

function progressOf({ ledger }: Run): string {
  return `${ledger.done.size} ${ledger.failed.size}`;
}
