import type { Command } from 'commander';

/** Renders the manual page of a program from the declarations that print its help. The date is that of the build. */
export function renderManPage(
  program: Command,
  { version, date }: { readonly version: string; readonly date: string },
): string {
  const name = program.name();
  const [summary = ''] = program.description().split(':');
  const commands = program.createHelp().visibleCommands(program).filter(hasOwnHelp);
  const parts = [
    `.TH ${name.toUpperCase()} 1 "${date}" "${name} ${version}" "User Commands"`,
    `.SH NAME\n${name} \\- ${escape(summary)}`,
    `.SH SYNOPSIS\n.B ${name}\n.I COMMAND\n[options]`,
    `.SH DESCRIPTION\n${escape(program.description())}`,
    ...sectionsAfter(program, '.SH'),
    `.SH OPTIONS\n${optionsOf(program)}`,
    '.SH COMMANDS',
    ...commands.map(sectionOf),
  ];
  return `${parts.join('\n')}\n`;
}

/** True unless the command is commander's own `help`. */
function hasOwnHelp(command: Command): boolean {
  return command.name() !== 'help';
}

function sectionOf(command: Command): string {
  const help = command.createHelp();
  const argumentsOf = help
    .visibleArguments(command)
    .map((argument) => tagged(help.argumentTerm(argument), help.argumentDescription(argument)));
  return [
    `.SS ${escape(help.commandUsage(command).trim())}`,
    escape(`${command.description()}.`),
    ...argumentsOf,
    optionsOf(command),
    ...sectionsAfter(command, '.PP\n.B'),
  ].join('\n');
}

function optionsOf(command: Command): string {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .map((option) => tagged(help.optionTerm(option), help.optionDescription(option)))
    .join('\n');
}

function tagged(term: string, description: string): string {
  return `.TP\n.B ${escape(term)}\n${escape(description)}`;
}

/** Renders the sections below the help of a command, such as its example: a heading, and the lines as they are. */
function sectionsAfter(command: Command, heading: string): readonly string[] {
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp();
  const after = text.slice(command.helpInformation().length);
  return [...after.matchAll(/^(\S.*):\n((?: .*\n?)+)/gm)].map(
    ([, title = '', lines = '']) =>
      `${heading} ${escape(title.toUpperCase())}\n.PP\n.nf\n${lines.trimEnd().split('\n').map(escape).join('\n')}\n.fi`,
  );
}

/** Escapes a text for roff: backslashes, hyphens, control characters at the start of a line, and what is not ASCII. */
function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll(
      /[^\0-\x7f]/gu,
      (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^(?=[.'])/, '\\&');
}
