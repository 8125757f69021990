import { realpath } from 'node:fs/promises';
import { dirname, join, normalize, relative, resolve } from 'node:path';
import type { ManifestText } from '../../../manifest/read/text.ts';
import type { Context } from '../../context.ts';
import { commandFailure } from '../../exit.ts';
import { git, requireGit } from './git.ts';

/** What of a repository is read: what is about to be committed, or a commit. */
export type GitTree = { readonly kind: 'index' } | { readonly kind: 'commit'; readonly commit: string };

/** A file in a tree; `path` is relative to where the command runs. */
interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  readonly path: string;
}

const LINK = '120000';
/** Links to links; more than that is a ring. */
const MAX_LINKS = 8;

/** Whether what is about to be committed differs from the last commit in any of these files and directories. */
export async function isAnyStaged(context: Context, paths: readonly string[]): Promise<boolean> {
  const { code, stderr } = await git(context, ['diff', '--cached', '--quiet', '--', ...paths]);
  if (code <= 1) return code === 1;
  throw commandFailure(`git diff: ${stderr.split('\n')[0]}`, 'run it within the repository');
}

/**
 * Every manifest that is about to be committed under its default name, wherever it is in the repository: each staged
 * `fwdsync.yaml`, and each directory `fwdsync` with a staged YAML file below it. Paths are relative to where the command
 * runs. Nothing of the directory `leaveOut`, absolute, is one: the state directory, with its snapshots.
 */
export async function findStaged(context: Context, leaveOut: string): Promise<readonly string[]> {
  const listed = await requireGit(context, ['diff', '--cached', '--name-only', '--no-renames', '-z']);
  const found = listed
    .toString('utf8')
    .split('\0')
    .filter((path) => manifestOf(path) !== null);
  if (found.length === 0) return [];
  const prefix = (await requireGit(context, ['rev-parse', '--show-prefix']))
    .toString('utf8')
    .replace(/\n$/, '');
  const here = (path: string): string => relative(prefix || '.', path);
  const leftOut = await leftOutHere(context, leaveOut);
  const manifests = found
    .filter((path) => !isBelow(here(path), leftOut))
    .flatMap((path) => manifestOf(path) ?? []);
  return [...new Set(manifests)].map(here);
}

/** Of a file in the repository: the manifest that it is, or belongs to. */
function manifestOf(path: string): string | null {
  const parts = path.split('/');
  const directory = parts.indexOf('fwdsync');
  if (directory >= 0 && directory < parts.length - 1) {
    const manifest = parts.slice(0, directory + 1).join('/');
    return isManifest(path, [manifest], '') ? manifest : null;
  }
  return parts.at(-1) === 'fwdsync.yaml' ? path : null;
}

/** The manifests that the paths name in a tree, by the rules that hold for files: see manifest/read.ts. */
export async function readGitManifests(
  context: Context,
  tree: GitTree,
  { paths, leaveOut }: { readonly paths: readonly string[]; readonly leaveOut: string },
): Promise<readonly ManifestText[]> {
  const wanted = paths.map((path) => normalize(relative(context.cwd, resolve(context.cwd, path)) || '.'));
  const entries = await listFiles(context, tree, { wanted, leftOut: await leftOutHere(context, leaveOut) });
  const contents = await readObjects(context, entries);
  return entries.map(({ path }, index) => ({ file: path, text: contents[index] ?? '' }));
}

async function listFiles(
  context: Context,
  tree: GitTree,
  { wanted, leftOut }: { readonly wanted: readonly string[]; readonly leftOut: string },
): Promise<readonly TreeEntry[]> {
  const files = new Map<string, TreeEntry>();
  let paths = wanted;
  for (let round = 0; paths.length > 0 && round < MAX_LINKS; round += 1) {
    const found = (await list(context, tree, paths)).filter(({ path }) => isManifest(path, paths, leftOut));
    const links = found.filter(({ mode }) => mode === LINK);
    for (const entry of found) if (entry.mode.startsWith('100')) files.set(entry.path, entry);
    const targets = await readObjects(context, links);
    paths = links.map(({ path }, index) => normalize(join(dirname(path), String(targets[index]))));
  }
  return [...files.values()];
}

/** Lists what lies at or below the paths; where an entry of the index is in conflict there is nothing to check. */
async function list(
  context: Context,
  tree: GitTree,
  paths: readonly string[],
): Promise<readonly TreeEntry[]> {
  const args =
    tree.kind === 'index'
      ? ['ls-files', '--stage', '-z', '--', ...paths]
      : ['ls-tree', '-r', '-z', tree.commit, '--', ...paths];
  const lines = (await requireGit(context, args)).toString('utf8').split('\0').slice(0, -1);
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    const path = line.slice(tab + 1);
    const [mode = '', second = '', third = ''] = line.slice(0, tab).split(' ');
    if (tree.kind === 'commit') return { mode, object: third, path };
    if (third === '0') return { mode, object: second, path };
    throw commandFailure(`${path} is in conflict in the index`, 'resolve it and add it');
  });
}

/** Relative to where the command runs, by the real paths of both, as files are left out. */
async function leftOutHere({ cwd }: Context, leaveOut: string): Promise<string> {
  const real = (path: string): Promise<string> => realpath(path).catch(() => path);
  return relative(await real(cwd), await real(leaveOut));
}

/**
 * A file that was named itself, or a YAML file below a directory that was, no name on the way beginning with a dot, and
 * not within what is left out there.
 */
function isManifest(path: string, wanted: readonly string[], leftOut: string): boolean {
  return wanted.some((name) => {
    if (path === name) return true;
    const below = partBelow(path, name);
    if (below === null || (isBelow(leftOut, name) && isBelow(path, leftOut))) return false;
    return /\.ya?ml$/.test(below) && !below.split('/').some((part) => part.startsWith('.'));
  });
}

function isBelow(path: string, directory: string): boolean {
  return partBelow(path, directory) !== null;
}

/** What of a path follows a directory; null: it is not below it. */
function partBelow(path: string, directory: string): string | null {
  if (directory === '.') return path === '' || /^\.\.?(\/|$)/.test(path) ? null : path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null;
}

/** The contents of files, in their order, by one process. */
async function readObjects(context: Context, entries: readonly TreeEntry[]): Promise<readonly Buffer[]> {
  if (entries.length === 0) return [];
  const input = entries.map(({ object }) => `${object}\n`).join('');
  const output = await requireGit(context, ['cat-file', '--batch'], input);
  let at = 0;
  return entries.map(() => {
    const end = output.indexOf('\n', at);
    const size = Number(output.toString('latin1', at, end).split(' ')[2]);
    at = end + 1 + size + 1;
    return output.subarray(end + 1, end + 1 + size);
  });
}
