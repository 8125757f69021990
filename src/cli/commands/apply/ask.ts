import { createInterface } from 'node:readline/promises';
import type { GuardFinding } from '../../../model/plan.ts';
import type { Context } from '../../context.ts';

/** Whether somebody is there to be asked. */
export function canAsk(context: Context): boolean {
  return context.stdin.isTTY === true && context.stderr.isTTY === true;
}

/** Somebody at a terminal. */
export interface Questioner {
  /** One line of an answer; null when there will be none, as after an interruption. */
  ask(question: string): Promise<string | null>;
  close(): void;
}

/** What is typed ahead of a question counts as its answer. With `--accounts` each question names the account. */
export function openQuestioner({ stdin, stderr, signal, interrupt, ofAccount }: Context): Questioner {
  const terminal = createInterface({ input: stdin, output: stderr });
  const answers = terminal[Symbol.asyncIterator]();
  const stop = (): void => terminal.close();
  signal.addEventListener('abort', stop, { once: true });
  terminal.once('SIGINT', () => {
    stop();
    interrupt?.();
  });
  return {
    async ask(question) {
      if (signal.aborted) return null;
      terminal.setPrompt(ofAccount === undefined ? question : `${ofAccount.name}: ${question}`);
      terminal.prompt();
      const { value, done } = await answers.next();
      return done === true ? null : value.trim();
    },
    close() {
      signal.removeEventListener('abort', stop);
      terminal.close();
    },
  };
}

/**
 * Asks to type the number, the name or the address that a guard's flag would take; true when it was typed.
 * A guard that nothing allows is not asked about.
 */
export async function confirmGuard(
  questioner: Questioner,
  { guard, scope, allow }: GuardFinding,
): Promise<boolean> {
  if (allow === null) return false;
  const expected = allow.slice(allow.indexOf(' ') + 1).replaceAll("'", '');
  const answer = await questioner.ask(`Guard ${guard} of ${scope}. Type ${expected} to allow it: `);
  return answer === expected;
}
