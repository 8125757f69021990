import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { shareOutput, type SharedOutput } from '../../../src/cli/accounts/shared-output.ts';

interface Console {
  readonly output: SharedOutput;
  readonly text: Readonly<Record<'stdout' | 'stderr', () => string>>;
  /** Ends a wait after this many milliseconds. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

function openConsole(headed: 'both' | 'stderr' = 'both'): Console {
  const [stdout, stderr] = [collector(), collector()];
  let now = 0;
  let wake = (): void => {};
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (_milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        signal?.addEventListener('abort', () => resolve());
      }),
  };
  return {
    output: shareOutput(
      { stdout: stdout.stream, stderr: stderr.stream, clock, signal: new AbortController().signal },
      { heading: (name, stream) => (headed === 'stderr' && stream === 'stdout' ? null : `[${name}]`) },
    ),
    text: { stdout: stdout.text, stderr: stderr.text },
    async pass(milliseconds) {
      now += milliseconds;
      wake();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

function collector(): { readonly stream: Writable; readonly text: () => string } {
  let collected = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      collected += chunk.toString();
      done();
    },
  });
  return { stream, text: () => collected };
}

test('output is kept until it is shown in one piece under its name', async () => {
  const { output, text } = openConsole();
  const [a, b] = [output.open('a'), output.open('b')];
  a.stdout.write('1\n');
  b.stdout.write('2\n');
  a.stderr.write('3\n');
  a.stdout.write('4\n');
  expect(text.stdout()).toBe('');
  await b.show();
  await a.show();
  expect(text.stdout()).toBe('[b]\n2\n\n[a]\n1\n4\n');
  expect(text.stderr()).toBe('[a]\n3\n');
});

test('nothing of others is shown while one is alone, whose output appears at once', async () => {
  const { output, text } = openConsole();
  const [a, b] = [output.open('a'), output.open('b')];
  const answer = Promise.withResolvers<void>();
  a.stdout.write('plan\n');
  const asking = a.alone(async () => {
    a.stdout.write('question ');
    await answer.promise;
    a.stdout.write('answer\n');
  });
  b.stdout.write('2\n');
  const shown = b.show();
  await Promise.resolve();
  expect(text.stdout()).toBe('[a]\nplan\nquestion ');
  answer.resolve();
  await Promise.all([asking, shown]);
  a.stdout.write('\nreport\n');
  await a.show();
  expect(text.stdout()).toBe('[a]\nplan\nquestion answer\n\n[b]\n2\n\n[a]\nreport\n');
});

test('one that throws while it is alone leaves the turn to the next', async () => {
  const { output, text } = openConsole();
  const [a, b] = [output.open('a'), output.open('b')];
  await expect(a.alone(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  b.stdout.write('2\n');
  await b.show();
  expect(text.stdout()).toBe('[b]\n2\n');
});

test('if standard output is a document, names are only on standard error', async () => {
  const { output, text } = openConsole('stderr');
  const a = output.open('a');
  a.stdout.write('{}\n');
  a.stderr.write('3\n');
  await a.show();
  output.conclude('end\n');
  expect(text.stdout()).toBe('{}\n\nend\n');
  expect(text.stderr()).toBe('[a]\n3\n');
});

test('without a terminal a line every ten seconds names the active accounts, except during a question', async () => {
  const { output, text, pass } = openConsole();
  const [a, ended] = [output.open('a'), new AbortController()];
  const telling = output.showProgress(
    () => ({ label: '1 of 2 accounts done', fraction: 0.5, note: 'under way: a' }),
    ended.signal,
  );
  await pass(2_000);
  expect(text.stderr()).toBe('');
  await pass(8_000);
  expect(text.stderr()).toBe('1 of 2 accounts done: 50%, under way: a\n');
  const answer = Promise.withResolvers<void>();
  const asking = a.alone(() => answer.promise);
  await pass(20_000);
  expect(text.stderr()).toBe('1 of 2 accounts done: 50%, under way: a\n');
  answer.resolve();
  await asking;
  ended.abort();
  await telling;
});
