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
import { addCounts, invalidManifest, NO_COUNTS } from '../output/problems/problems.ts';
import { settingsOfMember, type ManifestSettings, type Settings } from '../settings/resolve-settings.ts';

/** Returns the manifests directly in the directory, each with the name of its account. */
export async function accountEntries(
  { cwd, stdin }: Pick<Context, 'cwd' | 'stdin'>,
  { stateDirectory: leaveOut }: Pick<ManifestSettings, 'stateDirectory'>,
  directory: string,
): Promise<readonly AccountEntry[] | { readonly error: string; readonly hint: string }> {
  const listed = await listAccounts(directory, { fs, stdin, cwd, leaveOut });
  if (!listed.ok) return { error: listed.error.message, hint: listed.error.hint };
  const paths = Map.groupBy(listed.value, (path) => basename(path, extname(path)));
  return listed.value.map((path) => {
    const name = basename(path, extname(path));
    return { name: paths.get(name)?.length === 1 ? name : basename(path), paths: [path] };
  });
}

/** One account, with the settings of its command. */
export interface Job {
  readonly name: string;
  readonly context: Context;
  readonly settings: Settings;
  /** The whole manifest; null if it is invalid, which its own command reports. */
  readonly desired: Desired | null;
  /**
   * The account's saved plan, unedited; null if none was saved. Absent unless the command is about a file of saved
   * plans.
   */
  readonly saved?: SavedPlan | null;
}

/** The accounts of a directory. */
export interface Jobs {
  readonly directory: string;
  readonly jobs: readonly Job[];
  /** Names of the accounts that `--domain` leaves out. */
  readonly others: readonly string[];
  /** The manifests of all accounts; null for an invalid one. */
  readonly manifests: ReadonlyMap<string, Desired | null>;
}

/**
 * Returns one job per account. If two of them have the same account or domain, the command ends and no requests are
 * sent.
 */
export async function openJobs(context: Context, settings: Settings, directory: string): Promise<Jobs> {
  const entries = await accountEntries(context, settings.manifest, directory);
  if ('error' in entries) throw commandFailure(entries.error, entries.hint);
  const ownership = createOwnership();
  const jobs: Job[] = [];
  const others: string[] = [];
  const manifests = new Map<string, Desired | null>();
  let all: ManifestCounts = NO_COUNTS;
  for (const { name, paths } of entries) {
    const whole = settingsOfMember(settings, { paths, domains: null });
    const { desired, counts } = await readWhole(context, whole.manifest);
    all = addCounts(all, counts);
    manifests.set(name, desired);
    if (desired !== null) ownership.record(name, desired);
    const domains = settings.manifest.domains?.filter((text) => namesDomain(desired, text)) ?? null;
    if (domains?.length === 0) others.push(name);
    else {
      const own = settingsOfMember(settings, { paths, domains });
      jobs.push({ name, context: contextOfMember(context, own, directory), settings: own, desired });
    }
  }
  const problems = entries.flatMap(({ name }) => ownership.conflicts(name));
  if (problems.length > 0) throw invalidManifest(context, { problems, counts: all, ...TWICE });
  if (jobs.length > 0) return { directory, jobs, others, manifests };
  throw usageError('no manifest names a domain of --domain', 'check the spelling');
}

/** Returns the context of one account. Printed commands name its manifest, and its masks have their own numbering. */
function contextOfMember(context: Context, { manifest }: Settings, directory: string): Context {
  const { paths, domains } = manifest;
  const named = domains === null ? {} : { domain: domains };
  const given = { ...context.given, accounts: directory, file: paths, ...named };
  return { ...context, given, mask: freshMask(context) };
}

/** Returns a numbering of masked local parts that begins anew; false if they are shown. */
export function freshMask({ mask }: Pick<Context, 'mask'>): Context['mask'] {
  return mask === false ? false : new Map();
}

const TWICE = { message: 'two accounts have the same', hint: 'fix it; no requests were sent' };

function namesDomain(desired: Desired | null, text: string): boolean {
  const parsed = parseDomainName(text);
  return parsed.ok && desired !== null && desired.domains.has(parsed.value);
}

/** Reads the whole of one manifest. Problems, and read errors, are reported later by the account's own command. */
async function readWhole(
  context: Context,
  manifest: ManifestSettings,
): Promise<Pick<ReadDesired, 'desired' | 'counts'>> {
  try {
    return await readDesired(context, manifest);
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.failed)
      return { desired: null, counts: NO_COUNTS };
    throw error;
  }
}
