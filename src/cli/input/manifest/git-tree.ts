import { dirname, join, normalize } from 'node:path';
import type { Context } from '../../context.ts';
import { commandFailure } from '../../exit.ts';
import { requireGit } from './git.ts';

/** The tree of a repository to read: the index, or a commit. */
export type GitTree = { readonly kind: 'index' } | { readonly kind: 'commit'; readonly commit: string };

/** The files and links of a repository in one state. Paths are relative to its root; the root is `.`. */
export interface Tree {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** Names in a directory. */
  readonly children: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface TreeEntry {
  readonly kind: 'file' | 'link' | 'conflict' | 'other';
  readonly object: string;
  /** The path that a link holds. */
  readonly target: string;
}

/** A path with its links followed. */
interface Followed {
  /** The path without links; null for a circular link, or one that leads out of the repository. */
  readonly real: string | null;
  /** Links on the way. */
  readonly links: readonly string[];
}

/** More links on the way to one file are a ring. */
const MAX_LINKS = 40;

/** Reads all names of a tree. `prefix` is the directory in which the command runs, as git says it. */
export async function readTree(context: Context, tree: GitTree, prefix: string): Promise<Tree> {
  const top = prefix
    .split('/')
    .slice(0, -1)
    .map(() => '..');
  const args =
    tree.kind === 'index'
      ? ['ls-files', '--stage', '--full-name', '-z', '--', ...(top.length === 0 ? [] : [top.join('/')])]
      : ['ls-tree', '-r', '-z', '--full-tree', tree.commit];
  const lines = (await requireGit(context, args)).toString('utf8').split('\0').slice(0, -1);
  const listed = lines.map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', second = '', third = ''] = line.slice(0, tab).split(' ');
    const isMerged = tree.kind === 'commit' || third === '0';
    const kind = isMerged ? (KINDS[mode] ?? 'other') : 'conflict';
    return { path: line.slice(tab + 1), kind, object: tree.kind === 'commit' ? third : second };
  });
  const links = listed.filter(({ kind }) => kind === 'link');
  const targets = await readObjects(context, links);
  const targetOf = new Map(links.map(({ path }, index) => [path, String(targets[index])]));
  const entries = new Map(
    listed.map(({ path, kind, object }) => [path, { kind, object, target: targetOf.get(path) ?? '' }]),
  );
  return { entries, children: childrenOf(entries.keys()) };
}

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'link',
};

function childrenOf(paths: Iterable<string>): Tree['children'] {
  const children = new Map<string, Set<string>>();
  for (const path of paths) {
    for (let [at, from] = [path, dirname(path)]; ; [at, from] = [from, dirname(from)]) {
      const name = at.slice(from === '.' ? 0 : from.length + 1);
      const known = children.get(from);
      known?.add(name);
      if (known === undefined) children.set(from, new Set([name]));
      if (known !== undefined || from === '.') break;
    }
  }
  return children;
}

/** Follows links in every part of a path, as the file system does. */
export function followLinks({ entries }: Tree, path: string): Followed {
  const links: string[] = [];
  const rest = normalize(path).split('/');
  let real = '.';
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = normalize(join(real, part));
    if (next === '..' || next.startsWith('../') || links.length > MAX_LINKS) return { real: null, links };
    const entry = entries.get(next);
    if (entry?.kind !== 'link') {
      real = next;
      continue;
    }
    links.push(next);
    if (entry.target.startsWith('/')) return { real: null, links };
    rest.unshift(...entry.target.split('/'));
  }
  return { real, links };
}

/** Reads files, in their order, in one process. */
export async function readObjects(
  context: Context,
  entries: readonly { readonly object: string }[],
): Promise<readonly Buffer[]> {
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

/** Refuses a file of which a merge left several versions. */
export function assertMerged(path: string, { kind }: TreeEntry): void {
  if (kind === 'conflict')
    throw commandFailure(`${path} is in conflict in the index`, 'resolve it and add it');
}
