import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/cli/context.ts';
import { createSecrets } from '../../../src/cli/process/secrets.ts';
import { execute } from '../../../src/cli/execute.ts';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import { openTwoAccounts } from '../support/two-accounts.ts';

/** A user at a terminal, where `apply` runs for two accounts. */
interface Seat {
  readonly emulators: readonly Emulator[];
  readonly ended: Promise<number>;
  /** Resolves when all reads for the plans of all accounts are done. */
  readonly read: Promise<unknown>;
  /** Resolves with the account whose question is the nth. */
  readonly asked: (nth: number) => Promise<string>;
  readonly type: (text: string) => void;
  readonly seen: () => string;
  readonly writes: () => readonly string[];
}

const QUESTION = /(\w+): Apply this plan\? Only "yes" is accepted: /g;

async function sitDown(): Promise<Seat> {
  const { acme, beta, directory, env } = await openTwoAccounts();
  const emulators = [acme, beta];
  const [stdin, interrupted] = [new PassThrough(), new AbortController()];
  let text = '';
  const looks = new Set<() => void>();
  const screen = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      for (const look of looks) look();
      done();
    },
  });
  const terminal = Object.assign(screen, { isTTY: true, columns: 120 });
  const seen = (): string => stripVTControlCharacters(text);
  const read = Promise.all(emulators.map(aliasesRead));
  const ended = execute(
    {
      env: { ...env, NO_COLOR: '1' },
      cwd: directory,
      stdin: Object.assign(stdin, { isTTY: true }),
      stdout: terminal,
      stderr: terminal,
      clock: systemClock,
      secrets: createSecrets(),
      random: Math.random,
      signal: interrupted.signal,
      interrupt: () => interrupted.abort('SIGINT'),
    },
    ['apply', '--accounts', 'many'],
  );
  return {
    emulators,
    ended,
    read,
    seen,
    type: (typed) => void stdin.write(typed),
    asked(nth) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const look = (): void => {
        const name = [...seen().matchAll(QUESTION)].map(([, found]) => found)[nth - 1];
        if (name !== undefined) resolve(name);
      };
      looks.add(look);
      look();
      return promise;
    },
    writes: () =>
      emulators.flatMap(({ journal }) =>
        journal.entries().flatMap(({ method, path }) => (method === 'GET' ? [] : [`${method} ${path}`])),
      ),
  };
}

function aliasesRead(emulator: Emulator): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  emulator.onRequest(({ endpoint, phase }) => {
    if (endpoint === '/domains/:domain/aliases' && phase === 'after') resolve();
  });
  return promise;
}

test('asks about one account at a time, while the other is read', async () => {
  const seat = await sitDown();
  const [first] = await Promise.all([seat.asked(1), seat.read]);
  const second = first === 'acme' ? 'beta' : 'acme';
  expect(seat.seen()).toContain(`==> ${first} <==`);
  expect(seat.seen()).not.toContain(second);
  expect(seat.writes()).toEqual([]);
  seat.type('yes\r');
  expect(await seat.asked(2)).toBe(second);
  seat.type('no\r');
  expect(await seat.ended).toBe(3);
  expect(seat.writes()).toEqual([`POST /domains/${first}.example/aliases`]);
  expect(seat.seen()).toMatch(
    new RegExp(`${first}: Apply this plan\\? Only "yes" is accepted: (yes|\\s)*==> ${second} <==`),
  );
  expect(seat.seen()).toMatch(new RegExp(`\n {2}${first} {2}converged: 1 added`));
  expect(seat.seen()).toMatch(new RegExp(`\n {2}${second} {2}failed: not applied; nothing was written`));
});

test('Ctrl-C at a question ends all accounts, and no other question is asked', async () => {
  const seat = await sitDown();
  await seat.asked(1);
  seat.type('\u0003');
  expect(await seat.ended).toBe(130);
  expect(seat.writes()).toEqual([]);
  expect(seat.seen().match(QUESTION)).toHaveLength(1);
  expect(seat.seen().match(/^ {2}\w+ {2}interrupted: /gm)).toHaveLength(2);
});
