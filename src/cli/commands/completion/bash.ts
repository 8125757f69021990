import {
  domainsCommand,
  type CommandLine,
  type CompletedCommand,
  type CompletedOption,
  type Value,
} from './command-line.ts';

/** For `source <(fwdsync completion bash)`; bash 4 or later. */
export function bashCompletion({ name, options, commands }: CommandLine): string {
  const words = [...commands.map((command) => command.name), ...longs(options)].join(' ');
  return `# bash completion of ${name}
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command='' word
  # --option=value is three words.
  if [[ $cur == = ]]; then cur=''
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != -* ]]; then command=$word; break; fi
  done
  COMPREPLY=()
  case "$command:$prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
    '') COMPREPLY=($(compgen -W '${words}' -- "$cur")) ;;
${commands.map(commandCase).join('\n')}
  esac
}
complete -F _${name} ${name}
`;
}

function valueCases({ name, options }: CompletedCommand): readonly string[] {
  return options
    .filter(({ value }) => value.kind !== 'none')
    .map((option) => {
      const patterns = flagsOf(option).map((flag) => `${name}:${flag}`);
      return `    ${patterns.join('|')}) ${reply(option.value)}return ;;`;
    });
}

function commandCase({ name, options, argument }: CompletedCommand): string {
  const flags = `if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '${longs(options).join(' ')}' -- "$cur"))`;
  return `    ${name}) ${flags}; else ${reply(argument)}return; fi ;;`;
}

function reply(value: Value): string {
  switch (value.kind) {
    case 'none':
    case 'text':
      return '';
    case 'files':
      return 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); ';
    case 'choices':
      return replyWords(`'${value.choices.join(' ')}'`);
    case 'domains':
      return replyWords(`"$(${domainsCommand('"${COMP_WORDS[@]}"')})"`);
  }
}

/** `compgen -W` expands them, so that nothing but plain words may be among them. */
function replyWords(words: string): string {
  return `COMPREPLY=($(compgen -W ${words} -- "$cur")); `;
}

function longs(options: readonly CompletedOption[]): readonly string[] {
  return options.map(({ long }) => long);
}

function flagsOf({ short, long }: CompletedOption): readonly string[] {
  return short === null ? [long] : [short, long];
}
