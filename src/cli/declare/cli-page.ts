import type { Command } from 'commander';
import { describeProgram, type CommandReference } from './reference.ts';

/** Renders docs/cli.md, the reference of the command line. */
export function renderCliPage(program: Command): string {
  const reference = describeProgram(program);
  const name = program.name();
  const commands = reference.commands.map((command) => {
    const [, title = ''] = command.usage.split(' ');
    const parts = [
      `## ${title}`,
      `\`${command.usage}\``,
      `${escape(command.description)}.`,
      ...bodyOf(command),
    ];
    return parts.join('\n\n');
  });
  const head = [
    '# Command line',
    `Every command with its options. \`man ${name}\` and \`${name} COMMAND --help\` show the same text, from the same declarations.`,
    ...bodyOf(reference),
  ];
  return `${[...head, ...commands].join('\n\n')}\n`;
}

function bodyOf(command: CommandReference): readonly string[] {
  const rows = [...command.arguments, ...command.options].map(
    ({ term, text }) => `| \`${term}\` | ${escape(text)} |`,
  );
  const sections = command.sections.map(({ title, lines }) => {
    const [, example] = /^ +\$ (.*)$/.exec(lines.join('\n')) ?? [];
    return example === undefined
      ? `${title}:\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\``
      : `${title}: \`${example}\``;
  });
  return [['| | |', '|---|---|', ...rows].join('\n'), ...sections];
}

/** Escapes a text for a cell of a table. */
function escape(text: string): string {
  return text.replaceAll(/[|<*]/g, '\\$&');
}
