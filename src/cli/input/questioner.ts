import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Context } from '../context.ts';

/** True if the user can answer a prompt. */
export function canAsk({ stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Prompt for a user at a terminal. */
export interface Questioner {
  /** Returns one line of an answer; null if there is none, as after an interruption. */
  ask(question: string): Promise<string | null>;
  /** Does the same without showing what is typed. */
  askSecret(question: string): Promise<string | null>;
  close(): void;
}

/**
 * Opens the prompt. Text typed before a question counts as its answer. With `--accounts` each question names the
 * account.
 */
export function openQuestioner({ stdin, stderr, signal, interrupt, member }: Context): Questioner {
  const screen = openScreen(stderr);
  const { output } = screen;
  const terminal = createInterface({ input: stdin, output, terminal: stderr.isTTY === true });
  const answers = terminal[Symbol.asyncIterator]();
  // Text after an answer may be the secret that is asked for next, as when both are pasted.
  terminal.on('line', () => screen.hide());
  let isOpen = true;
  terminal.once('close', () => {
    isOpen = false;
  });
  const stop = (): void => terminal.close();
  signal.addEventListener('abort', stop, { once: true });
  terminal.once('SIGINT', () => {
    stop();
    stderr.write('\n');
    interrupt?.();
  });
  const answerTo = async (question: string): Promise<string | null> => {
    if (signal.aborted) return null;
    terminal.setPrompt(member === undefined ? question : `${member.name}: ${question}`);
    // If the input has ended, answers may still have been typed before.
    if (isOpen) terminal.prompt();
    const { value, done } = await answers.next();
    return done === true ? null : value.trim();
  };
  return {
    ask(question) {
      screen.show();
      return answerTo(question);
    },
    async askSecret(question) {
      stderr.write(question);
      screen.hide();
      const answer = await answerTo('');
      stderr.write('\n');
      return answer;
    },
    close() {
      signal.removeEventListener('abort', stop);
      terminal.close();
    },
  };
}

/** Opens the output for what is typed, which can be hidden. */
function openScreen(stderr: Context['stderr']): {
  readonly output: Writable;
  show(): void;
  hide(): void;
} {
  let isShown = true;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isShown) stderr.write(chunk);
      done();
    },
  });
  return {
    output: Object.assign(output, { columns: stderr.columns }),
    show: () => void (isShown = true),
    hide: () => void (isShown = false),
  };
}
