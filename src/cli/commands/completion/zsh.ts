import {
  domainsCommand,
  type CommandLine,
  type CompletedCommand,
  type CompletedOption,
  type Value,
} from './command-line.ts';

/** For a file `_fwdsync` in `$fpath`, or `source <(fwdsync completion zsh)` after `compinit`. */
export function zshCompletion({ name, options, commands }: CommandLine): string {
  return `#compdef ${name}
_fwdsync_domains() {
  local -a domains=(\${(f)"$(${domainsCommand('"${words[@]}"')})"})
  compadd "$@" -a domains
}
_${name}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
${options.map((option) => `    ${specOf(option)} \\`).join('\n')}
    '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
${commands.map((command) => `        ${quote(`${command.name}:${command.description}`)}`).join('\n')}
      )
      _describe command commands ;;
    argument)
      case $line[1] in
${commands.map(commandCase).join('\n')}
      esac ;;
  esac
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function commandCase({ name, options, argument }: CompletedCommand): string {
  const rest = argument.kind === 'none' ? [] : [`'*:argument:${actionOf(argument)}'`];
  const specs = [...options.map(specOf), ...rest].map((spec) => `          ${spec}`);
  return `        ${name}) _arguments \\\n${specs.join(' \\\n')} ;;`;
}

function specOf({ short, long, description, value, repeatable }: CompletedOption): string {
  const told = `[${description.replaceAll(/[[\]\\]/g, String.raw`\$&`)}]`;
  const action = value.kind === 'none' ? '' : `:value:${actionOf(value)}`;
  const flags = short === null ? [long] : [short, long];
  const others = repeatable ? '*' : flags.length === 1 ? '' : `(${flags.join(' ')})`;
  return flags
    .map((flag) => (value.kind !== 'none' && flag.startsWith('--') ? `${flag}=` : flag))
    .map((flag) => quote(`${others}${flag}${told}${action}`))
    .join(' ');
}

function actionOf(value: Value): string {
  switch (value.kind) {
    case 'none':
    case 'text':
      return ' ';
    case 'files':
      return '_files';
    case 'domains':
      return '_fwdsync_domains';
    case 'choices':
      return `(${value.choices.join(' ')})`;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
