import { existsSync, realpathSync, statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createRunId, type Actor, type Commit, type RunOrigin } from '../core/model/history/entries.ts';
import type { ProcessContext } from './context.ts';
import { requireGit } from './input/manifest/git.ts';

/** Returns the origin of a command, for the history. */
export function runOrigin(context: ProcessContext, command: RunOrigin['command']): RunOrigin {
  const run = createRunId({ now: context.clock.now(), random: context.random() });
  return { run, command, ...whoRuns(context) };
}

/** This process, as its command is recorded. */
export function whoRuns(context: ProcessContext): Pick<RunOrigin, 'host' | 'user' | 'actor'> {
  return { host: hostname(), user: userName(), actor: actorOf(context) };
}

/** Returns the user's name; null if the system knows none for this process, as in a container. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/**
 * Returns the person who started the job, from the documented variables of GitHub Actions ("Default environment
 * variables") and GitLab CI ("Predefined CI/CD variables"). null means that it is neither.
 */
function actorOf({ env }: Pick<ProcessContext, 'env'>): Actor | null {
  if (env['GITHUB_ACTIONS'] === 'true') {
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env;
    const url = server && repository && id ? `${server}/${repository}/actions/runs/${id}` : null;
    // The person who ran the job again counts, not the person who ran it first.
    const name = env['GITHUB_TRIGGERING_ACTOR'] || env['GITHUB_ACTOR'];
    return name ? { ci: 'github', name, url } : null;
  }
  if (env['GITLAB_CI'] !== 'true') return null;
  const name = env['GITLAB_USER_LOGIN'];
  return name ? { ci: 'gitlab', name, url: env['CI_JOB_URL'] || null } : null;
}

/**
 * Returns the last commit of the manifests. null means that they are not in a repository that git can read here, or
 * not in a commit yet.
 */
export async function readCommit(context: ProcessContext, paths: readonly string[]): Promise<Commit | null> {
  if (paths.includes('-')) return null;
  const absolute = paths.map((path) => resolve(context.cwd, path));
  try {
    const there = { ...context, cwd: directoryOf(absolute[0] ?? context.cwd) };
    if (context.env['GIT_DIR'] === undefined && !isBelowRepository(realpathSync(there.cwd))) return null;
    const [log, status] = await Promise.all([
      requireGit(there, ['log', '-1', '--no-show-signature', '--format=%H%x00%an <%ae>', '--', ...absolute]),
      requireGit(there, ['status', '--porcelain', '--', ...absolute]),
    ]);
    const [sha, author] = log.toString('utf8').trimEnd().split('\0');
    return sha && author ? { sha, author, dirty: status.length > 0 } : null;
  } catch {
    return null;
  }
}

/** True if a directory is in a repository, by its `.git`. Asking git itself would take two processes. */
function isBelowRepository(directory: string): boolean {
  const parent = dirname(directory);
  return existsSync(join(directory, '.git')) || (parent !== directory && isBelowRepository(parent));
}

function directoryOf(path: string): string {
  return statSync(path).isDirectory() ? path : dirname(path);
}
