import { InvalidArgumentError, Option, type Command } from 'commander';
import { DOCUMENT_FORMATS } from '../output/formats.ts';
import { COLOR_CHOICES } from '../output/paint.ts';
import { DEFAULT_API_URL } from '../settings/address.ts';
import { VARIABLES } from '../settings/flags.ts';

/** Options that several commands have. */
type OptionGroup = (command: Command) => Command;

/** Adds the options of these groups to a command, in the order in which its help lists them. */
export function addOptions(command: Command, ...groups: readonly OptionGroup[]): Command {
  return groups.reduce((taker, add) => add(taker), command);
}

/** An option that a variable may stand for. */
interface Setting extends Option {
  readonly variable?: string;
}

/**
 * Makes an option for which a variable may stand. Commander has `env` for that, which takes an empty variable for a value, any
 * value of a switch for yes, and no environment but that of this process: so `settings/` reads the variables. `standard` says in
 * the help what holds without both.
 */
export function setting(flags: string, description: string, variable: string, standard?: string): Option {
  return Object.assign(plainOption(flags, description, standard), { variable });
}

/** Makes an option; `standard` says in the help what holds without it. */
export function plainOption(flags: string, description: string, standard?: string): Option {
  return new Option(flags, description).default(undefined, standard);
}

/** Describes an option in the help, with its default before the variable that sets it. */
export function describeOption(option: Setting): string {
  const { argChoices, variable } = option;
  const choices = argChoices?.map((choice) => `"${choice}"`).join(', ');
  return [
    describeDefault(option),
    variable === undefined ? '' : ` [${variable}]`,
    choices === undefined ? '' : ` (choices: ${choices})`,
  ].join('');
}

/** Returns what an option does, and what holds without it. */
export function describeDefault({ description, defaultValue, defaultValueDescription }: Option): string {
  const standard = defaultValueDescription ?? (defaultValue === undefined ? '' : String(defaultValue));
  return standard === '' ? description : `${description}; default: ${standard}`;
}

export function manifestOptions(command: Command): Command {
  return fileOptions(command).option('--domain <domain>', 'only this domain (repeatable)', collect);
}

/** Adds the option of commands that can serve many accounts. */
export function accountsOption(command: Command): Command {
  const takesFiles = command.options.some(({ long }) => long === '--file');
  const what = `${takesFiles ? 'instead of -f: ' : ''}many accounts, one per entry of this directory`;
  return command.addOption(setting('--accounts <dir>', what, VARIABLES.accounts));
}

export function fileOptions(command: Command): Command {
  const file = 'manifest file or directory, - for standard input; repeatable';
  const entries = 'maximum number of entries, with expanded templates';
  return command
    .addOption(
      setting('-f, --file <path>', file, VARIABLES.file, 'fwdsync.yaml or fwdsync/').argParser(collect),
    )
    .addOption(setting('--max-entries <n>', entries, VARIABLES.maxEntries, '1000000').argParser(wholeNumber));
}

export function connectionOptions(command: Command): Command {
  const version = 'the last segment of the address';
  return addressOption(command)
    .addOption(setting('--api-version <version>', 'v4 or v3', VARIABLES.apiVersion, version))
    .addOption(setting('--account <email>', 'the account that the key must belong to', VARIABLES.account));
}

export function addressOption(command: Command): Command {
  return command.addOption(
    setting('--api-url <url>', 'base URL of the API', VARIABLES.apiUrl, DEFAULT_API_URL),
  );
}

/** Adds the option of commands that need no key. */
export function accountOption(command: Command): Command {
  return command.addOption(setting('--account <email>', 'only this account', VARIABLES.account, 'all'));
}

export function stateOption(command: Command): Command {
  const what = 'snapshots, reports and what was applied last';
  return command.addOption(setting('--state-dir <dir>', what, VARIABLES.stateDir, 'below ~/.local/state'));
}

/** Adds the options of commands that read or write the state of accounts. */
export function storeOptions(command: Command): Command {
  const what = 'keep the state in PostgreSQL, postgres://USER@HOST/DATABASE';
  const variables = `${VARIABLES.store}, FWDSYNC_STORE_FILE; FWDSYNC_STORE_KEY`;
  return stateOption(command).addOption(setting('--store <url>', what, variables, 'the state directory'));
}

/** Adds the options of commands that read files of other systems. */
export function sourceOptions(command: Command): Command {
  const known = 'the one of a known table';
  return command
    .option(
      '--delimiter <sign>',
      'the character that begins a label in the old system, such as + in sales+eu',
      '+',
    )
    .addOption(plainOption('--address <column>', 'the column of a table that holds the addresses', known))
    .addOption(
      plainOption('--destination <column>', 'the column of a table that holds the destinations', known),
    );
}

/** Adds the option of commands that write. */
export function historyOption(command: Command): Command {
  const what = 'how long to keep the history';
  return command.addOption(setting('--history <duration>', what, VARIABLES.history, '400d'));
}

export function outputOptions(formats: readonly string[] = DOCUMENT_FORMATS): OptionGroup {
  return (command) => logOptions(maskOption(formatOption(formats)(command)));
}

export function formatOption(formats: readonly string[] = DOCUMENT_FORMATS): OptionGroup {
  const format = (): Option => setting('--format <format>', 'output format', VARIABLES.format, 'text');
  return (command) => command.addOption(format().choices(formats));
}

export function maskOption(command: Command): Command {
  return command.addOption(setting('--mask', 'hide the local parts of destinations', VARIABLES.mask));
}

/** Adds the options that every command has: colours and the log. */
export function logOptions(command: Command): Command {
  const levels = 'fatal, error, warn, info, debug, trace or silent';
  const format = 'pretty on a terminal, else json';
  return command
    .addOption(setting('--color <when>', 'colours', 'NO_COLOR, FORCE_COLOR', 'auto').choices(COLOR_CHOICES))
    .addOption(setting('--log-level <level>', levels, VARIABLES.logLevel, 'info'))
    .addOption(setting('--log-format <format>', 'json or pretty', VARIABLES.logFormat, format));
}

export function allowanceOptions(command: Command): Command {
  return command
    .option('--allow-deletes <n>', 'the exact number of deletes of the whole run', wholeNumber)
    .option('--allow-reroutes <n>', 'the exact number of reroutes of the whole run', wholeNumber)
    .option('--allow-domain-delete <domain>', 'a domain that may be deleted (repeatable)', collect)
    .option('--allow-empty <domain/section>', 'a section that may become empty (repeatable)', collect)
    .option('--allow-unrouted <address>', 'an address that may lose its delivery (repeatable)', collect)
    .option('--rotate <name@domain>', 'send the password of this credential again (repeatable)', collect)
    .option(
      '--skip-refused',
      'withhold parts that a guard refuses or that cannot be read, and apply the rest',
    );
}

/** Options of every command that plans. */
export const PLANNING_OPTIONS: readonly OptionGroup[] = [
  manifestOptions,
  accountsOption,
  connectionOptions,
  storeOptions,
];

export function example(line: string): string {
  return `\nExample:\n  $ ${line}`;
}

export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

export const MOST_PORT = 65_535;

/** Parses a TCP port; 0 stands for a free one. */
export function portNumber(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= MOST_PORT) return Number(text);
  throw new InvalidArgumentError(`It must be a port, from 0 to ${MOST_PORT}.`);
}

export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number > 0) return number;
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
