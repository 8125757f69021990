import { bashCompletion } from './completion/bash.ts';
import { describeCommandLine } from './completion/command-line.ts';
import { fishCompletion } from './completion/fish.ts';
import { zshCompletion } from './completion/zsh.ts';
import type { Context } from '../context.ts';
import { CommandError, EXIT, type ExitCode } from '../exit.ts';
import { createProgram } from '../program.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** Prints the script that completes this very command line in a shell. */
export async function completionCommand(
  context: Context,
  _options: object,
  [shell]: readonly string[],
): Promise<ExitCode> {
  const write = Object.hasOwn(SHELLS, shell ?? '') ? SHELLS[shell as keyof typeof SHELLS] : null;
  if (write === null) {
    const known = Object.keys(SHELLS).join(', ');
    throw new CommandError(EXIT.usage, `there is no completion for ${JSON.stringify(shell)}`, `use ${known}`);
  }
  context.stdout.write(write(describeCommandLine(createProgram(context, () => {}))));
  return EXIT.done;
}
