import { errorText, type ApiError } from '../api/errors.ts';
import { itemKey } from '../model/item-key.ts';
import type { DomainName } from '../model/names.ts';
import type { Adoption, Change, Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';
import { requestsOf } from '../plan/requests/requests.ts';
import { approve, isHeldBack, selectWork, withPasswords } from './approval.ts';
import type { RoundInput } from './gate.ts';
import {
  clearSkips,
  forget,
  recordDone,
  recordSkips,
  stopOn,
  whyStopped,
  type FailedEntry,
  type Ledger,
  type SkippedEntry,
} from './ledger.ts';
import { foreignSettings, type KnownAccount } from './known-account.ts';
import { findNotKept, type NotKept, type Sightings } from './memory/not-kept.ts';
import type { ApplyInput, ApplyPorts } from './ports.ts';
import { executeRound, type RoundParts } from './round.ts';
import type { KnownBatches } from './send/batches.ts';
import { isPassword } from './send/passwords.ts';
import { send, sourcesOf } from './send/send.ts';

/** Pauses before the second and the third round: what is in place may take a moment to show. */
const PAUSES_MS = [2_000, 10_000] as const;

/** What the last read of the account found. */
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

export interface RunParts {
  readonly ledger: Ledger;
  readonly account: KnownAccount;
  /** Grows with credentials that come up during the run. */
  readonly passwords: Map<string, string>;
}

/** Applies the plan, reads the result, and repeats: three times at most. */
export async function runRounds(input: ApplyInput, ports: ApplyPorts, parts: RunParts): Promise<LastPass> {
  const { desired, plan } = input;
  const { ledger, passwords } = parts;
  const round = roundParts(input, ports, parts);
  const verification = { ...round, sightings: new Map(), touched: domainsOf(plan.changes) };
  let next: RoundInput = { stages: input.requests, all: plan.changes, unread: [] };
  let concerned = plan.changes;
  for (let pass = 0; ; pass += 1) {
    const before = progressOf(ledger);
    const seen = await executeRound(round, next);
    const skipped = new Map(ledger.skipped);
    const verified = await verify(verification, ports, { concerned, seen, pass });
    if (verified.kind === 'unseen') return verified;
    const { plan: again, verdict } = verified;
    const selected = selectWork(again, round.approvals, ledger);
    const work = await withPasswords(selected, passwords, {
      desired,
      resolve: ports.resolvePassword,
      ledger,
    });
    const unread = plan.changes.filter(({ domain }) => verdict.unread.has(domain));
    concerned = [...work, ...verdict.notKept.map(({ change }) => change), ...unread];
    const pause = PAUSES_MS[pass];
    const idle = pass > 0 && progressOf(ledger) === before && work.length === concerned.length;
    if (pause === undefined || idle || concerned.length === 0) {
      skipRest(ledger, work, skipped);
      return verdict;
    }
    next = {
      stages: round.requestsOf(work),
      all: [...again.changes, ...unread],
      unread: verdict.unread.keys().toArray(),
    };
    await ports.clock.sleep(pause, ports.signal);
  }
}

function roundParts(
  input: ApplyInput,
  ports: ApplyPorts,
  { ledger, account, passwords }: RunParts,
): RoundParts {
  const { desired, prior } = input;
  const { client, clock, signal, state, whyKeepDomain, onProgress } = ports;
  const { version } = client;
  const known: KnownBatches = {
    batches: 'allowed',
    batchesById: 'allowed',
    onRefused: (which, support) => onProgress?.({ kind: 'batches-refused', which, support }),
  };
  const { findings } = account;
  const sources = sourcesOf(desired, passwords);
  const sending = { client, clock, signal, version, ledger, findings, known, ...sources };
  return {
    desired,
    prior,
    state,
    whyKeepDomain,
    ledger,
    account,
    approvals: {
      approved: approve(input.plan.changes),
      heldBack: approve(input.heldBack),
      newcomers: input.newcomers,
    },
    requestsOf: (changes) => requestsOf({ changes }, { ...known, version }),
    send: (request) => send(sending, request),
  };
}

function domainsOf(changes: readonly Change[]): ReadonlySet<DomainName> {
  return new Set(changes.map(({ domain }) => domain));
}

interface Verification extends Pick<RoundParts, 'ledger' | 'account' | 'approvals' | 'desired'> {
  /** Domains of the plan. */
  readonly touched: ReadonlySet<DomainName>;
  readonly sightings: Sightings;
}

interface RoundResult {
  /** What was sent or did not show: its domains are read again. */
  readonly concerned: readonly Change[];
  /** But those that were read after their last change. */
  readonly seen: ReadonlySet<DomainName>;
  /** Counts from 0. */
  readonly pass: number;
}

type Verified = { readonly kind: 'seen'; readonly plan: Plan; readonly verdict: SeenVerdict };

/** Reads the result of a round, and plans again what it touched. */
async function verify(
  { ledger, account, approvals, desired, touched, sightings }: Verification,
  { clock, onProgress }: Pick<ApplyPorts, 'clock' | 'onProgress'>,
  result: RoundResult,
): Promise<Verified | Extract<LastPass, { readonly kind: 'unseen' }>> {
  const stopped = whyStopped(ledger);
  if (stopped !== null) return { kind: 'unseen', reason: stopped };
  onProgress?.({ kind: 'verifying', round: result.pass + 1 });
  const began = clock.monotonic();
  const read = await rereadConcerned(account, result);
  if (!read.ok) {
    stopOn(ledger, read.error);
    return { kind: 'unseen', reason: errorText(read.error) };
  }
  for (const note of foreignSettings(account, desired)) ledger.notes.add(note);
  const plan = account.planAgain(touched);
  // Withheld from this plan: nothing it says of these domains is a finding, least of all that nothing is left to do.
  const unread = new Map(plan.withheld.map(({ domain, reason }) => [domain, reason]));
  const isUnseen = (change: Change): boolean => unread.has(change.domain) || isPassword(change);
  clearSkips(ledger, isUnseen);
  dropResolvedFailures(ledger, plan, isUnseen);
  const open = plan.changes.filter((change) => !isHeldBack(approvals, change));
  const notKept = findNotKept(open, sightings, { ledger, desired, began, ended: clock.monotonic() });
  const { adoptions } = plan;
  return { kind: 'seen', plan, verdict: { kind: 'seen', open, notKept, unread, adoptions } };
}

/** The list of domains too, where one of them was itself changed. */
async function rereadConcerned(
  account: KnownAccount,
  { concerned, seen }: Pick<RoundResult, 'concerned' | 'seen'>,
): Promise<Result<void, ApiError>> {
  if (concerned.some(({ kind }) => kind === 'domain')) {
    const listed = await account.relist();
    if (!listed.ok) return listed;
  }
  return account.reread(domainsOf(concerned).difference(seen));
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

/** What would go on is said to be skipped, with the reason of the last round where it had one. */
function skipRest(ledger: Ledger, work: readonly Change[], before: ReadonlyMap<string, SkippedEntry>): void {
  for (const change of work) {
    const reason = before.get(itemKey(change))?.reason ?? 'it is still open after the last round';
    recordSkips(ledger, [change], reason);
  }
}

function progressOf({ done, failed }: Ledger): string {
  return `${done.size} ${failed.size}`;
}
