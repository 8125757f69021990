import { plural } from '../../core/model/names.ts';
import type { Context } from '../context.ts';
import { silence } from '../../core/model/lint/silence.ts';
import { compareSources, errorsFirst, type Problem } from '../../core/model/manifest/problem.ts';
import type { WouldDelete } from '../../core/plan/would-delete.ts';
import { printChecked } from '../output/problems/checked.ts';
import { EXIT, type ExitCode, usageError } from '../exit.ts';
import { VALIDATE_FORMATS, type ValidateFormat } from '../output/formats.ts';
import type { ReadDesired } from '../input/manifest/desired.ts';
import { findStaged, isAnyStaged } from '../input/manifest/git-manifests.ts';
import type { GitTree } from '../input/manifest/git-tree.ts';
import { printJson } from '../output/output.ts';
import { silencedWords } from '../../core/plan/render/totals.ts';
import { workflowCommand, type Annotation } from '../../core/plan/render/workflow-command.ts';
import {
  addCounts,
  NO_COUNTS,
  problemsDocument,
  openExcerpt,
  renderProblemCounts,
  printProblems,
} from '../output/problems/problems.ts';
import { resolveStateDirectory, statedPaths, resolveFormat, type CommonOptions } from '../settings.ts';
import { styleFor } from '../output/style.ts';

export interface ValidateOptions extends CommonOptions {
  readonly staged?: true;
  readonly against?: string;
}

/** What was checked, and what the change since a revision would delete, where that was asked for. */
interface Checked extends Pick<ReadDesired, 'problems' | 'counts' | 'texts'> {
  readonly deletes?: readonly WouldDelete[];
}

/** Checks manifests, offline and without a key; exits with 0, 5 or, for a file that cannot be read, 1. */
export async function validateCommand(context: Context, options: ValidateOptions): Promise<ExitCode> {
  const format = resolveFormat(options, context, VALIDATE_FORMATS);
  if (options.staged === true || options.against !== undefined) assertInGit(options, context);
  const all: Checked[] = [];
  for (const own of await findManifests(context, options)) all.push(await check(context, own));
  const checked = all.reduce(together, NOTHING);
  await print(context, options, checked, format);
  return isInvalid(checked) ? EXIT.invalid : EXIT.done;
}

const NOTHING: Checked = { problems: [], counts: NO_COUNTS, texts: [] };

function together(a: Checked, b: Checked): Checked {
  if (a === NOTHING) return b;
  const deletes = [...(a.deletes ?? []), ...(b.deletes ?? [])];
  return {
    problems: [...a.problems, ...b.problems],
    counts: addCounts(a.counts, b.counts),
    texts: [...a.texts, ...b.texts],
    ...(a.deletes === undefined && b.deletes === undefined ? {} : { deletes }),
  };
}

function isInvalid({ problems }: Checked): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

/** The options for each manifest to check: with `--staged` for those alone in which something is staged. */
async function findManifests(
  context: Context,
  options: ValidateOptions,
): Promise<readonly ValidateOptions[]> {
  if (options.staged !== true) return [options];
  const named = statedPaths(options, context);
  const leaveOut = resolveStateDirectory(options, context);
  if (named !== null)
    return (await isAnyStaged(context, named, leaveOut)) ? [{ ...options, file: named }] : [];
  const found = await findStaged(context, leaveOut);
  return found.map((path) => ({ ...options, file: [path] }));
}

function assertInGit(options: ValidateOptions, context: Context): void {
  if (statedPaths(options, context)?.includes('-') !== true) return;
  throw usageError('standard input is not in git', 'name files, or leave --staged and --against out');
}

async function check(context: Context, options: ValidateOptions): Promise<Checked> {
  // Loaded here: where nothing is staged, a hook pays for neither YAML nor schema.
  const { readDesired } = await import('../input/manifest/desired.ts');
  const from = options.staged === true ? { from: INDEX } : {};
  const read = await readDesired(context, options, { unnamed: 'refused', ...from });
  if (read.texts.length === 0) return { ...NOTHING, problems: [removed(options)] };
  if (options.against === undefined || read.desired === null) return read;
  const { compareWith } = await import('../input/manifest/against.ts');
  const { deletes, warnings } = await compareWith(context, options, options.against, read.desired);
  const found = silence(warnings, read.desired);
  const problems = [...read.problems, ...found].sort((a, b) => compareSources(a.source, b.source));
  const silenced = read.counts.silenced + warnings.length - found.length;
  return { ...read, deletes, problems, counts: { ...read.counts, silenced } };
}

function removed({ file = [] }: ValidateOptions): Problem {
  return {
    severity: 'warning',
    code: 'manifest-removed',
    message: `${file.join(', ')} is removed by this commit: what it manages stays as it is and is no longer managed`,
    hint: 'to delete a domain, write `state: absent` and apply that first',
    source: null,
  };
}

const INDEX: GitTree = { kind: 'index' };

async function print(
  context: Context,
  options: CommonOptions,
  read: Checked,
  format: ValidateFormat,
): Promise<void> {
  const { problems, counts, deletes } = read;
  switch (format) {
    case 'json':
      return printJson(context, problemsDocument(problems, counts, deletes));
    case 'sarif':
    case 'junit':
      return printChecked(context, format, read);
    case 'github':
      context.stdout.write(problemsGithub(read));
      return;
    case 'text':
      return printText(context, options, read);
  }
}

/** Problems on standard error, the verdict on standard output; of one of many accounts it is a line of the end. */
async function printText(context: Context, options: CommonOptions, checked: Checked): Promise<void> {
  const { problems, counts } = checked;
  if (checked === NOTHING) {
    context.ofAccount?.report({ verdict: 'no manifest is staged' });
    return;
  }
  printProblems(context, options, problems, await openExcerpt(context, options, checked));
  const style = styleFor(context.stdout, options.color, context.env);
  const size = [
    plural(counts.domains, 'domain'),
    plural(counts.aliases, 'alias'),
    plural(counts.rules, 'rule'),
  ].join(', ');
  const verdict = isInvalid(checked) ? style.error('invalid') : style.good('valid');
  const line = `${verdict}: ${size} in ${plural(counts.files, 'file')}; ${renderProblemCounts(problems, counts)}`;
  conclude(context, line);
}

function conclude({ stdout, ofAccount }: Context, verdict: string): void {
  if (ofAccount === undefined) stdout.write(`${verdict}\n`);
  else ofAccount.report({ verdict });
}

/** Annotations of GitHub Actions, errors first: a step shows ten of each. */
function problemsGithub({ problems, counts: { silenced } }: Pick<Checked, 'problems' | 'counts'>): string {
  const annotations = errorsFirst(problems).map(({ severity, code, message, hint, source }): Annotation => {
    return { level: severity, title: code, message: `${message}; ${hint}`, source };
  });
  const title = 'fwdsync validate';
  const count: Annotation = { level: 'notice', title, message: silencedWords(silenced), source: null };
  return [...annotations, ...(silenced === 0 ? [] : [count])].map(workflowCommand).join('');
}
