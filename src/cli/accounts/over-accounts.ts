import { escapeInvisible } from '../../core/model/names.ts';
import { openJobs, type AccountsOptions, type Job, type Jobs } from './accounts.ts';
import { renderAccounts, type AccountEnd } from './accounts-summary.ts';
import { addCounts, NO_COUNTS } from '../output/problems/problems.ts';
import { printChecked } from '../output/problems/checked.ts';
import type { AccountReport, AccountScope, Context } from '../context.ts';
import { CommandError, EXIT, explain, strongestExit, type ExitCode } from '../exit.ts';
import type { AccountsFormat } from '../output/formats.ts';
import { createMoves } from './moves.ts';
import { applyCommandLine, applySaved } from '../output/plan/next-command.ts';
import { printJson } from '../output/output.ts';
import { saveDocument } from '../output/files.ts';
import { accountSet, openSavedJobs, type SavedFile } from './saved-accounts.ts';
import { accountsDirectory, resolveFormat, type CommonOptions } from '../settings.ts';
import { shareOutput, type OwnOutput, type SharedOutput, type SharedOutputOptions } from './shared-output.ts';
import type { ProgressView } from '../output/progress/progress.ts';
import { styleFor } from '../output/style.ts';

export interface OverAccounts<Options> {
  readonly command: (own: Context, options: Options) => Promise<ExitCode>;
  /** Those that the command has. */
  readonly formats: readonly AccountsFormat[];
  /** The file of saved plans that the command is about; null: it is about manifests. */
  readonly saved: SavedFile | null;
  /** Where a log is printed, as by `run --once`, nothing is to stand between its lines. */
  readonly ending?: 'summary' | 'none';
}

/**
 * The same command for one account or, with `--accounts`, for each of many, side by side: prints what all have in common,
 * and gives the exit code of all. There is no bound to how many at once, as in the daemon: those that hang would take the
 * room of others.
 */
export async function overAccounts<Options extends AccountsOptions>(
  context: Context,
  options: Options,
  { command, formats, saved, ending = 'summary' }: OverAccounts<Options>,
): Promise<ExitCode> {
  const all = await jobsOf(context, options, saved);
  if (all === null) return command(context, options);
  const format = resolveFormat(options, context, formats);
  const output = shareOutput(context, { heading: headingOf(context, options, format) });
  const ends = await runJobs(context, all, { output, command });
  printTogether(context, format, ends);
  if (ending === 'summary' && isHeaded(format)) {
    const next = saved === null ? applyCommandLine(context, options) : applySaved(context, saved.path);
    const style = styleFor(context.stdout, options.color, context.env);
    output.conclude(renderAccounts(ends, style, format === 'text' ? next : null));
  }
  if (options.out !== undefined && ends.some(({ plan }) => plan !== null)) {
    const planned = ends.map((end) => ({ ...end, document: end.plan }));
    const { directory, others } = all;
    await saveDocument(context, options.out, { ...accountsDocument(planned), directory, others });
  }
  return exitOfAll(ends);
}

/** Null: there is one account. */
async function jobsOf<Options extends AccountsOptions>(
  context: Context,
  options: Options,
  saved: SavedFile | null,
): Promise<Jobs<Options> | null> {
  if (saved !== null) return openSavedJobs(context, options, saved);
  const directory = accountsDirectory(options, context);
  return directory === null ? null : openJobs(context, options, directory);
}

/** 3 once one account was written and another is not as it must be. */
export function exitOfAll(ends: readonly Pick<AccountEnd, 'exitCode' | 'wrote'>[]): ExitCode {
  const strongest = strongestExit(ends.map(({ exitCode }) => exitCode));
  const wrote = ends.some((end) => end.wrote);
  return wrote && strongest !== EXIT.done ? EXIT.partial : strongest;
}

/** What each prints is shown as soon as it has ended; they are given back in the order of their names. */
async function runJobs<Options extends AccountsOptions>(
  context: Context,
  all: Jobs<Options>,
  { output, command }: Pick<OverAccounts<Options>, 'command'> & { readonly output: SharedOutput },
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
      const whyKeepDomain: AccountScope['whyKeepDomain'] = (domain) => moves.whyKeep(name, domain);
      const scope = { name, membership: { name, set }, whyKeepDomain, saved };
      const end = await runJob(context, job, { output: own, command, scope });
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

interface JobRun<Options> extends Pick<OverAccounts<Options>, 'command'> {
  readonly output: OwnOutput;
  readonly scope: Pick<AccountScope, 'name' | 'membership' | 'whyKeepDomain' | 'saved'>;
}

async function runJob<Options extends AccountsOptions>(
  context: Context,
  { name, options }: Job<Options>,
  { output, command, scope }: JobRun<Options>,
): Promise<AccountEnd> {
  let reported = NOTHING_REPORTED;
  const ofAccount: AccountScope = {
    ...scope,
    alone: (work) => output.alone(work),
    report(part) {
      reported = { ...reported, ...part };
    },
  };
  const own: Context = { ...context, stdout: output.stdout, stderr: output.stderr, ofAccount };
  try {
    const exitCode = await command(own, options);
    return { name, exitCode, ...reported, error: null };
  } catch (error) {
    const exitCode = explain(error, own, options.color);
    const fault = error instanceof CommandError ? { message: error.message, hint: error.hint } : null;
    return { name, exitCode, ...reported, error: fault };
  }
}

const NOTHING_REPORTED: AccountReport = {
  document: null,
  checked: { problems: [], texts: [], counts: NO_COUNTS },
  plan: null,
  verdict: null,
  wrote: false,
  canApply: false,
};

/** Formats that are one document: of all accounts. */
function printTogether(context: Context, format: AccountsFormat, ends: readonly AccountEnd[]): void {
  if (format === 'json') printJson(context, accountsDocument(ends));
  if (format !== 'sarif' && format !== 'junit') return;
  const problems = ends.flatMap(({ checked }) => checked.problems);
  const texts = ends.flatMap(({ checked }) => checked.texts);
  const counts = ends.map(({ checked }) => checked.counts).reduce(addCounts, NO_COUNTS);
  printChecked(context, format, { problems, texts, counts });
}

function headingOf(
  context: Context,
  options: CommonOptions,
  format: AccountsFormat,
): SharedOutputOptions['heading'] {
  return (name, stream) => {
    if (stream === 'stdout' && !isHeaded(format)) return null;
    return styleFor(context[stream], options.color, context.env).strong(`==> ${escapeInvisible(name)} <==`);
  };
}

/** Other formats are documents, and have their own way to tell accounts apart. */
function isHeaded(format: AccountsFormat): boolean {
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

/** `fwdsync/accounts@1`; schemas/accounts.v1.schema.json. */
function accountsDocument(ends: readonly AccountEnd[]): object {
  const accounts = ends.map(({ name, exitCode, document, error }) => ({ name, exitCode, document, error }));
  return { kind: 'fwdsync/accounts@1', accounts };
}
