import { escapeInvisible } from '../../core/model/names.ts';
import { openJobs, type Job, type Jobs } from './accounts.ts';
import { renderAccounts, type AccountEnd } from './accounts-summary.ts';
import type { CommandResult } from '../command.ts';
import { addCounts, NO_COUNTS } from '../output/problems/problems.ts';
import { checkedDocument } from '../output/problems/checked-document.ts';
import type { AccountMember, Context } from '../context.ts';
import { CommandError, EXIT, explain, strongestExit, type ExitCode } from '../exit.ts';
import type { Format } from '../output/formats.ts';
import { createMoves } from './moves.ts';
import { applyCommandLine, applySaved } from '../output/plan/next-command.ts';
import { wholeDocument } from '../output/output.ts';
import { accountSet, openSavedJobs, type SavedFile } from './saved-accounts.ts';
import type { Settings } from '../settings/resolve-settings.ts';
import { shareOutput, type OwnOutput, type SharedOutput, type SharedOutputOptions } from './shared-output.ts';
import type { ProgressView } from '../output/progress/progress.ts';
import { styleFor } from '../output/paint.ts';

export interface AccountsRun {
  /** Runs the command for one account. */
  readonly command: (context: Context, settings: Settings) => Promise<CommandResult>;
  /** The file of saved plans for the command; null if the command works on manifests. */
  readonly saved: SavedFile | null;
  /** `none` if a log is printed, as by `run --once`. No other text belongs between its lines. */
  readonly ending?: 'summary' | 'none';
}

/**
 * Runs a command for one account or, with `--accounts`, for each of many at the same time. Collects the results and
 * returns the combined exit code. As in the daemon, the number at once is not limited, because hanging accounts would
 * block the others.
 */
export async function runAccounts(
  context: Context,
  settings: Settings,
  { command, saved, ending = 'summary' }: AccountsRun,
): Promise<CommandResult> {
  const all = await jobsOf(context, settings, saved);
  if (all === null) return command(context, settings);
  const { format, given, color } = context;
  const output = shareOutput(context, { heading: headingOf(context) });
  const ends = await runJobs(context, all, { output, command });
  if (ending === 'summary' && isHeaded(format)) {
    const next = saved === null ? applyCommandLine(context) : applySaved(context, saved.path);
    const style = styleFor(context.stdout, color);
    output.conclude(renderAccounts(ends, style, format === 'text' ? next : null));
  }
  return {
    exit: exitOfAll(ends),
    ...combineOutput(format, ends),
    ...(given.out === undefined ? {} : plansOf(given.out, all, ends)),
  };
}

/** Returns null if there is one account. */
async function jobsOf(context: Context, settings: Settings, saved: SavedFile | null): Promise<Jobs | null> {
  if (saved !== null) return openSavedJobs(context, settings, saved);
  const { accounts } = settings.manifest;
  return accounts === null ? null : openJobs(context, settings, accounts);
}

/** Returns 3 if one account was written and another is not as it should be. */
export function exitOfAll(ends: readonly Pick<AccountEnd, 'exit' | 'wrote'>[]): ExitCode {
  const strongest = strongestExit(ends.map(({ exit }) => exit));
  const wrote = ends.some((end) => end.wrote === true);
  return wrote && strongest !== EXIT.done ? EXIT.partial : strongest;
}

/**
 * Runs all jobs. The output of each is shown as soon as it has ended. Returns the ends in the order of their names.
 */
async function runJobs(
  context: Context,
  all: Jobs,
  { output, command }: Pick<AccountsRun, 'command'> & { readonly output: SharedOutput },
): Promise<readonly AccountEnd[]> {
  const names = all.jobs.map(({ name }) => name);
  const set = accountSet({ directory: all.directory, accounts: names, others: all.others });
  const moves = createMoves(context, all);
  for (const line of moves.announcements) context.stderr.write(`${line}\n`);
  const underWay = new Set(names);
  const ended = new AbortController();
  const shown = output.showProgress(() => progressOf(underWay, names.length), ended.signal);
  const ends = await Promise.all(
    all.jobs.map(async (job) => {
      const { name, saved } = job;
      const own = output.open(name);
      const member: AccountMember = {
        name,
        saved,
        membership: { name, set },
        whyKeepDomain: (domain) => moves.whyKeep(name, domain),
        alone: (work) => own.alone(work),
      };
      const end = await runJob({ ...job.context, member }, job, { output: own, command });
      moves.ended(name);
      await own.show();
      underWay.delete(name);
      return end;
    }),
  );
  ended.abort();
  await shown;
  return ends;
}

async function runJob(
  context: Context,
  { name, settings }: Job,
  { output, command }: Pick<AccountsRun, 'command'> & { readonly output: OwnOutput },
): Promise<AccountEnd> {
  const own: Context = { ...context, stdout: output.stdout, stderr: output.stderr };
  try {
    const { text = '', lists, ...result } = await command(own, settings);
    if (text !== '') own.stdout.write(text);
    const document = lists === undefined ? result.document : await wholeDocument(lists);
    return { ...result, name, error: null, ...(document === undefined ? {} : { document }) };
  } catch (error) {
    const exit = explain(error, own, own.color);
    if (!(error instanceof CommandError)) return { name, exit, error: null };
    const { message, hint, document } = error;
    return { name, exit, error: { message, hint }, ...(document === null ? {} : { document }) };
  }
}

/** Combines the output of all accounts into one document, for formats that are one document. */
function combineOutput(
  format: Format,
  ends: readonly AccountEnd[],
): Pick<CommandResult, 'document' | 'text'> {
  if (format === 'json') return { document: accountsDocument(ends, ({ document = null }) => document) };
  if (format !== 'sarif' && format !== 'junit') return {};
  const checked = ends.flatMap((end) => end.checked ?? []);
  return checkedDocument(format, {
    problems: checked.flatMap(({ problems }) => problems),
    texts: checked.flatMap(({ texts }) => texts),
    counts: checked.map(({ counts }) => counts).reduce(addCounts, NO_COUNTS),
  });
}

/** Returns the plans of all accounts, for the file of `--out`. */
function plansOf(
  path: string,
  { directory, others }: Jobs,
  ends: readonly AccountEnd[],
): Pick<CommandResult, 'saved'> {
  if (ends.every(({ saved }) => saved === undefined)) return {};
  const document = accountsDocument(ends, ({ saved }) => saved?.document ?? null);
  return { saved: { path, document: { ...document, directory, others } } };
}

function headingOf({ stdout, stderr, format, color }: Context): SharedOutputOptions['heading'] {
  const streams = { stdout, stderr };
  return (name, stream) => {
    if (stream === 'stdout' && !isHeaded(format)) return null;
    return styleFor(streams[stream], color).strong(`==> ${escapeInvisible(name)} <==`);
  };
}

/**
 * True for formats with a heading per account. The others are documents, which tell accounts apart in their own way.
 */
function isHeaded(format: Format): boolean {
  return format === 'text' || format === 'github';
}

const MOST_NAMED = 3;

function progressOf(underWay: ReadonlySet<string>, total: number): ProgressView {
  const named = [...underWay].slice(0, MOST_NAMED).join(', ');
  const more = underWay.size > MOST_NAMED ? ` and ${underWay.size - MOST_NAMED} more` : '';
  const done = total - underWay.size;
  return {
    label: `${done} of ${total} accounts done`,
    fraction: done / total,
    note: `under way: ${named}${more}`,
  };
}

/** Returns the document `fwdsync/accounts@1`; see schemas/accounts.v1.schema.json. */
function accountsDocument(
  ends: readonly AccountEnd[],
  documentOf: (end: AccountEnd) => object | null,
): object {
  const accounts = ends.map((end) => {
    const { name, exit: exitCode, error } = end;
    return { name, exitCode, document: documentOf(end), error };
  });
  return { kind: 'fwdsync/accounts@1', accounts };
}
