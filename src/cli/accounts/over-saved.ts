import { openJobs, type Jobs } from './accounts.ts';
import type { Context } from '../context.ts';
import { commandFailure } from '../exit.ts';
import type { AccountsFormat } from '../output/formats.ts';
import type { CommandAction } from '../input/options.ts';
import { runForAll } from './over-accounts.ts';
import { assertNothingAgain } from '../input/plan-options.ts';
import {
  changedAccounts,
  forgedPlans,
  isSamePlace,
  parseAccounts,
  type SavedAccounts,
  type SavedUse,
} from './saved-accounts.ts';
import { applySaved } from '../output/next-command.ts';
import { readSavedText, stalePlan } from '../output/saved-plan.ts';
import { accountsDirectory, statedPaths, type CommonOptions } from '../settings.ts';

export interface OverSavedOptions {
  readonly formats: readonly AccountsFormat[];
  readonly use: SavedUse;
}

/** A command about a file of saved plans: for the one account that it is of, or for each of many. */
export function overSaved<Options extends CommonOptions & { readonly out?: string }>(
  command: CommandAction<Options>,
  { formats, use }: OverSavedOptions,
): CommandAction<Options> {
  return async (context, options, args) => {
    const [path = ''] = args;
    const saved = parseAccounts(await readSavedText(context, path));
    if (saved === null) {
      if (use === 'apply' && accountsDirectory(options, context) !== null)
        throw stalePlan(`${path} is not a file of the plans of many accounts`);
      return command(context, options, args);
    }
    const jobs =
      use === 'apply'
        ? await jobsToApply(context, options, { path, saved })
        : await jobsToShow(context, options, { path, saved });
    return runForAll(context, options, jobs, {
      formats,
      command: (own, alone) => command(own, alone, args),
      next: applySaved(path),
      savedOf: (name) => saved.plans.get(name) ?? null,
    });
  };
}

interface SavedFile {
  readonly path: string;
  readonly saved: SavedAccounts;
}

/** The accounts that were planned, as long as the directory has the same ones; nothing is requested where it has not. */
async function jobsToApply<Options extends CommonOptions>(
  context: Context,
  options: Options,
  { path, saved }: SavedFile,
): Promise<Jobs<Options>> {
  assertNothingAgain(options);
  const asked = accountsDirectory(options, context) ?? statedPaths(options, context)?.join(', ') ?? null;
  if (asked !== null && !isSamePlace(context, asked, saved.directory))
    throw stalePlan(`it was made of ${saved.directory}, and not of ${asked}`);
  const all = await openJobs(context, options, saved.directory);
  const changed = changedAccounts(saved, all);
  if (changed.length > 0) throw stalePlan(changed.join('; '));
  const edited = [...saved.edited, ...(await forgedPlans(context, saved, all))];
  if (edited.length > 0) throw stalePlan(editedPlans(path, edited));
  const [jobs, left] = [true, false].map((is) => all.jobs.filter(({ name }) => saved.plans.has(name) === is));
  return { ...all, jobs: jobs ?? [], others: (left ?? []).map(({ name }) => name) };
}

/** All of the file; where a directory is named, each plan has to be sealed by the key that its account refers to. */
async function jobsToShow<Options extends CommonOptions>(
  context: Context,
  options: Options,
  { path, saved }: SavedFile,
): Promise<Jobs<Options>> {
  const directory = accountsDirectory(options, context);
  const known = directory === null ? null : await openJobs(context, options, directory);
  const edited = [...saved.edited, ...(known === null ? [] : await forgedPlans(context, saved, known))];
  if (edited.length > 0) {
    const what = `${editedPlans(path, edited)}; nothing of the file is shown`;
    throw commandFailure(what, 'make the plans again with plan --out');
  }
  const jobs = [...saved.plans.keys()].map((name) => ({ name, options, desired: null }));
  return { directory: saved.directory, jobs, others: saved.others, manifests: new Map() };
}

function editedPlans(path: string, names: readonly string[]): string {
  return `${path}: the plan of ${names.join(', ')} was edited since it was made, or made with another API key`;
}
