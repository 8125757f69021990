import { errorText } from '../../client/errors.ts';
import { itemKey } from '../../core/kinds/item-key.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Change } from '../../core/model/plan.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { approvalsOf, selectWork } from './approval.ts';
import { recordSkips, stopOn, whyStopped, type Ledger, type SkippedEntry } from './ledger.ts';
import { foreignSettings, type KnownAccount } from './known-account.ts';
import type { RunRecorder } from './history/run-recorder.ts';
import type { Sightings } from './memory/not-kept.ts';
import type { ApplyInput, ApplyPorts } from './ports.ts';
import { PAUSES_MS, sendRound, type Round } from './round.ts';
import { resolvePasswords } from './send/passwords.ts';
import { openSender, sourcesOf } from './send/send.ts';
import { judgeRound, type Verdict } from './verdict.ts';

export interface RunParts {
  readonly ledger: Ledger;
  readonly account: KnownAccount;
  /** Passwords by item; grows with credentials that come up during the run. */
  readonly passwords: Map<string, string>;
  readonly recorder: RunRecorder;
}

/** Sends the plan, reads the account again, plans what is still open, and repeats at most three times. */
export async function runRounds(
  input: ApplyInput,
  ports: ApplyPorts,
  { ledger, account, passwords, recorder }: RunParts,
): Promise<Verdict> {
  const { desired, plan } = input;
  const { clock, signal, resolvePassword } = ports;
  const approvals = approvalsOf(input);
  const sender = openSender(ports, sourcesOf(input, passwords), {
    ledger,
    findings: account.findings,
    recorder,
  });
  const touched = domainsOf(plan.changes);
  const sightings: Sightings = new Map();
  let round: Round = { stages: input.requests, pending: plan.changes, waits: plan.waits, unread: [] };
  let concerned = plan.changes;
  for (let pass = 0; ; pass += 1) {
    const before = progressOf(ledger);
    const began = clock.monotonic();
    const seen = await sendRound(round, { ...ports, ledger, account, approvals, sender });
    const skipped = new Map(ledger.skipped);

    const read = await readBack({ concerned, seen, pass }, { ledger, account, desired }, ports);
    if (!read.ok) return { kind: 'unseen', reason: read.error };
    const again = account.planAgain(touched);
    const evidence = { ledger, approvals, desired, sightings, began, ended: clock.monotonic() };
    const verdict = judgeRound(again, evidence);

    const selected = selectWork(again, approvals, ledger);
    const work = await withPasswords(selected, passwords, { desired, ledger, resolvePassword });
    const unread = plan.changes.filter(({ domain }) => verdict.unread.has(domain));
    concerned = [...work, ...verdict.notKept.map(({ change }) => change), ...unread];
    const pause = PAUSES_MS[pass];
    const isTried = pass > 0 && round.stages.length > 0;
    const idle = isTried && progressOf(ledger) === before && work.length === concerned.length;
    if (pause === undefined || idle || concerned.length === 0) {
      skipRest(ledger, work, skipped);
      return verdict;
    }
    const { waits } = again;
    round = {
      stages: sender.requestsOf({ changes: work, waits }),
      pending: [...again.changes, ...unread],
      waits,
      unread: verdict.unread.keys().toArray(),
    };
    await clock.sleep(pause, signal);
  }
}

interface SentRound {
  /**
   * Changes that were sent or not seen. Their domains are read again, with the settings of domains that changed
   * themselves.
   */
  readonly concerned: readonly Change[];
  /** Domains that were read after their last change, which need no other read. */
  readonly seen: ReadonlySet<DomainName>;
  /** Pass number, counted from 0. */
  readonly pass: number;
}

/** Reads the parts of a round that were not seen yet. Returns the error if they cannot be read. */
async function readBack(
  { concerned, seen, pass }: SentRound,
  { ledger, account, desired }: Pick<RunParts, 'ledger' | 'account'> & Pick<ApplyInput, 'desired'>,
  { onProgress }: Pick<ApplyPorts, 'onProgress'>,
): Promise<Result<void, string>> {
  const stopped = whyStopped(ledger);
  if (stopped !== null) return fail(stopped);
  onProgress?.({ kind: 'verifying', round: pass + 1 });
  const listed = await account.readChangedDomains(concerned);
  const read = listed.ok ? await account.verify(domainsOf(concerned).difference(seen)) : listed;
  if (!read.ok) {
    stopOn(ledger, read.error);
    return fail(errorText(read.error));
  }
  for (const note of foreignSettings(account, desired)) ledger.notes.add(note);
  return succeed(undefined);
}

function domainsOf(changes: readonly Change[]): ReadonlySet<DomainName> {
  return new Set(changes.map(({ domain }) => domain));
}

/**
 * Resolves the password of each credential that came up during the run. A credential without a password is skipped.
 */
async function withPasswords(
  work: readonly Change[],
  passwords: Map<string, string>,
  {
    desired,
    ledger,
    resolvePassword,
  }: Pick<ApplyInput, 'desired'> & Pick<RunParts, 'ledger'> & Pick<ApplyPorts, 'resolvePassword'>,
): Promise<readonly Change[]> {
  const needed = work.filter((change) => !passwords.has(itemKey(change)));
  const resolved = await resolvePasswords(needed, desired, resolvePassword);
  for (const [item, password] of resolved.passwords) passwords.set(item, password);
  const { missing } = resolved;
  for (const [change, { message }] of missing) recordSkips(ledger, [change], message);
  return missing.size === 0 ? work : work.filter((change) => !missing.has(change));
}

/** Records the remaining work as skipped, with the reason of the last round if there was one. */
function skipRest(ledger: Ledger, work: readonly Change[], before: ReadonlyMap<string, SkippedEntry>): void {
  for (const change of work) {
    const reason = before.get(itemKey(change))?.reason ?? 'it is still not done after the last round';
    recordSkips(ledger, [change], reason);
  }
}

function progressOf({ done, failed }: Ledger): string {
  return `${done.size} ${failed.size}`;
}
