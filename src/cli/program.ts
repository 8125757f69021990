import { resolve } from 'node:path';
import { Command } from 'commander';
import pkg from '../../package.json' with { type: 'json' };
import { quote } from '../core/model/names.ts';
import { quoteForShell } from '../core/plan/policy.ts';
import type { CommandRunner, Execute } from './command.ts';
import type { ProcessContext } from './context.ts';
import { declareCommands } from './declare/commands.ts';
import { describeOption } from './declare/options.ts';
import { enterCommand } from './entry.ts';
import { exitWithoutOutput, type ExitCode } from './exit.ts';
import { commandLine } from './output/command-lines.ts';
import { openCommandLog } from './output/log/command-log.ts';
import { printResult } from './output/output.ts';
import { versionText } from './program-info.ts';

interface ProgramPorts {
  /** Takes the exit code of the command. */
  readonly finish: (code: ExitCode) => void;
  readonly execute: Execute;
}

/**
 * Creates the command line with names, options and help, for as many commands as these words need. Each command's
 * module is loaded when it runs, so `validate` in a git hook loads nothing else.
 */
export function createProgram(
  context: ProcessContext,
  line: readonly string[],
  { finish, execute }: ProgramPorts,
): Command {
  const program = new Command('fwdsync')
    .description(
      'Email forwarding as code: plans and applies a YAML manifest of domains, aliases, rules and SMTP credentials.',
    )
    .version(
      versionText(line),
      '-V, --version',
      'output the version number; with --verbose also commit, build date and Node',
    )
    .addHelpCommand(
      new Command('help').argument('[command]').description('display help for command').helpGroup('Other:'),
    )
    .configureHelp({ optionDescription: describeOption })
    .showHelpAfterError('Run with --help for the options.')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    })
    .addHelpText('after', HELP)
    .addHelpText('afterAll', ({ command }) => footer(command.name()))
    .allowExcessArguments()
    .hook('preAction', (_, command) => refuseExcess(command, context))
    .exitOverride();

  const run: CommandRunner =
    (load) =>
    async (...received) => {
      const command = received.at(-1) as Command;
      const entered = await enterCommand(context, command);
      context.ending?.noteCommand(commandLine(entered.context));
      const log = await openCommandLog(entered.context, entered.settings.log, command.name());
      const action = await load();
      const call = { settings: entered.settings, options: command.opts(), args: command.args };
      const result = await action(log.context, call as Parameters<typeof action>[1]);
      await printResult(log.context, result);
      log.finish(result.exit);
      await context.stdout.settle?.();
      // The output of `run` is its log. Losing the log does not change what it did, so its exit code stays.
      finish(command.name() === 'run' ? result.exit : exitWithoutOutput(result.exit, context));
    };

  declareCommands({ program, run, execute, context }, line);
  return program;
}

/**
 * Refuses excess arguments and says that a manifest is named with -f. Commander's own message only counts the
 * arguments.
 */
function refuseExcess(command: Command, { cwd }: Pick<ProcessContext, 'cwd'>): void {
  const expected = command.registeredArguments;
  const [extra] = command.args.slice(expected.length);
  if (extra === undefined || expected.at(-1)?.variadic === true) return;
  const takes = (flag: string): boolean => command.options.some(({ long }) => long === flag);
  const own = `fwdsync ${command.name()}`;
  const path = quoteForShell(resolve(cwd, extra));
  const fix = takes('--file') ? `; name a manifest with -f: \`${own} -f ${path}\`` : '';
  const where =
    !takes('--file') && takes('--out') ? `; name the file with --out: \`${own} --out ${path}\`` : '';
  command.error(`error: ${own} takes no argument ${quote(extra)} here${fix}${where}`, {
    code: 'commander.excessArguments',
  });
}

/** Returns the text below the help of each command. */
function footer(command: string): string {
  const more = command === 'fwdsync' ? '' : 'Environment and exit codes: fwdsync --help\n';
  return `\n${more}Documentation: ${pkg.homepage}/tree/main/docs`;
}

const HELP = `
Environment:
  FWDSYNC_API_KEY, FWDSYNC_API_KEY_FILE  the API key, or a file that holds it; there is no flag for it
  FWDSYNC_FILE, FWDSYNC_ACCOUNT, …       set the option shown with their name in brackets
  FWDSYNC_REFERENCE_PATH                 directories of files behind absolute references; default: /run/secrets
  FWDSYNC_NOTIFY_URL                     where run sends notifications
  FWDSYNC_NOTIFY_URL_FILE                a file that holds that address
  FWDSYNC_PAGE_TOKEN                     the token that the page of run and /status ask for
  FWDSYNC_PAGE_TOKEN_FILE                a file that holds that token

Exit codes:
  0    done            1    could not be done      2    changes (plan --detailed-exitcode)
  3    applied in part 4    refused by a guard     5    the manifest is invalid
  6    stale plan      64   wrong usage            130  interrupted, 143 terminated

Example:
  $ fwdsync plan -f fwdsync.yaml`;
