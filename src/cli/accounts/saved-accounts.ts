import { resolve } from 'node:path';
import { hmacWith } from '../../api/http/hmac.ts';
import { stableJson } from '../../plan/document/digest.ts';
import { isSealedBy, parseJson, readPlan, type SavedPlan } from '../../plan/document/saved.ts';
import type { Jobs } from './accounts.ts';
import type { Context } from '../context.ts';
import { sha256 } from '../output/output.ts';
import { lookUpKey } from '../input/references.ts';

/** What a command does with a saved plan. */
export type SavedUse = 'show' | 'apply';

/** The plans of many accounts in one file, as `plan --accounts DIR --out FILE` writes them. */
export interface SavedAccounts {
  /** What `--accounts` named. */
  readonly directory: string;
  /** By the name of the account; null: no plan of it was made. */
  readonly plans: ReadonlyMap<string, SavedPlan | null>;
  /** Accounts of the directory that were not planned. */
  readonly others: readonly string[];
  /** Names of accounts whose plan is not one, was edited, or belongs to another file. */
  readonly edited: readonly string[];
}

/** A hash of which accounts a file of plans is about: each of its plans states it, under its own seal. */
export function accountSet(file: {
  readonly directory: string;
  readonly accounts: readonly string[];
  readonly others: readonly string[];
}): string {
  const { directory, accounts, others } = file;
  return `sha256:${sha256(stableJson([directory, [...accounts].sort(), [...others].sort()]))}`;
}

/** The file of many accounts; null: it is none. */
export function parseAccounts(text: string): SavedAccounts | null {
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
  const read = readPlan(document, sha256);
  if (read.kind !== 'intact') return 'edited';
  const { account } = read.plan.options;
  return account?.name === name && account.set === set ? read.plan : 'edited';
}

/** Names of accounts whose plan was not sealed by the key that the account's manifest refers to, as far as it is set. */
export async function forgedPlans<Options>(
  context: Context,
  { plans }: SavedAccounts,
  { jobs }: Jobs<Options>,
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

/** In words, what became of the accounts since the file was written; empty: they are the same. */
export function changedAccounts<Options>(
  { plans, others }: SavedAccounts,
  jobs: Jobs<Options>,
): readonly string[] {
  const before = new Set([...plans.keys(), ...others]);
  const now = new Set([...jobs.jobs.map(({ name }) => name), ...jobs.others]);
  return [
    ...[...before.difference(now)].map((name) => `the account ${name} is not in ${jobs.directory} any more`),
    ...[...now.difference(before)].map((name) => `the account ${name} was added to ${jobs.directory}`),
  ];
}

/** Whether two paths are one place. */
export function isSamePlace({ cwd }: Pick<Context, 'cwd'>, one: string, other: string): boolean {
  return resolve(cwd, one) === resolve(cwd, other);
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
