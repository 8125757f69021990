import type { Argument, Command, Option } from 'commander';
import type { ProcessContext } from '../../context.ts';
import { describeDefault } from '../../declare/options.ts';
import { listDomains } from './list-domains.ts';

/** What may stand at a place of the line: words, each perhaps with a description behind a tab; files; domains. */
type Candidates =
  | readonly string[]
  | 'files'
  /** Those of the manifests that the line names. */
  | 'domains';

/**
 * Prints what may stand at the cursor of a line that somebody is typing, for a shell that completes it: a word a line,
 * with its description behind a tab, or `:files`. The first of the words is the index of the one at the cursor in those
 * after it, which are all of the line in the shell's own terms. Shells may expand what is printed: words are nothing but
 * letters, digits, hyphens and dots.
 */
export async function completeWords(
  program: Command,
  context: Pick<ProcessContext, 'env' | 'cwd' | 'stdin' | 'stdout'>,
  [index = '0', ...line]: readonly string[],
): Promise<void> {
  const before = line.slice(1, Number(index)).filter((word) => word !== '=');
  const current = line[Number(index)] ?? '';
  const [, assigned] = /^(--[^=]+)=/.exec(current) ?? [];
  const candidates = candidatesAt(program, before, assigned ?? current, assigned);
  const words =
    candidates === 'files'
      ? [':files']
      : (candidates === 'domains' ? await listDomains(context, line) : candidates).map((word) =>
          assigned === undefined ? word : `${assigned}=${word}`,
        );
  context.stdout.write(words.map((word) => `${word}\n`).join(''));
}

/** `assigned` is the option whose value is behind its `=` in the same word. */
function candidatesAt(
  program: Command,
  before: readonly string[],
  current: string,
  assigned: string | undefined,
): Candidates {
  const name = before.find((word) => !word.startsWith('-'));
  const command = program.commands.find((candidate) => candidate.name() === name);
  const options = (command ?? program).createHelp().visibleOptions(command ?? program);
  const flag = assigned ?? before.at(-1);
  const option = options.find(({ long, short }) => flag !== undefined && (long === flag || short === flag));
  if (option?.required === true) return valuesOf(option);
  if (current.startsWith('-') && command !== undefined) return options.map(describe);
  if (command !== undefined) return argumentsOf(command.registeredArguments[0]);
  const commands = program.commands.map((each) => `${each.name()}\t${each.description()}`);
  return [...commands, ...options.map(describe)];
}

function describe(option: Option): string {
  return `${option.long ?? option.flags}\t${describeDefault(option)}`;
}

function valuesOf({ flags, argChoices }: Option): Candidates {
  if (argChoices !== undefined) return argChoices;
  if (flags.includes('<domain>')) return 'domains';
  return /<(?:file|path|dir)>/.test(flags) ? 'files' : [];
}

function argumentsOf(argument: Argument | undefined): Candidates {
  if (argument?.argChoices !== undefined) return argument.argChoices;
  if (argument?.name() === 'domain') return 'domains';
  return argument?.name() === 'plan' ? 'files' : [];
}
