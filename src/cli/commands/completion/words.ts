import type { Argument, Command, Option } from 'commander';
import type { ProcessContext } from '../../context.ts';
import { describeDefault } from '../../declare/options.ts';
import { listDestinations, listDomains } from './list-domains.ts';

/** Candidates for a place of the line: words, each with an optional description after a tab; files; domains. */
type Candidates =
  | readonly string[]
  | 'files'
  /** Domains of the manifests that the line names. */
  | 'domains'
  | 'destinations'
  | 'destinations-and-groups'
  /** Codes that the docs explain. */
  | 'codes';

/**
 * Prints the candidates at the cursor for a shell that completes a line: one word per line, with its description
 * after a tab, or `:files`. The first argument is the index of the word at the cursor. The arguments after it are the
 * whole line, split by the shell. Shells may expand the output, so words contain only letters, digits and signs
 * without a meaning to a shell.
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
      : (await wordsOf(context, line, candidates)).map((word) =>
          assigned === undefined ? word : `${assigned}=${word}`,
        );
  context.stdout.write(words.map((word) => `${word}\n`).join(''));
}

async function wordsOf(
  context: Pick<ProcessContext, 'env' | 'cwd' | 'stdin'>,
  line: readonly string[],
  candidates: Exclude<Candidates, 'files'>,
): Promise<readonly string[]> {
  if (typeof candidates !== 'string') return candidates;
  if (candidates === 'codes') return (await import('../explain/read-docs.ts')).listCodes();
  return candidates === 'domains' ? listDomains(context, line) : listDestinations(context, line, candidates);
}

/** Returns the candidates at a place. `assigned` is the option whose value follows its `=` in the same word. */
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
  if (flags.includes('<old>')) return 'destinations-and-groups';
  return /<(?:file|path|dir)>/.test(flags) ? 'files' : [];
}

function argumentsOf(argument: Argument | undefined): Candidates {
  if (argument?.argChoices !== undefined) return argument.argChoices;
  switch (argument?.name()) {
    case 'domain':
      return 'domains';
    case 'destination':
      return 'destinations';
    case 'old':
      return 'destinations-and-groups';
    case 'plan':
      return 'files';
    case 'code':
      return 'codes';
    default:
      return [];
  }
}
