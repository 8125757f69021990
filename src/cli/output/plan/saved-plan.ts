import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Desired } from '../../../core/model/desired.ts';
import { escapeInvisible, parseDomainName } from '../../../core/model/names.ts';
import { staleSince, type Difference } from '../../../core/plan/render/compare.ts';
import type { PlanDocument } from '../../../core/plan/document/document.ts';
import {
  isSealedBy,
  parseJson,
  readPlan,
  type ReadPlan,
  type SavedPlan,
} from '../../../core/plan/document/saved.ts';
import { decide, type Decision } from '../../../engine/decide.ts';
import type { Planned } from '../../../engine/plan-once.ts';
import type { Context } from '../../context.ts';
import { readDesired } from '../../input/manifest/desired.ts';
import { CommandError, EXIT, commandFailure } from '../../exit.ts';
import { fileFault } from '../files.ts';
import { sha256 } from '../output.ts';
import { assertNothingAgain, settingsOfSaved } from '../../input/plan-options.ts';
import { documentOf, shownPlan, manifestDigest } from './print-plan.ts';
import type { Session } from '../../input/session.ts';
import { VARIABLES } from '../../settings/flags.ts';
import type { ManifestSettings, Settings } from '../../settings/resolve-settings.ts';

/** Reads a saved plan and checks only its checksum. A file without a plan ends the command with 1. */
export async function readSavedPlan(
  context: Context,
  path: string,
): Promise<Exclude<ReadPlan, { readonly kind: 'not-a-plan' }>> {
  const { member } = context;
  if (member?.saved === null) {
    throw commandFailure(`${path} has no plan of ${member.name}`, 'make the plan again');
  }
  if (member?.saved !== undefined) return { kind: 'intact', plan: member.saved };
  const { planFault } = await import('./plan-fault.ts');
  const read = readPlan(parseJson(await readSavedText(context, path)), { sha256, fault: planFault });
  if (read.kind !== 'not-a-plan') return read;
  throw commandFailure(
    `${path} is not a saved plan: ${read.reason}`,
    hintFor(path, 'make one with plan --out'),
  );
}

/** Returns the hint. Naming a manifest in place of a plan is an easy mistake. */
function hintFor(path: string, otherwise: string): string {
  return /\.ya?ml$/.test(path) ? 'name a manifest with -f; a saved plan is made with plan --out' : otherwise;
}

export async function readSavedText(context: Context, path: string): Promise<string> {
  try {
    return await readFile(resolve(context.cwd, path), 'utf8');
  } catch (error) {
    throw commandFailure(fileFault(path, error, 'read'), hintFor(path, 'check the path'));
  }
}

/** The plan that a person approved, and the settings to make it again. */
export interface ApprovedPlan {
  readonly path: string;
  readonly plan: SavedPlan;
  readonly settings: Settings;
}

/** Reads a plan to apply. An edited plan, or a plan of other manifests than requested, approves nothing. */
export async function openApproved(
  context: Context,
  settings: Settings,
  path: string,
): Promise<ApprovedPlan> {
  assertNothingAgain(context.given);
  const read = await readSavedPlan(context, path);
  if (read.kind === 'edited') throw editedPlan(path);
  const { plan } = read;
  if (plan.options.account !== undefined && context.member === undefined)
    throw stalePlan(`${path} is for one of several accounts; apply the file with all of them`);
  assertSamePaths(context, settings.manifest, plan.options.paths);
  const missing = plan.manifest.files.find((file) => file !== '-' && !isThere(context, file));
  if (missing !== undefined) throw stalePlan(`the manifest ${missing} no longer exists`);
  return { path, plan, settings: settingsOfSaved(settings, plan.options) };
}

/** Ends the command if a flag or variable states other paths than those that the plan was made of. */
function assertSamePaths(
  context: Context,
  { paths: asked, source }: ManifestSettings,
  saved: readonly string[],
): void {
  if (source === 'default') return;
  const places = (paths: readonly string[]): string =>
    JSON.stringify(
      [...new Set(paths.map((path) => (path === '-' ? path : resolve(context.cwd, path))))].sort(),
    );
  if (places(asked) === places(saved)) return;
  const where = source === 'flag' ? '-f' : VARIABLES.file;
  throw stalePlan(`it was made from ${saved.join(', ')}, but ${where} names ${asked.join(', ')}`);
}

/** Ends the command if the plan was not sealed with the account's key. Checked before any request. */
export function assertSealed({ path, plan }: ApprovedPlan, { client }: Pick<Session, 'client'>): void {
  if (!isSealedBy(plan, client.hmac)) throw editedPlan(path);
}

function editedPlan(path: string): CommandError {
  return stalePlan(`${path} was edited since it was made, or made with another API key`);
}

function isThere(context: Context, file: string): boolean {
  return statSync(resolve(context.cwd, file), { throwIfNoEntry: false }) !== undefined;
}

/** Returns the failure of a saved plan that is not what would be applied now, with exit code 6. */
export function stalePlan(what: string): CommandError {
  return new CommandError(
    EXIT.stale,
    `the saved plan is stale: ${what}; nothing was written`,
    'make a new plan, and have it reviewed again',
  );
}

/**
 * Decides whether a fresh plan is the approved one. The saved plan is only compared, never applied: the fresh plan
 * runs if both digests are equal. If there is nothing left to do, nothing runs.
 */
export async function approveSaved(
  context: Context,
  session: Session,
  { approved, planned }: { readonly approved: ApprovedPlan; readonly planned: Planned },
): Promise<Decision> {
  const { plan: saved, settings } = approved;
  const decision = decide(planned.plan, saved.options.skipRefused === true ? 'withhold' : 'end-the-run');
  const fresh = documentOf(context, session, shownPlan(decision, planned));
  // A part that could not be read cannot be compared either.
  if (decision.kind === 'invalid' || decision.kind === 'unproven') return decision;
  const gone = goneFrom(planned.request.desired, saved);
  const edited = [...gone, ...(await editedMeanwhile(context, session, { settings, fresh }))];
  if (edited.length > 0) return { kind: 'stale', since: edited };
  if (decision.kind === 'go' && decision.plan.changes.length === 0 && sameAccount(fresh, saved))
    return decision;
  const since = staleSince(saved, fresh);
  return since === null ? decision : { kind: 'stale', since };
}

/** Returns differences for domains that were planned by name and are gone. A plan without them would be empty. */
function goneFrom({ domains }: Pick<Desired, 'domains'>, { options }: PlanDocument): readonly Difference[] {
  const isNamed = (name: string): boolean => {
    const parsed = parseDomainName(name);
    return parsed.ok && domains.has(parsed.value);
  };
  return (options.domains ?? [])
    .filter((name) => !isNamed(name))
    .map((name) => ({ subject: name, was: 'planned', is: 'not in the manifest' }));
}

/** Returns edits of the manifest since it was read, because reading the account takes a while. */
async function editedMeanwhile(
  context: Context,
  session: Session,
  { settings, fresh: { manifest } }: { readonly settings: Settings; readonly fresh: PlanDocument },
): Promise<readonly Difference[]> {
  if (manifest.files.includes('-')) return [];
  const { desired } = await readDesired(context, settings.manifest, { references: 'required' });
  if (desired !== null && manifestDigest(session, desired) === manifest.digest) return [];
  return [{ subject: 'manifest', was: 'as it was planned', is: 'edited while the account was read' }];
}

function sameAccount({ api: fresh }: PlanDocument, { api: approved }: PlanDocument): boolean {
  return (
    fresh.url === approved.url && fresh.version === approved.version && fresh.account === approved.account
  );
}

/** Maximum number of differences to list. The others are counted. */
const MOST_DIFFERENCES = 100;

/** Prints on standard error what changed since a plan was saved, item by item. */
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
  const hidden = since.length === 0 ? ['only values that are not shown, or fields that do not change'] : [];
  const text = ['What changed since the plan was saved:', ...lines, ...more, ...hidden].join('\n');
  context.stderr.write(`${text}\n`);
}
