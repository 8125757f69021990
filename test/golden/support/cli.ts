import type { Clock } from '../../../src/core/model/clock.ts';
import { execute } from '../../../src/cli/execute.ts';
import { checkPrinted } from '../../support/documents.ts';
import { openChance } from '../../support/random.ts';
import { runHere } from '../../support/run-here.ts';

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

/** Runs a command line in this process, from the sources. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<CommandResult> {
  const { code, ...printed } = await runHere(execute, args, { ...terminal, random: openChance() });
  checkPrinted({ ...printed, env: terminal.env });
  return { args, ...printed, exitCode: code };
}
