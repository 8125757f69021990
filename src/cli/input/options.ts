import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit.ts';
import { DOCUMENT_FORMATS } from '../output/formats.ts';

/** A command's action; it prints what it has to say and gives the exit code. */
export type CommandAction<Options> = (
  context: Context,
  options: Options,
  args: readonly string[],
) => Promise<ExitCode>;

/** Runs one command line to its end. */
export type Execute = (context: Context, args: readonly string[]) => Promise<ExitCode>;

/** Makes of a command's module, loaded when it runs, what commander calls. */
export type CommandRunner = <Options>(
  load: () => Promise<CommandAction<Options>>,
) => (...received: unknown[]) => Promise<void>;

/** What commands are added to, and what runs them. */
export interface Declaration {
  readonly program: Command;
  readonly run: CommandRunner;
  readonly execute: Execute;
  readonly context: Context;
}

/** Options that several commands have. */
type OptionGroup = (command: Command) => Command;

/** Adds a command with the options of these groups, in the order in which its help lists them. */
export function addCommand(program: Command, name: string, ...groups: readonly OptionGroup[]): Command {
  return groups.reduce((command, add) => add(command), program.command(name));
}

export function withManifest(command: Command): Command {
  return withFiles(command).option('--domain <domain>', 'only this domain (repeatable)', collect);
}

/** For commands that can serve many accounts. */
export function withAccounts(command: Command): Command {
  const takesFiles = command.options.some(({ long }) => long === '--file');
  return command.option(
    '--accounts <dir>',
    `${takesFiles ? 'instead of -f: ' : ''}many accounts, one per entry of this directory [FWDSYNC_ACCOUNTS]`,
  );
}

export function withFiles(command: Command): Command {
  return command
    .option(
      '-f, --file <path>',
      'manifest file or directory, - for standard input; repeatable; default: fwdsync.yaml or fwdsync/ [FWDSYNC_FILE]',
      collect,
    )
    .option(
      '--max-entries <n>',
      'entries that manifests may have once templates are expanded; default: 1000000 [FWDSYNC_MAX_ENTRIES]',
      wholeNumber,
    );
}

export function withConnection(command: Command): Command {
  return command
    .option('--api-url <url>', 'base URL of the API; default: https://api.improvmx.com/v4 [FWDSYNC_API_URL]')
    .option(
      '--api-version <version>',
      'v4 or v3; default: the last segment of the address [FWDSYNC_API_VERSION]',
    )
    .option('--account <email>', 'the account that the key must belong to [FWDSYNC_ACCOUNT]');
}

/** For commands that need no key. */
export function withAccount(command: Command): Command {
  return command.option('--account <email>', 'only this account; default: all [FWDSYNC_ACCOUNT]');
}

export function withState(command: Command): Command {
  return command.option(
    '--state-dir <dir>',
    'snapshots, reports and what was applied last; default: below ~/.local/state [FWDSYNC_STATE_DIR]',
  );
}

/** For commands that read or write the state of accounts. */
export function withStore(command: Command): Command {
  return withState(command).option(
    '--store <url>',
    'keep the state in PostgreSQL, postgres://USER@HOST/DATABASE; default: the state directory [FWDSYNC_STORE, FWDSYNC_STORE_FILE; FWDSYNC_STORE_KEY]',
  );
}

/** For commands that write. */
export function withHistory(command: Command): Command {
  return command.option(
    '--history <duration>',
    'how long it is recorded what was changed, by whom; default: 400d [FWDSYNC_HISTORY]',
  );
}

export function withOutput(formats: readonly string[] = DOCUMENT_FORMATS): OptionGroup {
  return (command) => withLogs(withMask(withFormat(formats)(command)));
}

export function withFormat(formats: readonly string[] = DOCUMENT_FORMATS): OptionGroup {
  return (command) =>
    command.addOption(
      new Option('--format <format>', 'how to print it; default: text [FWDSYNC_FORMAT]').choices(formats),
    );
}

export function withMask(command: Command): Command {
  return command.option('--mask', 'hide the local parts of destinations [FWDSYNC_MASK]');
}

/** What every command has: how it is painted, and what it logs. */
export function withLogs(command: Command): Command {
  return command
    .addOption(
      new Option('--color <when>', 'colours; default: auto [NO_COLOR, FORCE_COLOR]').choices([
        'auto',
        'always',
        'never',
      ]),
    )
    .option(
      '--log-level <level>',
      'fatal, error, warn, info, debug, trace or silent; default: info [FWDSYNC_LOG_LEVEL]',
    )
    .option(
      '--log-format <format>',
      'json or pretty; default: pretty on a terminal, else json [FWDSYNC_LOG_FORMAT]',
    );
}

export function withAllowances(command: Command): Command {
  return command
    .option('--allow-deletes <n>', 'the exact number of deletes of the whole run', wholeNumber)
    .option('--allow-reroutes <n>', 'the exact number of reroutes of the whole run', wholeNumber)
    .option('--allow-domain-delete <domain>', 'a domain that may be deleted (repeatable)', collect)
    .option('--allow-empty <domain/section>', 'a section that may become empty (repeatable)', collect)
    .option('--allow-unrouted <address>', 'an address that may lose its delivery (repeatable)', collect)
    .option('--rotate <name@domain>', 'send the password of this credential again (repeatable)', collect)
    .option(
      '--skip-refused',
      'withhold what a guard refuses or what cannot be read, and continue with the rest',
    );
}

/** Describes an option in the help, with its default before the variable that sets it. */
export function describeOption({ description, defaultValue, argChoices }: Option): string {
  const choices =
    argChoices === undefined ? '' : ` (choices: ${argChoices.map((choice) => `"${choice}"`).join(', ')})`;
  const hasDefault = defaultValue !== undefined && defaultValue !== '';
  const withDefault = hasDefault
    ? description.replace(/(?: \[[^\]]+\])?$/, (variable) => `; default: ${String(defaultValue)}${variable}`)
    : description;
  return withDefault + choices;
}

export function example(line: string): string {
  return `\nExample:\n  $ ${line}`;
}

export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

export const MOST_PORT = 65_535;

/** A TCP port; 0 stands for a free one. */
export function portNumber(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= MOST_PORT) return Number(text);
  throw new InvalidArgumentError(`It is not a port: give a number from 0 to ${MOST_PORT}.`);
}

export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number > 0) return number;
  throw new InvalidArgumentError('Give a number from 1 on.');
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not an integer.');
}
