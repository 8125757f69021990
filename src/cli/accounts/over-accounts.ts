import { escapeInvisible } from '../../model/names.ts';
import type { SavedPlan } from '../../plan/document/saved.ts';
import { openJobs, type Job, type Jobs } from './accounts.ts';
import { renderAccounts, type AccountEnd } from './accounts-summary.ts';
import { printChecked } from '../output/problems/checked.ts';
import type { AccountScope, Context } from '../context.ts';
import { CommandError, EXIT, explain, strongestExit, type ExitCode } from '../exit.ts';
import type { AccountsFormat } from '../output/formats.ts';
import { createMoves, type Moves } from './moves.ts';
import type { CommandAction } from '../input/options.ts';
import { applyCommandLine } from '../output/next-command.ts';
import { printJson } from '../output/output.ts';
import { saveDocument } from '../output/save.ts';
import { accountSet } from './saved-accounts.ts';
import { accountsDirectory, resolveFormat, type CommonOptions } from '../settings.ts';
import {
  shareOutput,
  type OwnOutput,
  type SharedOutput,
  type SharedOutputOptions,
  type Standing,
} from './shared-output.ts';
import { styleFor } from '../output/style.ts';

export interface OverAccountsOptions {
  /** Those that the command has. */
  readonly formats: readonly AccountsFormat[];
  /** Where a log is printed, as by `run --once`, nothing is to stand between its lines. */
  readonly ending?: 'summary' | 'none';
}

/**
 * The same command for one account or, with `--accounts`, for each of many, side by side. There is no bound to how many
 * at once, as in the daemon: those that hang would take the room of others.
 */
export function overAccounts<Options extends CommonOptions & { readonly out?: string }>(
  command: CommandAction<Options>,
  { formats, ending = 'summary' }: OverAccountsOptions,
): CommandAction<Options> {
  return async (context, options, args) => {
    const directory = accountsDirectory(options, context);
    if (directory === null) return command(context, options, args);
    const jobs = await openJobs(context, options, directory);
    return runForAll(context, options, jobs, {
      formats,
      ending,
      command: (own, alone) => command(own, alone, args),
      next: applyCommandLine(options),
    });
  };
}

export interface RunForAll<Options> extends OverAccountsOptions {
  readonly command: (own: Context, options: Options) => Promise<ExitCode>;
  /** The command that applies the plans of all, should this one show them; null: there is none. */
  readonly next: string | null;
  /** Of a command about a saved plan: that of one account. */
  readonly savedOf?: (name: string) => SavedPlan | null;
}

/** Runs a command for each account, prints what all have in common, and gives the exit code of all. */
export async function runForAll<Options extends CommonOptions & { readonly out?: string }>(
  context: Context,
  options: Options,
  all: Jobs<Options>,
  { formats, ending = 'summary', command, next, savedOf }: RunForAll<Options>,
): Promise<ExitCode> {
  const format = resolveFormat(options, context, formats);
  const output = shareOutput(context, { heading: headingOf(context, options, format) });
  const names = { accounts: all.jobs.map(({ name }) => name), others: all.others };
  const set = accountSet({ directory: all.directory, ...names });
  const moves = createMoves(context, all);
  const scopeOf = (name: string): JobScope => ({
    membership: { name, set },
    whyKeepDomain: (domain) => moves.whyKeep(name, domain),
    ...(savedOf === undefined ? {} : { saved: savedOf(name) }),
  });
  for (const line of moves.announcements) context.stderr.write(`${line}\n`);
  const ends = await runJobs(context, all.jobs, { output, command, scopeOf, moves });
  printTogether(context, format, ends);
  if (ending === 'summary' && isHeaded(format))
    output.conclude(
      renderAccounts(
        ends,
        styleFor(context.stdout, options.color, context.env),
        format === 'text' ? next : null,
      ),
    );
  if (options.out !== undefined && ends.some(({ plan }) => plan !== null)) {
    const saved = ends.map((end) => ({ ...end, document: end.plan }));
    const { directory, others } = all;
    await saveDocument(context, options.out, { ...accountsDocument(saved), directory, others });
  }
  return exitOfAll(ends);
}

type JobScope = Pick<AccountScope, 'membership' | 'saved' | 'whyKeepDomain'>;

/** 3 once one account was written and another is not as it must be. */
function exitOfAll(ends: readonly AccountEnd[]): ExitCode {
  const strongest = strongestExit(ends.map(({ exitCode }) => exitCode));
  const wrote = ends.some((end) => end.wrote);
  return wrote && strongest !== EXIT.done ? EXIT.partial : strongest;
}

interface JobRun<Options> {
  readonly output: SharedOutput;
  readonly command: RunForAll<Options>['command'];
  readonly scopeOf: (name: string) => JobScope;
  readonly moves: Moves;
}

/** What each prints is shown as soon as it has ended; they are given back in the order of their names. */
async function runJobs<Options extends CommonOptions>(
  context: Context,
  jobs: readonly Job<Options>[],
  { output, command, scopeOf, moves }: JobRun<Options>,
): Promise<readonly AccountEnd[]> {
  const underWay = new Set(jobs.map(({ name }) => name));
  const all = new AbortController();
  const telling = output.keepTelling(() => standing(underWay, jobs.length), all.signal);
  const ends = await Promise.all(
    jobs.map(async (job) => {
      const own = output.open(job.name);
      const end = await runJob(context, job, { output: own, command, scope: scopeOf(job.name) });
      moves.ended(job.name);
      await own.show();
      underWay.delete(job.name);
      return end;
    }),
  );
  all.abort();
  await telling;
  return ends;
}

interface OneJob<Options> {
  readonly output: OwnOutput;
  readonly command: RunForAll<Options>['command'];
  readonly scope: JobScope;
}

async function runJob<Options extends CommonOptions>(
  context: Context,
  { name, options }: Job<Options>,
  { output, command, scope }: OneJob<Options>,
): Promise<AccountEnd> {
  let reported: Pick<AccountEnd, 'document' | 'checked' | 'plan' | 'verdict' | 'wrote' | 'canApply'> = {
    document: null,
    checked: NOTHING_CHECKED,
    plan: null,
    verdict: null,
    wrote: false,
    canApply: false,
  };
  const report = (part: Partial<typeof reported>): void => {
    reported = { ...reported, ...part };
  };
  const ofAccount: AccountScope = {
    name,
    ...scope,
    alone: (work) => output.alone(work),
    print: (document) => report({ document }),
    check: (checked) => report({ checked }),
    save: (plan) => report({ plan }),
    conclude: (verdict) => report({ verdict }),
    wrote: () => report({ wrote: true }),
    canApply: () => report({ canApply: true }),
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

const NOTHING_CHECKED: AccountEnd['checked'] = { problems: [], texts: [] };

/** Formats that are one document: of all accounts. */
function printTogether(context: Context, format: AccountsFormat, ends: readonly AccountEnd[]): void {
  if (format === 'json') printJson(context, accountsDocument(ends));
  if (format !== 'sarif' && format !== 'junit') return;
  const problems = ends.flatMap(({ checked }) => checked.problems);
  const texts = ends.flatMap(({ checked }) => checked.texts);
  printChecked(context, format, { problems, texts });
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

function standing(underWay: ReadonlySet<string>, total: number): Standing {
  const named = [...underWay].slice(0, MOST_NAMED).join(', ');
  const more = underWay.size > MOST_NAMED ? ` and ${underWay.size - MOST_NAMED} more` : '';
  return { label: `under way: ${named}${more}; accounts done`, done: total - underWay.size, total };
}

/** `fwdsync/accounts@1`; schemas/accounts.v1.schema.json. */
function accountsDocument(ends: readonly AccountEnd[]): object {
  const accounts = ends.map(({ name, exitCode, document, error }) => ({ name, exitCode, document, error }));
  return { kind: 'fwdsync/accounts@1', accounts };
}
