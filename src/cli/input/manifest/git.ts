import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { once } from 'node:events';
import type { ProcessContext } from '../../context.ts';

type Surroundings = Pick<ProcessContext, 'env' | 'cwd'>;
import { commandFailure, usageError, type CommandError } from '../../exit.ts';

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Runs git without a shell, in the environment of the command, which tells a hook which index to read. Paths are
 * literal, never patterns, and git takes no lock.
 */
export async function git(context: Surroundings, args: readonly string[], input = ''): Promise<GitResult> {
  const child = spawn('git', ['--literal-pathspecs', '--no-optional-locks', ...args], {
    cwd: context.cwd,
    env: { ...context.env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // it may end before it has read
  child.stdin.end(input);
  const ended = once(child, 'close') as Promise<[number | null]>;
  try {
    const [stdout, stderr, [code]] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
    return { code: code ?? 128, stdout, stderr };
  } catch (error) {
    throw commandFailure(
      `git cannot be run: ${(error as Error).message}`,
      'install git, or leave --staged and --against out',
    );
  }
}

/** Runs git and returns its output. A failure ends the command. */
export async function requireGit(
  context: Surroundings,
  args: readonly string[],
  input = '',
): Promise<Buffer> {
  const { code, stdout, stderr } = await git(context, args, input);
  if (code === 0) return stdout;
  throw repositoryFault(stderr) ?? commandFailure(`git ${args[0]}: ${reasonOf(stderr)}`, 'see what git says');
}

/**
 * Returns why git does not read this repository at all, with git's own advice; null if the failure is another one.
 */
function repositoryFault(stderr: string): CommandError | null {
  if (/not a git repository/.test(stderr)) {
    return commandFailure(`git: ${reasonOf(stderr)}`, 'run the command within the repository');
  }
  if (!/dubious ownership/.test(stderr)) return null;
  const [advice] = /git config .*safe\.directory .+/.exec(stderr) ?? [
    'git config --global --add safe.directory DIRECTORY',
  ];
  return commandFailure(`git: ${reasonOf(stderr)}`, `change its owner, or trust it: ${advice}`);
}

/** Returns the line in which git gives its reason. Warnings may come before it. */
function reasonOf(stderr: string): string {
  const lines = stderr.split('\n');
  return lines.find((line) => line.startsWith('fatal: ')) ?? (lines[0] || 'it failed without a message');
}

/** Returns the commit that a revision names. Any other revision is wrong usage. */
export async function resolveCommit(context: Surroundings, revision: string): Promise<string> {
  const { code, stdout, stderr } = await git(context, [
    'rev-parse',
    '--verify',
    '--end-of-options',
    `${revision}^{commit}`,
  ]);
  if (code === 0) return stdout.toString('utf8').trim();
  const fault = repositoryFault(stderr);
  if (fault !== null) throw fault;
  throw usageError(
    `--against ${revision}: ${reasonOf(stderr)}`,
    'name a commit, a branch or a tag that exists here; a shallow clone lacks most of them',
  );
}
