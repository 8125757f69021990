import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { createProgram } from './program.ts';
import { explain } from './explain.ts';

/** Runs one command line; an expected failure is explained on standard error, without a stack trace. */
export async function execute(context: Context, args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  try {
    const program = createProgram(context, {
      finish: (result) => {
        code = result;
      },
      execute,
    });
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, context, args);
  }
}
