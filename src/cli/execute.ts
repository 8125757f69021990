import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { processContext, type Context } from './context.ts';
import { EXIT, explain, type ExitCode } from './exit.ts';
import { createProgram } from './program.ts';

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  enableCompileCache();
  const context = processContext();
  process.exitCode = await execute(context, process.argv.slice(2));
  // After a signal nothing that is still in flight may hold the process.
  if (context.signal.aborted) process.exit();
}

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
    return explain(error, context, colorOf(args));
  }
}

/** Of a line that may not even be one of this program. */
function colorOf(args: readonly string[]): string | undefined {
  const options = { color: { type: 'string' } } as const;
  const { color } = parseArgs({ args: [...args], options, strict: false }).values;
  return typeof color === 'string' ? color : undefined;
}
