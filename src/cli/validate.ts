import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { readDesired } from './desired.ts';
import { plural, problemsDocument, renderProblemCounts } from './problems.ts';
import { resolveFormat, type CommonOptions } from './settings.ts';
import { styleFor } from './style.ts';

/** Checks manifests, offline and without a key; exits with 0, 5 or, for a file that cannot be read, 1. */
export async function validateCommand(context: Context, options: CommonOptions): Promise<ExitCode> {
  const format = resolveFormat(options, context, ['text', 'json']);
  const { problems, counts, desired } = await readDesired(context, options, {
    references: 'optional',
    problems: format === 'json' ? 'silent' : 'printed',
    unnamed: 'refused',
  });
  if (format === 'json') {
    context.stdout.write(`${JSON.stringify(problemsDocument(problems, counts), null, 2)}\n`);
    return desired === null ? EXIT.invalid : EXIT.done;
  }
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
  return desired === null ? EXIT.invalid : EXIT.done;
}
