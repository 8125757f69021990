import { Argument } from 'commander';
import type { CommandGroup, Declaration } from '../command.ts';
import { CHANGE_COMMANDS } from './change-commands.ts';
import { LOOK_COMMANDS } from './look-commands.ts';
import { OPERATE_COMMANDS } from './operate-commands.ts';
import { addOptions, example, formatOption, logOptions } from './options.ts';
import { TRY_COMMANDS } from './try-commands.ts';

/**
 * Declares the command with which a line begins, and no other; all, for help and suggestions, if it begins with none, and for
 * `completion`, which completes the lines of all others.
 */
export function declareCommands(declaration: Declaration, [first = '']: readonly string[]): void {
  const { program } = declaration;
  const [declare] = Object.values(COMMANDS).flatMap((group) =>
    Object.hasOwn(group, first) ? group[first] : [],
  );
  if (declare !== undefined && first !== 'completion') {
    declare(program.command(first), declaration);
    return;
  }
  for (const [heading, group] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const [name, declareOne] of Object.entries(group)) declareOne(program.command(name), declaration);
  }
}

const OTHER_COMMANDS: CommandGroup = {
  explain: (command, { run }) =>
    addOptions(command, formatOption(), logOptions)
      .description(
        'Print what the docs say about a code: a problem, warning, guard, gate or exit code; offline',
      )
      .argument('<code>', 'such as unknown-destination, max-deletes or 4')
      .addHelpText('after', example('fwdsync explain shadowed-alias'))
      .action(run(async () => (await import('../commands/explain/explain-command.ts')).explainCommand)),
  completion: (command, { program, run, context }) =>
    command
      .usage('[options] <shell>')
      .description('Print the completion of this command line for a shell')
      .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
      .addHelpText('after', example('source <(fwdsync completion bash)'))
      .action(run(async () => (await import('../commands/completion/completion.ts')).completionCommand))
      // The printed completion scripts run this command.
      .command('words', { hidden: true })
      .argument('[words...]')
      .action(async (words: readonly string[]) =>
        (await import('../commands/completion/words.ts')).completeWords(program, context, words),
      ),
};

/** Commands in the order of the help, under its headings. */
const COMMANDS: Readonly<Record<string, CommandGroup>> = {
  'Change an account:': CHANGE_COMMANDS,
  'Inspect an account:': LOOK_COMMANDS,
  'Operate:': OPERATE_COMMANDS,
  'Try it out:': TRY_COMMANDS,
  'Other:': OTHER_COMMANDS,
};
