import { parseArgs } from 'node:util';
import { processContext, type ProcessContext } from './context.ts';
import { CommandError, EXIT, explain, type ExitCode } from './exit.ts';
import { printJson } from './output/output.ts';
import { createProgram } from './program.ts';
import { resolveColor } from './output/paint.ts';

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  const context = processContext();
  process.exitCode = await execute(context, process.argv.slice(2));
  // After a signal, no request in flight may keep the process alive.
  if (context.signal.aborted) process.exit();
}

/**
 * Runs one command line. Every command takes the same path:
 *
 * 1. `declare/commands.ts` declares commands and options, and loads the module of the called command.
 * 2. `program.ts` lets commander parse the words. --help and wrong usage end here.
 * 3. `entry.ts` resolves flags and variables into the settings of the command and its output.
 * 4. `accounts/accept-accounts.ts`, with `--accounts` or a file of saved plans, runs the command for each account.
 * 5. The command in `commands/` reads its input with `input/manifest/desired.ts` (the manifest) or `input/session.ts`
 *    (manifest, account and policy of a command that plans). It returns its exit code and its output.
 * 6. `output/output.ts` prints the output. With many accounts, `accounts/run-accounts.ts` collects it.
 * 7. An expected failure is a `CommandError` of `exit.ts`, explained on standard error without a stack trace.
 */
export async function execute(context: ProcessContext, args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  try {
    const program = createProgram(context, args, {
      finish: (result) => {
        code = result;
      },
      execute,
    });
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommandError && error.document !== null) printJson(context, error.document);
    return explain(error, context, resolveColor(colorOf(args), context.env));
  }
}

/** Returns the color choice of a command line that may be invalid. */
function colorOf(args: readonly string[]): string | undefined {
  const options = { color: { type: 'string' } } as const;
  const { color } = parseArgs({ args: [...args], options, strict: false }).values;
  return typeof color === 'string' ? color : undefined;
}
