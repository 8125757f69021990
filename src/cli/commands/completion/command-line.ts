import type { Argument, Command, Option } from 'commander';
import { collect } from '../../input/options.ts';

/** A command line as data: what a shell has to know to complete it. */
export interface CommandLine {
  readonly name: string;
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** Of what does not begin with a dash. */
  readonly argument: Value;
}

export interface CompletedOption {
  readonly short: string | null;
  readonly long: string;
  readonly description: string;
  readonly value: Value;
  readonly repeatable: boolean;
}

/** What may stand for a value; `text` is known to nobody here. */
export type Value =
  | { readonly kind: 'none' }
  | { readonly kind: 'text' }
  | { readonly kind: 'files' }
  /** Those of the manifests that the command line names. */
  | { readonly kind: 'domains' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] };

/** Reads commands, options and their values from the program that parses them. */
export function describeCommandLine(program: Command): CommandLine {
  return {
    name: program.name(),
    options: optionsOf(program),
    commands: program.commands.map((command) => ({
      name: command.name(),
      description: command.description(),
      options: optionsOf(command),
      argument: argumentValue(command.registeredArguments[0]),
    })),
  };
}

function optionsOf(command: Command): readonly CompletedOption[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      short: option.short ?? null,
      long: option.long ?? `--${option.name()}`,
      description: option.description.replace(/ \[[A-Z_]+\]$/, ''),
      value: optionValue(option),
      repeatable: option.parseArg === collect,
    }));
}

function optionValue({ flags, argChoices }: Option): Value {
  if (argChoices !== undefined) return { kind: 'choices', choices: argChoices };
  if (!flags.includes('<')) return { kind: 'none' };
  if (flags.includes('<domain>')) return { kind: 'domains' };
  return /<(?:file|path|dir)>/.test(flags) ? { kind: 'files' } : { kind: 'text' };
}

function argumentValue(argument: Argument | undefined): Value {
  if (argument === undefined) return { kind: 'none' };
  if (argument.argChoices !== undefined) return { kind: 'choices', choices: argument.argChoices };
  if (argument.name() === 'domain') return { kind: 'domains' };
  return argument.name() === 'plan' ? { kind: 'files' } : { kind: 'text' };
}

/**
 * What a shell runs to learn the domains of the manifests; `words`: those of the line, in the shell's own terms. It is
 * the program itself, not a function or an alias around it, which may ask for a key; what is typed meanwhile is not its
 * input, and no complaint of it gets into the line.
 */
export function domainsCommand(words: string): string {
  return `command fwdsync completion domains -- ${words} </dev/null 2>/dev/null`;
}
