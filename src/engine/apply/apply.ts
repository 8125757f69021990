import { changeName, type Report } from '../../core/model/report.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { openRunRecorder } from './history/run-recorder.ts';
import { rememberRun } from './memory/remember.ts';
import { undoAllowances } from '../undo/undo-allowances.ts';
import { openLedger } from './ledger.ts';
import { openKnownAccount } from './known-account.ts';
import {
  passwordProblems,
  resolvePasswords,
  type Passwords,
  type ResolvedPasswords,
} from './send/passwords.ts';
import { commandOf } from '../../core/plan/policy.ts';
import { firstRequestsOf } from '../../core/plan/requests/requests.ts';
import type { ApplyInput, ApplyPorts } from './ports.ts';
import { reportDocument } from './report/report-document.ts';
import { reportRun } from './report/report.ts';
import { runRounds } from './rounds.ts';
import type { Verdict } from './verdict.ts';
import { writeSnapshot } from './memory/snapshot.ts';
import { verifyDomains } from './verify-dns.ts';

/** Why nothing was written at all: no snapshot, no write. */
export interface ApplyFault {
  readonly kind: 'no-snapshot';
  readonly message: string;
}

/**
 * Applies a plan and reports the result item by item. Every failure of the service is in the report; a fault is
 * what kept the first write from being sent. The lock is the caller's.
 */
export async function applyPlan(whole: ApplyInput, ports: ApplyPorts): Promise<Result<Report, ApplyFault>> {
  const resolved = await resolvePasswords(whole.plan.changes, whole.desired, ports.resolvePassword);
  const input = withoutMissing(whole, resolved);
  const { changes } = input.plan;
  const snapshot = await saveSnapshot(input, ports);
  if (!snapshot.ok) return snapshot;
  const known = await ports.state.rememberReferences(input.desired.references);
  if (!known.ok && changes.length > 0) {
    const message = `nothing was written, because a later run could show values of references: ${known.error.message}`;
    return fail({ kind: 'no-snapshot', message });
  }
  return succeed(
    await run(input, withObjection(ports), { passwords: resolved.passwords, snapshot: snapshot.value }),
  );
}

/** Leaves out the credentials whose password cannot be sent; the rest goes on. */
function withoutMissing(input: ApplyInput, resolved: ResolvedPasswords): ApplyInput {
  const { missing } = resolved;
  if (missing.size === 0) return input;
  const { plan, heldBack, leftAlone = [] } = input;
  const sent = {
    ...plan,
    changes: plan.changes.filter((change) => !missing.has(change)),
    problems: [...plan.problems, ...passwordProblems(plan, resolved)],
  };
  const skipped = [...missing].map(([change, { message }]) => {
    return { ...changeName(change), source: change.source, reason: message };
  });
  return {
    ...input,
    plan: sent,
    requests: firstRequestsOf(sent),
    heldBack: [...heldBack, ...missing.keys()],
    leftAlone: [...leftAlone, ...skipped],
  };
}

async function run(
  input: ApplyInput,
  ports: ApplyPorts,
  { passwords: resolved, snapshot }: Prepared,
): Promise<Report> {
  const { plan, desired, prior, maxFailures } = input;
  const { client, clock, state, signal, onProgress } = ports;
  const ledger = openLedger({ items: plan.changes.length, maxFailures, signal, onProgress });
  const account = openKnownAccount(input, ports);
  const recorder = openRunRecorder(input, ports, { account, ledger });
  const passwords = new Map(resolved);
  const { observed } = account;
  const verdict =
    plan.changes.length === 0
      ? NOTHING_TO_DO
      : await runRounds(input, ports, { ledger, account, passwords, recorder });
  const verified = await verifyDomains({ desired, prior, observed }, ledger, {
    ...ports,
    command: commandOf(input.policy),
  });
  const objection = (await ports.objection?.()) ?? null;
  if (objection === null) {
    await rememberRun(state, { input, ledger, account, passwords, verdict, verified });
  } else ledger.notes.add(`the result of this run is not recorded: ${objection}`);
  const report = reportRun({
    input,
    ledger,
    totals: client.totals(),
    now: clock.now(),
    verdict,
    snapshot,
    undoFlags: ledger.wrote ? await undoAllowances(input, { observed, verdict }, ports) : [],
  });
  const unrecorded = await recorder.finish(report, verdict);
  if (unrecorded === null) return keepReport(report, input, ports);
  const notes = [...report.notes, `the history of this run is incomplete: ${unrecorded}`];
  return keepReport({ ...report, notes }, input, ports);
}

interface Prepared {
  readonly passwords: Passwords;
  /** Path of the snapshot; null means that there is none. */
  readonly snapshot: string | null;
}

const NOTHING_TO_DO: Verdict = { kind: 'seen', open: [], notKept: [], unread: new Map(), adoptions: [] };

function withObjection(ports: ApplyPorts): ApplyPorts {
  const { client, objection } = ports;
  return objection === undefined ? ports : { ...ports, client: client.withObjection(objection) };
}

/** Returns the path of the snapshot. Null means that the plan changes nothing. */
async function saveSnapshot(
  input: ApplyInput,
  { client, clock, state }: ApplyPorts,
): Promise<Result<string | null, ApplyFault>> {
  if (input.plan.changes.length === 0) return succeed(null);
  const text = writeSnapshot({
    changes: input.plan.changes,
    observed: input.observed,
    version: client.version,
    references: input.desired.references,
    print: await state.openValuePrints(),
    run: input.origin.run,
    now: clock.now(),
  });
  const saved = await state.saveSnapshot(text);
  if (saved.ok) return saved;
  return fail({
    kind: 'no-snapshot',
    message: `nothing was written, because the snapshot could not be saved: ${saved.error.message}`,
  });
}

/** Runs that changed nothing leave no report: they would drive out those that did. */
async function keepReport(report: Report, { references }: ApplyInput, ports: ApplyPorts): Promise<Report> {
  if (report.outcome === 'unchanged') return report;
  const document = reportDocument(report, { references, mask: false });
  const saved = await ports.state.saveReport(`${JSON.stringify(document, null, 2)}\n`);
  if (saved.ok) return report;
  return { ...report, notes: [...report.notes, `the report could not be saved: ${saved.error.message}`] };
}
