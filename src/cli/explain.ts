import { CommanderError } from 'commander';
import { escapeInvisible } from '../model/names.ts';
import type { Context } from './context.ts';
import { CommandError, EXIT, interruptedExit, type ExitCode } from './exit.ts';
import { styleFor } from './output/style.ts';

/** Says on standard error what kept a command from its end; the exit code that stands for it. */
export function explain(error: unknown, context: Context, args: readonly string[]): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const style = styleFor(context.stderr, flagValue(args, '--color'), context.env);
  if (error instanceof CommandError) {
    const [message, hint] = [error.message, error.hint].map(escapeLines);
    context.stderr.write(`${style.error('error')}: ${message}\n  ${style.dim('try:')} ${hint}\n`);
    const interrupted = error.exitCode === EXIT.failed && context.signal.aborted;
    return interrupted ? interruptedExit(context) : error.exitCode;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.stderr.write(
    `${style.error('internal error')}: ${detail}\nThis is a bug in fwdsync; nothing more was sent.\n`,
  );
  return EXIT.failed;
}

/** Names of files, and what others wrote, stand in messages as they are. */
function escapeLines(text: string): string {
  return text.split('\n').map(escapeInvisible).join('\n');
}

function flagValue(args: readonly string[], flag: string): string | undefined {
  const inline = args.find((arg) => arg.startsWith(`${flag}=`));
  if (inline !== undefined) return inline.slice(flag.length + 1);
  const index = args.indexOf(flag);
  return index < 0 ? undefined : args[index + 1];
}
