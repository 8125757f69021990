import { Readable, Writable } from 'node:stream';
import type { ProcessContext } from '../../../src/cli/context.ts';
import { execute } from '../../../src/cli/execute.ts';
import { createSecrets } from '../../../src/cli/process/secrets.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import { checkPrinted } from '../../support/documents.ts';
import { openChance } from '../../support/random.ts';

export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export interface CommandResult {
  readonly args: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs a command line in this process, as from a script: 80 columns, no terminal, no colour. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<CommandResult> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const context: ProcessContext = {
    env: terminal.env,
    cwd: terminal.cwd,
    stdin: Readable.from([]),
    stdout: collectInto(stdout),
    stderr: collectInto(stderr),
    clock: terminal.clock,
    random: openChance(),
    secrets: createSecrets(),
    signal: new AbortController().signal,
  };
  const exitCode = await execute(context, args);
  const printed = { stdout: stdout.join(''), stderr: stderr.join('') };
  checkPrinted({ ...printed, env: terminal.env });
  return { args, ...printed, exitCode };
}

function collectInto(chunks: string[]): Writable & { readonly columns: number } {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { columns: 80 });
}
