import { createInterface } from 'node:readline/promises';
import type { GuardFinding } from '../model/plan.ts';
import type { Context } from './context.ts';

/** Whether somebody is there to be asked. */
export function canAsk(context: Context): boolean {
  return context.stdin.isTTY === true && context.stderr.isTTY === true;
}

/** One line of an answer; null when there is none any more, as after an interruption. */
export async function ask(context: Context, question: string): Promise<string | null> {
  const terminal = createInterface({ input: context.stdin, output: context.stderr });
  const { promise: ended, resolve: end } = Promise.withResolvers<null>();
  terminal.once('close', () => end(null));
  const stop = (): void => terminal.close();
  context.signal.addEventListener('abort', stop, { once: true });
  terminal.once('SIGINT', stop);
  try {
    const answer = terminal.question(question).catch(() => null);
    return (await Promise.race([answer, ended]))?.trim() ?? null;
  } finally {
    context.signal.removeEventListener('abort', stop);
    terminal.close();
  }
}

/**
 * Asks to type the number, the name or the address that a guard's flag would take; true when it was typed.
 * A guard that nothing allows is not asked about.
 */
export async function confirmGuard(
  context: Context,
  { guard, message, allow }: GuardFinding,
): Promise<boolean> {
  if (allow === null) return false;
  const expected = allow.slice(allow.indexOf(' ') + 1).replaceAll("'", '');
  const answer = await ask(context, `${guard}: ${message}\nType ${expected} to allow it: `);
  return answer === expected;
}
