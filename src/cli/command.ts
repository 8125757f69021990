import type { Command } from 'commander';
import type { ManifestCounts } from '../core/manifest/load.ts';
import type { Problem } from '../core/model/manifest/problem.ts';
import type { Context, ProcessContext } from './context.ts';
import type { ExitCode } from './exit.ts';
import type { Settings } from './settings/resolve-settings.ts';

/** One call of a command: what flags and variables say, the flags of the command alone, and its arguments. */
export interface CommandCall<Options = object> {
  readonly settings: Settings;
  readonly options: Options;
  readonly args: readonly string[];
}

/** Runs a command for one account, or for one that is not about an account. */
export type CommandAction<Options = object> = (
  context: Context,
  call: CommandCall<Options>,
) => Promise<CommandResult>;

/** The exit code of a command and its output. The caller prints the output, or collects it from many accounts. */
export interface CommandResult {
  readonly exit: ExitCode;
  /** The document of `--format json`. */
  readonly document?: object;
  /** A document whose lists may be longer than memory: it is printed as they are read. */
  readonly lists?: ListsDocument;
  /** The output in every other format. */
  readonly text?: string;
  /** A document that is saved before anything is printed. */
  readonly saved?: { readonly path: string; readonly document: object };
  /** State of the account in one line, for the list of many accounts. */
  readonly verdict?: string;
  /** True if something was written to the account, or may have been. */
  readonly wrote?: boolean;
  /** True if the plan has changes that apply would run. */
  readonly canApply?: boolean;
  /** Findings in manifests, for formats that are one document of all accounts. */
  readonly checked?: CheckedManifests;
}

export interface ListsDocument {
  readonly kind: string;
  readonly lists: Readonly<Record<string, AsyncIterable<object> | readonly object[]>>;
}

/** The manifests that were read, and what was found in them. */
export interface CheckedManifests {
  readonly problems: readonly Problem[];
  readonly texts: readonly { readonly file: string }[];
  readonly counts: ManifestCounts;
}

/** Returns the document for `--format json`, else the text. */
export function chooseOutput(
  { format }: Pick<Context, 'format'>,
  document: object,
  text: () => string,
): Pick<CommandResult, 'document' | 'text'> {
  return format === 'json' ? { document } : { text: text() };
}

/** Runs one command line to its end. */
export type Execute = (context: ProcessContext, args: readonly string[]) => Promise<ExitCode>;

/** Makes of a command's module, loaded when it runs, what commander calls. */
export type CommandRunner = <Options>(
  load: () => Promise<CommandAction<Options>>,
) => (...received: unknown[]) => Promise<void>;

/** The program that commands are added to, and what runs them. */
export interface Declaration {
  readonly program: Command;
  readonly run: CommandRunner;
  readonly execute: Execute;
  readonly context: ProcessContext;
}

/** Commands under one heading of the help, by their names; each gets its options, its help and its action. */
export type CommandGroup = Readonly<Record<string, (command: Command, declaration: Declaration) => unknown>>;
