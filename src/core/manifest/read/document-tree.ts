import type { ManifestDocument } from '../../model/manifest/manifest-document.ts';
import type { ProblemLog } from '../problems.ts';
import { reportForbiddenEscape } from './decode.ts';
import type { Entry, Node, TextNode } from './node.ts';
import type { Place, SourceText } from './text.ts';

/** Keys and indexes from the root of a document, such as `domains`, `acme.example`, `rules`, 2. */
export type DocumentPath = readonly (string | number)[];

/** The longest path. Nodes below an entry of a section share the entry's path. */
const MAX_PATH_LENGTH = 4;

/** Builds the tree that a document's YAML would have. Instead of positions it has paths, numbered by columns. */
export function documentTree(
  document: ManifestDocument,
  log: ProblemLog,
): { readonly tree: Node; readonly paths: readonly DocumentPath[] } {
  const growth: Growth = { log, paths: [[]] };
  return { tree: grow(document, [], { within: WITHIN, offset: 0 }, growth), paths: growth.paths };
}

const WITHIN: SourceText = { file: 'document', text: '', lineStarts: [0] };

interface Growth {
  readonly log: ProblemLog;
  readonly paths: DocumentPath[];
}

function grow(value: unknown, path: DocumentPath, place: Place, growth: Growth): Node {
  if (typeof value !== 'object' || value === null) return growText(value, place, growth);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) =>
      grow(item, ...below(path, index, place, growth), growth),
    );
    return { kind: 'list', ...place, items };
  }
  const entries = new Map<string, Entry>();
  for (const [key, child] of entriesIn(value)) {
    const [childPath, childPlace] = below(path, key, place, growth);
    const keyNode = growText(key, childPlace, growth);
    entries.set(key, { key: keyNode, value: grow(child, childPath, childPlace, growth) });
  }
  return { kind: 'map', ...place, entries };
}

/** Returns the entries of a Map or object. The `comments` of an object are not part of the tree. */
function entriesIn(value: object): Iterable<readonly [string, unknown]> {
  if (value instanceof Map) return value as ReadonlyMap<string, unknown>;
  return Object.entries(value).filter(([key]) => key !== 'comments');
}

function growText(value: unknown, place: Place, { log }: Growth): TextNode {
  const node: TextNode = { kind: 'text', ...place, text: String(value), plain: typeof value !== 'string' };
  reportForbiddenEscape(node, log);
  return node;
}

function below(
  path: DocumentPath,
  step: string | number,
  place: Place,
  { paths }: Growth,
): readonly [DocumentPath, Place] {
  if (path.length === MAX_PATH_LENGTH) return [path, place];
  const longer = [...path, step];
  return [longer, { within: WITHIN, offset: paths.push(longer) - 1 }];
}
