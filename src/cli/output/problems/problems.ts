import type { Problem } from '../../../core/model/manifest/problem.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import { plural, escapeInvisible } from '../../../core/model/names.ts';
import type { WouldDelete } from '../../../core/plan/would-delete.ts';
import type { Context } from '../../context.ts';
import { CommandError, EXIT } from '../../exit.ts';
import { commandLine, flagWords } from '../command-lines.ts';
import { columnsOf, sentenceColumns } from '../output.ts';
import type { ManifestCounts } from '../../../core/manifest/load.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { Excerpt } from './excerpt.ts';
import { silencedWords } from '../../../core/plan/render/totals.ts';
import { hintLines, wrapWords } from '../../../core/plan/render/wrap.ts';
import { styleFor } from '../paint.ts';
import type { Style } from '../../../core/plan/render/style.ts';

export const NO_COUNTS: ManifestCounts = { files: 0, domains: 0, aliases: 0, rules: 0, silenced: 0 };

export function addCounts(a: ManifestCounts, b: ManifestCounts): ManifestCounts {
  return {
    files: a.files + b.files,
    domains: a.domains + b.domains,
    aliases: a.aliases + b.aliases,
    rules: a.rules + b.rules,
    silenced: a.silenced + b.silenced,
  };
}

/**
 * Returns the document `fwdsync/problems@1` for `validate --format json` and for every command with an invalid
 * manifest; see schemas/problems.v1.schema.json.
 */
export function problemsDocument(
  problems: readonly Problem[],
  counts: ManifestCounts,
  deletes?: readonly WouldDelete[],
): object {
  return {
    kind: 'fwdsync/problems@1',
    ...(deletes === undefined ? {} : { deletes }),
    problems: problems.map(({ severity, code, message, hint, source, related, via }) => ({
      severity,
      code,
      message,
      hint,
      source,
      ...(related === undefined ? {} : { related }),
      ...(via === undefined ? {} : { via }),
    })),
    summary: { ...countBySeverity(problems), ...counts },
  };
}

interface Look {
  readonly style: Style;
  readonly excerpt: Excerpt;
  /** Width of the terminal; Infinity if there is no terminal. */
  readonly columns: number;
  /** The command that lists all notices. */
  readonly listAll: string;
}

/**
 * Renders a problem in two or three lines: place, severity, message and code; the other place; what to do about it.
 */
function renderProblems(problems: readonly Problem[], look: Look): string {
  const notices = problems.filter(({ severity }) => severity === 'notice');
  const left = new Set(notices.slice(MOST_NOTICES));
  const more = `… and ${plural(left.size, 'notice')} more; list all with: ${look.listAll}`;
  return [
    ...problems.filter((problem) => !left.has(problem)).map((problem) => renderProblem(problem, look)),
    ...(left.size === 0 ? [] : [more]),
  ]
    .map((text) => `${text}\n`)
    .join('');
}

/** The most notices that are shown; other formats have them all. */
const MOST_NOTICES = 10;

/** Lines of the manifests for people at a terminal; what draws them is loaded for them alone. Nothing under `--mask`. */
export async function openExcerpt(
  context: Pick<Context, 'stderr' | 'mask'>,
  { problems, texts }: { readonly problems: readonly Problem[]; readonly texts: readonly ManifestText[] },
): Promise<Excerpt> {
  if (problems.length === 0 || context.stderr.isTTY !== true || context.mask !== false) return NO_EXCERPT;
  return (await import('./excerpt.ts')).createExcerpt(texts, problems, columnsOf(context.stderr));
}

const NO_EXCERPT: Excerpt = () => [];

type ProblemsContext = Pick<Context, 'stderr' | 'color' | 'given' | 'env' | 'cwd' | 'mask'>;

/** Prints problems as text on standard error. */
export function printProblems(
  context: ProblemsContext,
  problems: readonly Problem[],
  excerpt: Excerpt = NO_EXCERPT,
): void {
  if (problems.length === 0) return;
  const { stderr, color } = context;
  const style = styleFor(stderr, color);
  const look = { style, excerpt, columns: sentenceColumns(stderr), listAll: listAllCommand(context) };
  stderr.write(renderProblems(problems, look));
}

function listAllCommand(context: ProblemsContext): string {
  const domains = flagWords('domain', context.given.domain);
  return commandLine(context)(['validate --format json', ...domains].join(' '));
}

export interface InvalidManifest {
  readonly problems: readonly Problem[];
  readonly counts: ManifestCounts;
  readonly excerpt?: Excerpt;
  /** Message of the error. Default: the manifest is invalid, with the number of errors. */
  readonly message?: string;
  readonly hint?: string;
}

/**
 * Prints the problems of a manifest, and returns the end of the command, with exit code 5. With `--format json` it
 * has the document.
 */
export function invalidManifest(
  context: ProblemsContext & Pick<Context, 'format'>,
  { problems, counts, excerpt, message, hint = fixHint(problems) }: InvalidManifest,
): CommandError {
  const document = context.format === 'json' ? problemsDocument(problems, counts) : null;
  if (document === null) printProblems(context, problems, excerpt);
  const { errors } = countBySeverity(problems);
  const what = message ?? `the manifest is invalid: ${plural(errors, 'error')}`;
  return new CommandError(EXIT.invalid, what, hint, document);
}

function fixHint(problems: readonly Problem[]): string {
  const first = problems.find(({ severity }) => severity === 'error');
  const more = first === undefined ? '' : `; \`fwdsync explain ${first.code}\` says more`;
  return `fix it${more}; no requests were sent`;
}

/** Renders the counts: `problems: none`, or `2 errors, 1 warning, 1 notice; 3 findings silenced`. */
export function renderProblemCounts(
  problems: readonly Problem[],
  { silenced }: Pick<ManifestCounts, 'silenced'>,
): string {
  const { errors, warnings, notices } = countBySeverity(problems);
  const counted = [
    plural(errors, 'error'),
    plural(warnings, 'warning'),
    ...(notices === 0 ? [] : [plural(notices, 'notice')]),
  ].join(', ');
  const found = problems.length === 0 ? 'problems: none' : counted;
  return silenced === 0 ? found : `${found}; ${silencedWords(silenced)}`;
}

function renderProblem(problem: Problem, { style, excerpt, columns }: Look): string {
  const { severity, code, source, related, via } = problem;
  const place = source === null ? [] : [showSource(source)];
  const used = [...place, severity, ''].join(': ').length;
  const text = `${escapeInvisible(problem.message)} [${code}]`;
  const message = wrapWords(text, { used, indent: INDENT.length, columns }).join(`\n${INDENT}`);
  const head = [...place.map(style.strong), paintOf(problem, style)(severity), ''].join(': ');
  const lines = [
    `${head}${message.slice(0, -code.length - 2)}${style.dim(`[${code}]`)}`,
    ...excerpt(problem),
  ];
  if (via !== undefined) lines.push(`${INDENT}used at ${showSource(via)}`);
  if (related !== undefined) lines.push(`${INDENT}see also ${showSource(related)}`);
  if (problem.hint !== '') lines.push(...hintLines(escapeInvisible(problem.hint), { style, columns }));
  return lines.join('\n');
}

const INDENT = '    ';

function paintOf({ severity }: Problem, style: Style): (text: string) => string {
  return severity === 'notice' ? style.strong : style[severity];
}

function countBySeverity(problems: readonly Problem[]): Readonly<Record<`${Problem['severity']}s`, number>> {
  const counts = { errors: 0, warnings: 0, notices: 0 };
  for (const { severity } of problems) counts[`${severity}s`] += 1;
  return counts;
}
