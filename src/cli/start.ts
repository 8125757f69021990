import { enableCompileCache } from 'node:module';
import { processContext } from './context.ts';
import { execute } from './execute.ts';

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  enableCompileCache();
  const context = processContext();
  process.exitCode = await execute(context, process.argv.slice(2));
  // After a signal nothing that is still in flight may hold the process.
  if (context.signal.aborted) process.exit();
}
