import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { readDesired, type ReadDesired } from './desired.ts';
import { printJson } from './output.ts';
import { problemsGithub } from './problems-github.ts';
import { problemsJunit } from './problems-junit.ts';
import { problemsSarif } from './problems-sarif.ts';
import { plural, problemsDocument, renderProblemCounts, renderProblems } from './problems.ts';
import { resolveFormat, type CommonOptions } from './settings.ts';
import { styleFor } from './style.ts';

const FORMATS = ['text', 'json', 'github', 'sarif', 'junit'] as const;

/** Checks manifests, offline and without a key; exits with 0, 5 or, for a file that cannot be read, 1. */
export async function validateCommand(context: Context, options: CommonOptions): Promise<ExitCode> {
  const format = resolveFormat(options, context, FORMATS);
  const read = await readDesired(context, options, {
    references: 'optional',
    problems: 'silent',
    unnamed: 'refused',
  });
  print(context, options, read, format);
  return read.desired === null ? EXIT.invalid : EXIT.done;
}

function print(
  context: Context,
  options: CommonOptions,
  read: ReadDesired,
  format: (typeof FORMATS)[number],
): void {
  const { problems, counts } = read;
  switch (format) {
    case 'json':
      return printJson(context, problemsDocument(problems, counts));
    case 'sarif':
      return printJson(context, problemsSarif(problems));
    case 'github':
      context.stdout.write(problemsGithub(problems));
      return;
    case 'junit':
      context.stdout.write(problemsJunit(read));
      return;
    case 'text':
      return printText(context, options, read);
  }
}

/** Problems on standard error, the verdict on standard output. */
function printText(
  context: Context,
  options: CommonOptions,
  { problems, counts, desired }: ReadDesired,
): void {
  context.stderr.write(renderProblems(problems, styleFor(context.stderr, options.color, context.env)));
  const style = styleFor(context.stdout, options.color, context.env);
  const size = [
    plural(counts.domains, 'domain'),
    plural(counts.aliases, 'alias'),
    plural(counts.rules, 'rule'),
  ].join(', ');
  const verdict = desired === null ? style.error('invalid') : style.good('valid');
  context.stdout.write(
    `${verdict}: ${size} in ${plural(counts.files, 'file')}; ${renderProblemCounts(problems)}\n`,
  );
}
