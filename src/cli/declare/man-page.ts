import type { Command } from 'commander';
import { describeProgram, type CommandReference } from './reference.ts';

/** Renders the manual page of a program. The date is that of the build. */
export function renderManPage(
  program: Command,
  { version, date }: { readonly version: string; readonly date: string },
): string {
  const name = program.name();
  const reference = describeProgram(program);
  const [summary = ''] = reference.description.split(':');
  const parts = [
    `.TH ${name.toUpperCase()} 1 "${date}" "${name} ${version}" "User Commands"`,
    `.SH NAME\n${name} \\- ${escape(summary)}`,
    `.SH SYNOPSIS\n.B ${name}\n.I COMMAND\n[options]`,
    `.SH DESCRIPTION\n${escape(reference.description)}`,
    ...sectionsOf(reference, '.SH'),
    '.SH OPTIONS',
    ...termsOf(reference),
    '.SH COMMANDS',
    ...reference.commands.flatMap((command) => [
      `.SS ${escape(command.usage)}`,
      escape(`${command.description}.`),
      ...termsOf(command),
      ...sectionsOf(command, '.PP\n.B'),
    ]),
  ];
  return `${parts.join('\n')}\n`;
}

function termsOf(command: CommandReference): readonly string[] {
  return [...command.arguments, ...command.options].map(
    ({ term, text }) => `.TP\n.B ${escape(term)}\n${escape(text)}`,
  );
}

function sectionsOf({ sections }: CommandReference, heading: string): readonly string[] {
  return sections.map(
    ({ title, lines }) =>
      `${heading} ${escape(title.toUpperCase())}\n.PP\n.nf\n${lines.map(escape).join('\n')}\n.fi`,
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
