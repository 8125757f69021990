import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { escapeInvisible } from '../model/names.ts';
import { staleSince, type Difference } from '../plan/compare.ts';
import type { PlanDocument } from '../plan/document.ts';
import { readPlan, type ReadPlan, type SavedPlan } from '../plan/saved.ts';
import { decide, type Decision } from '../reconcile/decide.ts';
import type { Planned } from '../reconcile/plan-once.ts';
import type { Context } from './context.ts';
import { readDesired } from './desired.ts';
import { CommandError, EXIT } from './exit.ts';
import { sha256 } from './output.ts';
import { assertNothingAgain, flagsOfSaved, type PlanFlags } from './plan-options.ts';
import { documentOf } from './print-plan.ts';
import { saveDocument } from './save.ts';
import type { Session } from './session.ts';

/** Writes a plan to where `--out` says. */
export async function savePlan(context: Context, path: string, plan: SavedPlan): Promise<void> {
  if (context.ofAccount !== undefined) return context.ofAccount.save(plan);
  await saveDocument(context, path, plan);
}

/** The part of `fwdsync/accounts@1` that is about one account. */
function planOfAccount(text: string, name: string): string {
  try {
    const saved = JSON.parse(text) as { accounts?: readonly { name?: unknown; document?: unknown }[] };
    const entry = saved.accounts?.find((account) => account.name === name);
    return JSON.stringify(entry?.document ?? null);
  } catch {
    return text;
  }
}

/** The plan in a file, edited or not; a file that holds none ends the command with 1. */
export async function readSavedPlan(
  context: Context,
  path: string,
): Promise<Exclude<ReadPlan, { readonly kind: 'not-a-plan' }>> {
  const text = await readText(context, path);
  const { ofAccount } = context;
  const read = readPlan(ofAccount === undefined ? text : planOfAccount(text, ofAccount.name), sha256);
  if (read.kind !== 'not-a-plan') return read;
  throw new CommandError(EXIT.failed, `${path} is no saved plan: ${read.reason}`, 'make one with plan --out');
}

async function readText(context: Context, path: string): Promise<string> {
  try {
    return await readFile(resolve(context.cwd, path), 'utf8');
  } catch (error) {
    throw new CommandError(
      EXIT.failed,
      `${path} cannot be read: ${(error as Error).message}`,
      'check the path',
    );
  }
}

/** The plan that somebody approved, and the flags with which it is made again. */
export interface ApprovedPlan {
  readonly plan: PlanDocument;
  readonly flags: PlanFlags;
}

/** Reads a plan that is to be applied; an edited one, or one whose manifests are gone, approves nothing. */
export async function openApproved(
  context: Context,
  path: string,
  options: PlanFlags,
): Promise<ApprovedPlan> {
  assertNothingAgain(options);
  const { kind, plan } = await readSavedPlan(context, path);
  const flags = flagsOfSaved(options, plan.options);
  if (kind === 'edited') throw stale(`${path} was edited since it was made`);
  if (options.file === undefined) {
    const missing = plan.manifest.files.find((file) => file !== '-' && !isThere(context, file));
    if (missing !== undefined) throw stale(`the manifest ${missing} is not there any more`);
  }
  return { plan, flags };
}

function isThere(context: Context, file: string): boolean {
  return statSync(resolve(context.cwd, file), { throwIfNoEntry: false }) !== undefined;
}

function stale(what: string): CommandError {
  return new CommandError(
    EXIT.stale,
    `the saved plan is stale: ${what}; nothing was written`,
    'make a plan again, and have it reviewed again',
  );
}

/**
 * Whether a plan made afresh is the one that was approved. The saved one is compared and never carried out: equal
 * digests let the fresh plan run; where nothing is left to do, nothing is what runs.
 */
export async function approveSaved(
  context: Context,
  session: Session,
  { approved, planned }: { readonly approved: ApprovedPlan; readonly planned: Planned },
): Promise<Decision> {
  const { plan: saved, flags } = approved;
  const decision = decide(planned.plan, saved.options.skipRefused === true ? 'withhold' : 'end-the-run');
  const plan = decision.kind === 'go' ? decision.plan : planned.plan;
  const fresh = documentOf(context, session, { plan, planned });
  // What could not be read cannot be compared either.
  if (decision.kind === 'invalid' || decision.kind === 'unproven') return decision;
  const edited = await editedMeanwhile(context, flags, fresh);
  if (edited !== null) return { kind: 'stale', since: [edited] };
  if (decision.kind === 'go' && plan.changes.length === 0 && sameAccount(fresh, saved)) return decision;
  const since = staleSince(saved, fresh);
  return since === null ? decision : { kind: 'stale', since };
}

/** The account takes a while to read: the manifest may be another one by now. */
async function editedMeanwhile(
  context: Context,
  flags: PlanFlags,
  { manifest }: PlanDocument,
): Promise<Difference | null> {
  if (manifest.files.includes('-')) return null;
  const { desired } = await readDesired(context, flags, {
    references: 'required',
    problems: 'silent',
    unnamed: 'ignored',
  });
  if (desired?.digest === manifest.digest) return null;
  return { subject: 'manifest', was: 'as it was planned', is: 'edited while the account was read' };
}

function sameAccount({ api: fresh }: PlanDocument, { api: approved }: PlanDocument): boolean {
  return (
    fresh.url === approved.url && fresh.version === approved.version && fresh.account === approved.account
  );
}

/** So many differences are listed, the rest counted. */
const MOST_DIFFERENCES = 100;

/** What changed since a plan was saved, item by item, on standard error. */
export function printStale(context: Context, since: readonly Difference[]): void {
  const lines = since
    .slice(0, MOST_DIFFERENCES)
    .flatMap(({ subject, was, is }) => [
      escapeInvisible(subject),
      `    was: ${was === null ? 'not planned' : escapeInvisible(was)}`,
      `    is:  ${is === null ? 'not planned' : escapeInvisible(is)}`,
    ]);
  const rest = since.length - MOST_DIFFERENCES;
  const more = rest > 0 ? [`… and ${rest} more`] : [];
  const hidden =
    since.length === 0 ? ['only values that are not shown, or fields that stay as they are'] : [];
  const text = ['What changed since the plan was saved:', ...lines, ...more, ...hidden].join('\n');
  context.stderr.write(`${text}\n`);
}
