import type { Command } from 'commander';

/** The help of a command, as data. */
export interface CommandReference {
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly Term[];
  readonly options: readonly Term[];
  /** Texts below the help, such as the example. */
  readonly sections: readonly Section[];
}

interface Term {
  readonly term: string;
  readonly text: string;
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Describes a program and its commands from the declarations that print its help. */
export function describeProgram(
  program: Command,
): CommandReference & { readonly commands: readonly CommandReference[] } {
  const commands = program.createHelp().visibleCommands(program);
  // Commander's own `help` has no help.
  return { ...describe(program), commands: commands.filter((one) => one.name() !== 'help').map(describe) };
}

function describe(command: Command): CommandReference {
  const help = command.createHelp();
  return {
    usage: help.commandUsage(command).trim(),
    description: command.description(),
    arguments: help.visibleArguments(command).map((argument) => {
      return { term: help.argumentTerm(argument), text: help.argumentDescription(argument) };
    }),
    options: help.visibleOptions(command).map((option) => {
      return { term: help.optionTerm(option), text: help.optionDescription(option) };
    }),
    sections: sectionsBelow(command),
  };
}

function sectionsBelow(command: Command): readonly Section[] {
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp();
  const below = text.slice(command.helpInformation().length);
  return [...below.matchAll(/^(\S.*):\n((?: .*\n?)+)/gm)].map(([, title = '', lines = '']) => {
    return { title, lines: lines.trimEnd().split('\n') };
  });
}
