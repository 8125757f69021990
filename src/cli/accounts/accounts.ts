import * as fs from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { listAccounts } from '../../core/manifest/read/read.ts';
import type { Desired } from '../../core/model/desired.ts';
import { parseDomainName } from '../../core/model/names.ts';
import type { SavedPlan } from '../../core/plan/document/saved.ts';
import { createOwnership } from '../../service/daemon/manifest/ownership.ts';
import type { AccountEntry } from '../../service/daemon/daemon.ts';
import type { Context } from '../context.ts';
import { readDesired, type ReadDesired } from '../input/manifest/desired.ts';
import { CommandError, EXIT, commandFailure, usageError } from '../exit.ts';
import type { ManifestCounts } from '../../core/manifest/load.ts';
import { addCounts, NO_COUNTS, printInvalid } from '../output/problems/problems.ts';
import { resolveStateDirectory, type CommonOptions } from '../settings.ts';

/** The manifests directly in the directory, each with the name that its account goes by. */
export async function accountEntries(
  context: Pick<Context, 'cwd' | 'stdin' | 'env'>,
  options: CommonOptions,
  directory: string,
): Promise<readonly AccountEntry[] | { readonly error: string; readonly hint: string }> {
  const { cwd, stdin } = context;
  const leaveOut = resolveStateDirectory(options, context);
  const listed = await listAccounts(directory, { fs, stdin, cwd, leaveOut });
  if (!listed.ok) return { error: listed.error.message, hint: listed.error.hint };
  const paths = Map.groupBy(listed.value, (path) => basename(path, extname(path)));
  return listed.value.map((path) => {
    const name = basename(path, extname(path));
    return { name: paths.get(name)?.length === 1 ? name : basename(path), paths: [path] };
  });
}

/** Options of a command that can serve many accounts. */
export interface AccountsOptions extends CommonOptions {
  readonly out?: string;
}

/** What runs for one account. */
export interface Job<Options> {
  readonly name: string;
  /** Those of one account alone. */
  readonly options: Options;
  /** The whole manifest; null: it is not valid, which its own command reports. */
  readonly desired: Desired | null;
  /** Of a command about a file of saved plans: the account's own, unedited; null: none of it was saved. */
  readonly saved?: SavedPlan | null;
}

/** The accounts of a directory. */
export interface Jobs<Options> {
  readonly directory: string;
  readonly jobs: readonly Job<Options>[];
  /** Names of those that `--domain` leaves out. */
  readonly others: readonly string[];
  /** The manifests of all of them; null: it is not valid. */
  readonly manifests: ReadonlyMap<string, Desired | null>;
}

/** One job per account; the same account or domain in two of them ends the command, and no requests are sent. */
export async function openJobs<Options extends CommonOptions>(
  context: Context,
  options: Options,
  directory: string,
): Promise<Jobs<Options>> {
  const entries = await accountEntries(context, options, directory);
  if ('error' in entries) throw commandFailure(entries.error, entries.hint);
  const ownership = createOwnership();
  const jobs: Job<Options>[] = [];
  const others: string[] = [];
  const manifests = new Map<string, Desired | null>();
  let all: ManifestCounts = NO_COUNTS;
  for (const { name, paths } of entries) {
    const alone: Options = { ...options, accounts: directory, file: paths };
    const { desired, counts } = await readWhole(context, alone);
    all = addCounts(all, counts);
    manifests.set(name, desired);
    if (desired !== null) ownership.record(name, desired);
    const domain = options.domain?.filter((text) => namesDomain(desired, text));
    if (domain?.length === 0) others.push(name);
    else jobs.push({ name, options: domain === undefined ? alone : { ...alone, domain }, desired });
  }
  const problems = entries.flatMap(({ name }) => ownership.conflicts(name));
  if (problems.length > 0) {
    printInvalid(context, options, { problems, counts: all });
    throw new CommandError(EXIT.invalid, 'two accounts have the same', 'fix it; no requests were sent');
  }
  if (jobs.length > 0) return { directory, jobs, others, manifests };
  throw usageError('no manifest names a domain of --domain', 'check the spelling');
}

function namesDomain(desired: Desired | null, text: string): boolean {
  const parsed = parseDomainName(text);
  return parsed.ok && desired !== null && desired.domains.has(parsed.value);
}

/**
 * Reads all of one manifest, whatever `--domain` says. What is wrong with it, or that it cannot be read, is reported when
 * the command itself comes to it.
 */
async function readWhole(
  context: Context,
  options: CommonOptions,
): Promise<Pick<ReadDesired, 'desired' | 'counts'>> {
  const { domain: _, ...whole } = options;
  try {
    return await readDesired(context, whole);
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.failed)
      return { desired: null, counts: NO_COUNTS };
    throw error;
  }
}
