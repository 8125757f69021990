import type { Command } from 'commander';
import { bashCompletion } from './completion/bash.ts';
import { describeCommandLine } from './completion/command-line.ts';
import { fishCompletion } from './completion/fish.ts';
import { zshCompletion } from './completion/zsh.ts';
import { EXIT, usageError } from '../exit.ts';
import type { CommandAction } from '../input/options.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** Prints the script that completes this very command line, `program`, in a shell. */
export function completionCommand(program: Command): CommandAction<object> {
  return async (context, _options, [shell]) => {
    const write = Object.hasOwn(SHELLS, shell ?? '') ? SHELLS[shell as keyof typeof SHELLS] : null;
    if (write === null) {
      const known = Object.keys(SHELLS).join(', ');
      throw usageError(`there is no completion for ${JSON.stringify(shell)}`, `use ${known}`);
    }
    context.stdout.write(write(describeCommandLine(program)));
    return EXIT.done;
  };
}
