import type { CommandAction } from '../../command.ts';
import { EXIT } from '../../exit.ts';

/** Prints the script that completes the command line in a shell. */
export const completionCommand: CommandAction = async (_context, { args: [shell] }) => ({
  exit: EXIT.done,
  text: SCRIPTS[shell as keyof typeof SCRIPTS],
});

/**
 * Asks the program itself for completions. A function or an alias around it might ask for a key. It reads no typed
 * input, and its errors do not appear in the line.
 */
const ask = (index: string, words: string): string =>
  `command fwdsync completion words -- ${index} ${words} </dev/null 2>/dev/null`;

/** Each asks with the place of the cursor and all words of the line, and completes paths itself. */
const SCRIPTS = {
  // For `source <(fwdsync completion bash)`; bash 4 or later. Around `=`, `@` and `:` it makes three words of one, and
  // replaces what follows the last of them; an `@` is replaced as well.
  bash: `# bash completion of fwdsync
_fwdsync() {
  local words kept cur=\${COMP_WORDS[COMP_CWORD]} typed=\${COMP_LINE:0:COMP_POINT}
  typed=\${typed##*[[:space:]=]}
  [[ $cur == [=@:] || $cur == :// ]] && cur=''
  [[ $typed == *[@:]* ]] || typed=$cur
  words=$(${ask('$COMP_CWORD', '"${COMP_WORDS[@]}"')} | cut -f 1)
  if [[ $words == :files ]]; then compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))
  else
    kept=\${typed%"$cur"}
    COMPREPLY=($(compgen -W "$words" -- "$typed"))
    COMPREPLY=("\${COMPREPLY[@]#"\${kept%@}"}")
  fi
}
complete -F _fwdsync fwdsync
`,
  // For a file `_fwdsync` in `$fpath`, or `source <(fwdsync completion zsh)` after `compinit`.
  zsh: `#compdef fwdsync
_fwdsync() {
  local -a lines=("\${(@f)$(${ask('$((CURRENT - 1))', '"${words[@]}"')})}")
  if [[ $lines == :files ]]; then
    compset -P '--*='
    _files
  else
    lines=("\${(@)\${(@)lines//:/\\\\:}/$'\\t'/:}")
    _describe fwdsync lines
  fi
}
if [[ $funcstack[1] == _fwdsync ]]; then _fwdsync "$@"; else compdef _fwdsync fwdsync; fi
`,
  // For `~/.config/fish/completions/fwdsync.fish`, or `fwdsync completion fish | source`.
  fish: `# fish completion of fwdsync
function __fwdsync_complete
  set -l lines (${ask('(count (commandline -opc))', '(commandline -op)')})
  if test "$lines" = :files
    set -l option (commandline -ct | string match -r -- '^--[^=]*=')
    __fish_complete_path (commandline -ct | string replace -- "$option" '') | string replace -r '^' -- "$option"
  else
    printf '%s\\n' $lines
  end
end
complete -c fwdsync -f -a '(__fwdsync_complete)'
`,
} as const;
