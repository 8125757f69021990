import { Readable, Writable } from 'node:stream';
import { systemClock, type ProcessContext } from '../../src/cli/context.ts';
import type { execute } from '../../src/cli/execute.ts';
import { createSecrets } from '../../src/cli/process/secrets.ts';

export type Execute = typeof execute;

export interface HereOptions extends Partial<Pick<ProcessContext, 'clock' | 'random'>> {
  readonly cwd: string;
  readonly env: ProcessContext['env'];
  readonly stdin?: string;
}

export interface HereResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, as in a script: 80 columns, no terminal, no colour. */
export async function runHere(
  execute: Execute,
  args: readonly string[],
  { cwd, env, stdin = '', clock = systemClock, random = Math.random }: HereOptions,
): Promise<HereResult> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await execute(
    {
      env,
      cwd,
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout: collectInto(stdout),
      stderr: collectInto(stderr),
      clock,
      random,
      secrets: createSecrets(),
      signal: new AbortController().signal,
    },
    args,
  );
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
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
