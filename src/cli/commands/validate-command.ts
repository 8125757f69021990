import { plural } from '../../core/model/names.ts';
import type { Context } from '../context.ts';
import { silence } from '../../core/model/lint/silence.ts';
import { compareSources, errorsFirst, type Problem } from '../../core/model/manifest/problem.ts';
import type { WouldDelete } from '../../core/plan/would-delete.ts';
import { checkedDocument } from '../output/problems/checked-document.ts';
import type { CommandCall, CommandResult } from '../command.ts';
import { EXIT, usageError } from '../exit.ts';
import type { ReadDesired } from '../input/manifest/desired.ts';
import { findStaged, isAnyStaged } from '../input/manifest/git-manifests.ts';
import type { GitTree } from '../input/manifest/git-tree.ts';
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
import type { ManifestSettings } from '../settings/resolve-settings.ts';
import { styleFor } from '../output/paint.ts';

export interface ValidateOptions {
  readonly staged?: true;
  readonly against?: string;
}

/** Result of the check, with the deletes since a revision if requested. */
interface Checked extends Pick<ReadDesired, 'problems' | 'counts' | 'texts'> {
  readonly deletes?: readonly WouldDelete[];
}

/** Checks manifests, offline and without a key. Exits with 0, with 5, or with 1 for a file that cannot be read. */
export async function validateCommand(
  context: Context,
  { settings: { manifest }, options }: CommandCall<ValidateOptions>,
): Promise<CommandResult> {
  if (options.staged === true || options.against !== undefined) assertInGit(manifest);
  const all: Checked[] = [];
  for (const paths of await findManifests(context, manifest, options))
    all.push(await check(context, { ...manifest, ...paths }, options));
  const checked = all.reduce(merge, NOTHING);
  return { exit: isInvalid(checked) ? EXIT.invalid : EXIT.done, ...(await resultOf(context, checked)) };
}

const NOTHING: Checked = { problems: [], counts: NO_COUNTS, texts: [] };

function merge(a: Checked, b: Checked): Checked {
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

/** Returns the paths of each manifest to check. With `--staged`, returns only manifests with staged changes. */
async function findManifests(
  context: Context,
  { paths, source, stateDirectory: leaveOut }: ManifestSettings,
  { staged }: ValidateOptions,
): Promise<readonly Pick<ManifestSettings, 'paths' | 'source'>[]> {
  if (staged !== true) return [{ paths, source }];
  if (source !== 'default') return (await isAnyStaged(context, paths, leaveOut)) ? [{ paths, source }] : [];
  const found = await findStaged(context, leaveOut);
  return found.map((path) => ({ paths: [path], source: 'flag' }));
}

function assertInGit({ paths }: ManifestSettings): void {
  if (!paths.includes('-')) return;
  throw usageError('standard input is not in git', 'name files, or leave --staged and --against out');
}

async function check(
  context: Context,
  manifest: ManifestSettings,
  { staged, against }: ValidateOptions,
): Promise<Checked> {
  // Loaded here, so that a hook without staged changes pays for neither YAML nor schema.
  const { readDesired } = await import('../input/manifest/desired.ts');
  const from = staged === true ? { from: INDEX } : {};
  const read = await readDesired(context, manifest, { unnamed: 'refused', ...from });
  if (read.texts.length === 0) return { ...NOTHING, problems: [removed(manifest)] };
  if (against === undefined || read.desired === null) return read;
  const { compareWith } = await import('../input/manifest/against.ts');
  const { deletes, warnings } = await compareWith(context, manifest, against, read.desired);
  const found = silence(warnings, read.desired);
  const problems = [...read.problems, ...found].sort((a, b) => compareSources(a.source, b.source));
  const silenced = read.counts.silenced + warnings.length - found.length;
  return { ...read, deletes, problems, counts: { ...read.counts, silenced } };
}

function removed({ paths }: ManifestSettings): Problem {
  return {
    severity: 'warning',
    code: 'manifest-removed',
    message: `${paths.join(', ')} is removed by this commit: its items stay as they are and are no longer managed`,
    hint: 'to delete a domain, write `state: absent` and apply that first',
    source: null,
  };
}

const INDEX: GitTree = { kind: 'index' };

async function resultOf(context: Context, checked: Checked): Promise<Omit<CommandResult, 'exit'>> {
  const { format, member } = context;
  const { problems, counts, deletes } = checked;
  switch (format) {
    case 'json':
      return { document: problemsDocument(problems, counts, deletes) };
    case 'sarif':
    case 'junit':
      return member === undefined ? checkedDocument(format, checked) : { checked };
    case 'github':
      return { text: problemsGithub(checked) };
    default:
      return verdictOf(context, checked);
  }
}

/**
 * Prints problems on standard error and the verdict on standard output. For one of many accounts the verdict is a
 * line at the end.
 */
async function verdictOf(
  context: Context,
  checked: Checked,
): Promise<Pick<CommandResult, 'text' | 'verdict'>> {
  const { problems, counts } = checked;
  if (checked === NOTHING) return { verdict: 'no manifest is staged' };
  printProblems(context, problems, await openExcerpt(context, checked));
  const style = styleFor(context.stdout, context.color);
  const size = [
    plural(counts.domains, 'domain'),
    plural(counts.aliases, 'alias'),
    plural(counts.rules, 'rule'),
  ].join(', ');
  const word = isInvalid(checked) ? style.error('invalid') : style.good('valid');
  const verdict = `${word}: ${size} in ${plural(counts.files, 'file')}; ${renderProblemCounts(problems, counts)}`;
  return context.member === undefined ? { text: `${verdict}\n` } : { verdict };
}

/** Returns annotations for GitHub Actions, errors first, because a step shows ten of each. */
function problemsGithub({ problems, counts: { silenced } }: Pick<Checked, 'problems' | 'counts'>): string {
  const annotations = errorsFirst(problems).map(({ severity, code, message, hint, source }): Annotation => {
    return { level: severity, title: code, message: `${message}; ${hint}`, source };
  });
  const title = 'fwdsync validate';
  const count: Annotation = { level: 'notice', title, message: silencedWords(silenced), source: null };
  return [...annotations, ...(silenced === 0 ? [] : [count])].map(workflowCommand).join('');
}
