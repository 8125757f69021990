import {
  domainsCommand,
  type CommandLine,
  type CompletedCommand,
  type CompletedOption,
  type Value,
} from './command-line.ts';

/** For `~/.config/fish/completions/fwdsync.fish`, or `fwdsync completion fish | source`. */
export function fishCompletion({ name, options, commands }: CommandLine): string {
  const lines = [
    ['-f'],
    ...options.map((option) => ['-n', '__fish_use_subcommand', ...specOf(option)]),
    ...commands.flatMap(commandLines),
  ];
  const written = lines.map((words) => `complete -c ${name} ${words.join(' ')}\n`);
  return `# fish completion of ${name}\n${written.join('')}`;
}

function commandLines({
  name,
  description,
  options,
  argument,
}: CompletedCommand): readonly (readonly string[])[] {
  const seen = ['-n', quote(`__fish_seen_subcommand_from ${name}`)];
  return [
    ['-n', '__fish_use_subcommand', '-a', name, '-d', quote(description)],
    ...(argument.kind === 'none' || argument.kind === 'text' ? [] : [[...seen, ...valueWords(argument)]]),
    ...options.map((option) => [...seen, ...specOf(option)]),
  ];
}

function specOf({ short, long, description, value }: CompletedOption): readonly string[] {
  return [
    ...(short === null ? [] : ['-s', short.slice(1)]),
    '-l',
    long.slice(2),
    ...(value.kind === 'none' ? [] : ['-r', ...valueWords(value)]),
    '-d',
    quote(description),
  ];
}

function valueWords(value: Value): readonly string[] {
  switch (value.kind) {
    case 'none':
    case 'text':
      return ['-f'];
    case 'files':
      return ['-F'];
    case 'domains':
      return ['-f', '-a', quote(`(${domainsCommand('(commandline -op)')})`)];
    case 'choices':
      return ['-f', '-a', quote(value.choices.join(' '))];
  }
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
