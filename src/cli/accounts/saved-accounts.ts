import { resolve } from 'node:path';
import { isObject } from '../../core/fields/json.ts';
import { hmacWith } from '../../client/http/hmac.ts';
import { stableJson } from '../../core/plan/document/digest.ts';
import { isSealedBy, parseJson, readPlan, type SavedPlan } from '../../core/plan/document/saved.ts';
import { freshMask, openJobs, type Jobs } from './accounts.ts';
import type { Context } from '../context.ts';
import { commandFailure } from '../exit.ts';
import { assertNothingAgain } from '../input/plan-options.ts';
import { planFault } from '../output/plan/plan-fault.ts';
import { lookUpKey } from '../input/references/references.ts';
import { sha256 } from '../output/output.ts';
import { readSavedText, stalePlan } from '../output/plan/saved-plan.ts';
import type { Settings } from '../settings/resolve-settings.ts';

/** Use of a saved plan by a command. */
export type SavedUse = 'show' | 'apply';

/** The plans of many accounts in one file, as `plan --accounts DIR --out FILE` writes them. */
interface SavedAccounts {
  /** The directory given to `--accounts`. */
  readonly directory: string;
  /** Plans by the name of the account; null if none was made. */
  readonly plans: ReadonlyMap<string, SavedPlan | null>;
  /** Accounts of the directory that were not planned. */
  readonly others: readonly string[];
  /** Names of accounts whose plan is invalid, was edited, or belongs to another file. */
  readonly edited: readonly string[];
}

/** Returns a hash of the accounts in a file of plans. Each plan states it under its own seal. */
export function accountSet(file: {
  readonly directory: string;
  readonly accounts: readonly string[];
  readonly others: readonly string[];
}): string {
  const { directory, accounts, others } = file;
  return `sha256:${sha256(stableJson([directory, [...accounts].sort(), [...others].sort()]))}`;
}

/** A file of saved plans, and its use by the command. */
export interface SavedFile {
  readonly path: string;
  readonly use: SavedUse;
}

/**
 * Returns the accounts of a file of saved plans, each with its plan. null means that the file is not one of many
 * accounts.
 */
export async function openSavedJobs(
  context: Context,
  settings: Settings,
  { path, use }: SavedFile,
): Promise<Jobs | null> {
  const saved = parseAccounts(await readSavedText(context, path));
  if (saved !== null)
    return use === 'apply'
      ? jobsToApply(context, settings, path, saved)
      : jobsToShow(context, settings, path, saved);
  if (use === 'apply' && settings.manifest.accounts !== null)
    throw stalePlan(`${path} does not contain the plans of many accounts`);
  return null;
}

/** Returns the planned accounts. If the directory has other accounts now, the command ends and sends no request. */
async function jobsToApply(
  context: Context,
  settings: Settings,
  path: string,
  saved: SavedAccounts,
): Promise<Jobs> {
  assertNothingAgain(context.given);
  const { accounts, paths, source } = settings.manifest;
  const asked = accounts ?? (source === 'default' ? null : paths.join(', '));
  if (asked !== null && resolve(context.cwd, asked) !== resolve(context.cwd, saved.directory))
    throw stalePlan(`it was made from ${saved.directory}, not from ${asked}`);
  const all = await openJobs(context, settings, saved.directory);
  const changed = changedAccounts(saved, all);
  if (changed.length > 0) throw stalePlan(changed.join('; '));
  const edited = [...saved.edited, ...(await forgedPlans(context, saved, all))];
  if (edited.length > 0) throw stalePlan(editedPlans(path, edited));
  const jobs = all.jobs.flatMap((job) => {
    const plan = saved.plans.get(job.name);
    return plan === undefined ? [] : [{ ...job, saved: plan }];
  });
  return { ...all, jobs, others: saved.others };
}

/**
 * Returns all accounts of the file. If a directory is given, each plan must be sealed by the key that its account
 * refers to.
 */
async function jobsToShow(
  context: Context,
  settings: Settings,
  path: string,
  saved: SavedAccounts,
): Promise<Jobs> {
  const { accounts } = settings.manifest;
  const known = accounts === null ? null : await openJobs(context, settings, accounts);
  const edited = [...saved.edited, ...(known === null ? [] : await forgedPlans(context, saved, known))];
  if (edited.length > 0) {
    const what = `${editedPlans(path, edited)}; nothing of the file is shown`;
    throw commandFailure(what, 'make the plans again with plan --out');
  }
  const jobs = [...saved.plans].map(([name, plan]) => {
    const own = { ...context, mask: freshMask(context) };
    return { name, context: own, settings, desired: null, saved: plan };
  });
  return { directory: saved.directory, jobs, others: saved.others, manifests: new Map() };
}

function editedPlans(path: string, names: readonly string[]): string {
  return `${path}: the plan of ${names.join(', ')} was edited since it was made, or made with another API key`;
}

/** Parses a file of many accounts; null if it is not one. */
function parseAccounts(text: string): SavedAccounts | null {
  const file = parseFile(text);
  if (file === null) return null;
  const { directory, others, accounts } = file;
  const set = accountSet({ directory, others, accounts: accounts.map(({ name }) => name) });
  const plans = new Map<string, SavedPlan | null>();
  const edited: string[] = [];
  for (const { name, document } of accounts) {
    const plan = document === null ? null : planOf(document, { name, set });
    if (plan === 'edited' || plans.has(name)) edited.push(name);
    plans.set(name, plan === 'edited' ? null : plan);
  }
  return { directory, others, plans, edited };
}

function planOf(
  document: unknown,
  { name, set }: { readonly name: string; readonly set: string },
): SavedPlan | 'edited' {
  const read = readPlan(document, { sha256, fault: planFault });
  if (read.kind !== 'intact') return 'edited';
  const { account } = read.plan.options;
  return account?.name === name && account.set === set ? read.plan : 'edited';
}

/**
 * Returns the names of accounts whose plan was not sealed by the key that the manifest refers to. Accounts without a
 * set key are not checked.
 */
async function forgedPlans(
  context: Context,
  { plans }: SavedAccounts,
  { jobs }: Jobs,
): Promise<readonly string[]> {
  const forged: string[] = [];
  for (const { name, desired } of jobs) {
    const plan = plans.get(name);
    if (plan === undefined || plan === null || desired === null) continue;
    const key = await lookUpKey(desired.api, context);
    if (key !== null && !isSealedBy(plan, hmacWith(key))) forged.push(name);
  }
  return forged;
}

/** Describes how the accounts differ since the file was written. Empty means that they are the same. */
function changedAccounts({ plans, others }: SavedAccounts, jobs: Jobs): readonly string[] {
  const before = new Set([...plans.keys(), ...others]);
  const now = new Set([...jobs.jobs.map(({ name }) => name), ...jobs.others]);
  return [
    ...[...before.difference(now)].map((name) => `the account ${name} is not in ${jobs.directory} any more`),
    ...[...now.difference(before)].map((name) => `the account ${name} was added to ${jobs.directory}`),
  ];
}

interface AccountsFile {
  readonly directory: string;
  readonly others: readonly string[];
  readonly accounts: readonly { readonly name: string; readonly document: unknown }[];
}

function parseFile(text: string): AccountsFile | null {
  const value = parseJson(text);
  if (!isObject(value) || value['kind'] !== 'fwdsync/accounts@1') return null;
  const { directory, others, accounts } = value;
  if (typeof directory !== 'string' || !isListOf(others, isText)) return null;
  return isListOf(accounts, isEntry) ? { directory, others, accounts } : null;
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isEntry(value: unknown): value is AccountsFile['accounts'][number] {
  return isObject(value) && isText(value['name']) && 'document' in value;
}
