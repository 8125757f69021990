import { realpath } from 'node:fs/promises';
import { basename, join, normalize, relative, resolve } from 'node:path';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { Context } from '../../context.ts';
import { commandFailure } from '../../exit.ts';
import { git, requireGit } from './git.ts';
import { assertMerged, followLinks, readObjects, readTree, type GitTree, type Tree } from './git-tree.ts';

/** A tree, and the place of the command in it. */
interface Place {
  readonly tree: Tree;
  /** The directory in which the command runs, relative to the root of the repository. */
  readonly directory: string;
  /** The state directory, relative to that root; its snapshots are no manifests. */
  readonly leftOut: string;
}

/** The paths that decide the content of a manifest. */
interface Reach {
  readonly files: Set<string>;
  readonly directories: Set<string>;
  readonly links: Set<string>;
  /** Links that are circular, lead out of the repository, or lead to files not in it. */
  readonly broken: Set<string>;
}

/** A path that belongs to a manifest. */
interface Met {
  readonly path: string;
  /** True for the path that was named, which needs no ending, and may be the state directory. */
  readonly isNamed: boolean;
}

const INDEX: GitTree = { kind: 'index' };

/** True if staged changes touch any of these manifests, also through links. */
export async function isAnyStaged(
  context: Context,
  paths: readonly string[],
  leaveOut: string,
): Promise<boolean> {
  const place = await openPlace(context, INDEX, leaveOut);
  const staged = await listStaged(context);
  return paths.some((path) => isChanged(reachOf(place, pathInTree(context, place, path)), staged));
}

/**
 * Lists every manifest with a default name that the commit changes, wherever it is in the repository: each `fwdsync.yaml`, and each
 * directory `fwdsync`, of which a file is staged, also behind links. Paths are relative to where the command runs.
 */
export async function findStaged(context: Context, leaveOut: string): Promise<readonly string[]> {
  const staged = await listStaged(context);
  if (staged.length === 0) return [];
  const place = await openPlace(context, INDEX, leaveOut);
  const named = [...place.tree.entries.keys(), ...staged].map((path) => manifestOf(path, place.tree));
  const byRealPath = new Map<string, string>();
  for (const manifest of new Set(named.filter((path) => path !== null))) {
    const real = followLinks(place.tree, manifest).real ?? manifest;
    const isOther = isBelow(manifest, place.leftOut) || byRealPath.has(real);
    if (!isOther && isChanged(reachOf(place, manifest), staged)) byRealPath.set(real, manifest);
  }
  return [...byRealPath.values()].map((path) => relative(place.directory, path));
}

/** Reads the manifests that the paths name in a tree, by the rules that hold for files: see core/manifest/read/read.ts. */
export async function readGitManifests(
  context: Context,
  tree: GitTree,
  { paths, leaveOut }: { readonly paths: readonly string[]; readonly leaveOut: string },
): Promise<readonly ManifestText[]> {
  const place = await openPlace(context, tree, leaveOut);
  const reaches = paths.map((path) => reachOf(place, pathInTree(context, place, path)));
  if (tree.kind === 'index') refuseBroken(reaches.flatMap(({ broken }) => [...broken]));
  const files = new Set(reaches.flatMap((reach) => [...reach.files]));
  const found = [...files].flatMap((path) => {
    const entry = place.tree.entries.get(path);
    if (entry !== undefined) assertMerged(path, entry);
    return entry?.kind === 'file' ? [{ file: relative(place.directory, path), object: entry.object }] : [];
  });
  const contents = await readObjects(context, found);
  return found.map(({ file }, index) => ({ file, text: contents[index] ?? '' }));
}

/** Refuses a link to an uncommitted file, because it would let an unchecked manifest pass. */
function refuseBroken([first]: readonly string[]): void {
  if (first === undefined) return;
  throw commandFailure(
    `${first} is a link to a file outside the repository`,
    'add its target, or replace the link with a file',
  );
}

async function openPlace(context: Context, tree: GitTree, leaveOut: string): Promise<Place> {
  const prefix = (await requireGit(context, ['rev-parse', '--show-prefix']))
    .toString('utf8')
    .replace(/\n$/, '');
  const real = (path: string): Promise<string> => realpath(path).catch(() => path);
  const directory = normalize(prefix || '.');
  const leftOut = normalize(join(directory, relative(await real(context.cwd), await real(leaveOut))));
  return { tree: await readTree(context, tree, prefix), directory, leftOut };
}

function pathInTree({ cwd }: Context, { directory }: Place, path: string): string {
  const inTree = normalize(join(directory, relative(cwd, resolve(cwd, path))));
  if (!isOutside(inTree)) return inTree.replace(/\/$/, '');
  throw commandFailure(
    `${path} is outside of the repository`,
    'run the command within the repository of the manifest',
  );
}

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith('../');
}

/** Paths that the commit changes, by plumbing: what `git diff` prints depends on the user's configuration. */
async function listStaged(context: Context): Promise<readonly string[]> {
  const against = (revision: string): readonly string[] => [
    'diff-index',
    '--cached',
    '--name-only',
    '--no-renames',
    '-z',
    revision,
    '--',
  ];
  await requireGit(context, ['rev-parse', '--git-dir']);
  const { code, stdout } = await git(context, against('HEAD'));
  // Before the first commit there is no HEAD; all that is staged is new.
  const listed = code === 0 ? stdout : await requireGit(context, against(await emptyTree(context)));
  return listed.toString('utf8').split('\0').slice(0, -1);
}

async function emptyTree(context: Context): Promise<string> {
  return (await requireGit(context, ['hash-object', '-t', 'tree', '--stdin'])).toString('utf8').trim();
}

/** Returns the manifest with a default name that a path is, or belongs to. */
function manifestOf(path: string, { entries }: Tree): string | null {
  const isLink = entries.get(path)?.kind === 'link';
  const [, directory, below = ''] = /^((?:.*?\/)??fwdsync)\/(.*)$/.exec(path) ?? [];
  if (directory !== undefined) return isPart(below, isLink) ? directory : null;
  return basename(path) === 'fwdsync.yaml' || (isLink && basename(path) === 'fwdsync') ? path : null;
}

function isPart(below: string, isLink: boolean): boolean {
  return (isLink || isManifestName(below)) && !/(^|\/)\./.test(below);
}

function isChanged({ files, directories, links }: Reach, staged: readonly string[]): boolean {
  return staged.some(
    (path) =>
      files.has(path) ||
      links.has(path) ||
      // A file that the commit deletes is in no tree any more.
      (isManifestName(path) && [...directories].some((directory) => isBelow(path, directory))),
  );
}

/**
 * Collects the files of a manifest: one file, or all YAML files below a directory. Names that begin with a dot are
 * left out.
 */
function reachOf(place: Place, manifest: string): Reach {
  const reach: Reach = { files: new Set(), directories: new Set(), links: new Set(), broken: new Set() };
  collect(place, reach, { path: manifest, isNamed: true });
  return reach;
}

function collect(place: Place, reach: Reach, { path, isNamed }: Met): void {
  const { real, links } = followLinks(place.tree, path);
  for (const link of links) reach.links.add(link);
  if (links.length > 0 && !isThere(place.tree, real)) reach.broken.add(path);
  if (real === null) return;
  const names = place.tree.children.get(real);
  if (names !== undefined) collectBelow(place, reach, { path, real, names, isNamed });
  else if (isNamed || isManifestName(path)) reach.files.add(real);
}

function collectBelow(
  place: Place,
  reach: Reach,
  { path, real, names, isNamed }: Met & { readonly real: string; readonly names: ReadonlySet<string> },
): void {
  const isLeftOut = !isNamed && real === place.leftOut;
  if (isLeftOut || reach.directories.has(real)) return;
  reach.directories.add(real);
  for (const name of [...names].filter((own) => !own.startsWith('.')).sort()) {
    collect(place, reach, { path: join(path, name), isNamed: false });
  }
}

function isThere({ entries, children }: Tree, path: string | null): boolean {
  return path !== null && (entries.has(path) || children.has(path));
}

function isManifestName(path: string): boolean {
  return /\.ya?ml$/.test(path);
}

function isBelow(path: string, directory: string): boolean {
  return directory === '.' ? !isOutside(path) : path.startsWith(`${directory}/`);
}
