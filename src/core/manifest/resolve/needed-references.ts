import type { Reference } from '../../model/destinations.ts';
import { valueOf, entriesOf, type Node } from '../read/node.ts';
import type { LoadOptions, NeededReferences } from './context.ts';
import { KINDS, isSection, kindOf } from '../../kinds/registry.ts';
import type { ManifestText } from '../read/text.ts';
import { readReference, referenceTo } from './values/references.ts';
import { hasSecret } from '../../fields/fields.ts';

/** Matches the section `api` in block style, with the lines indented below it. */
const API = /^["']?api["']?[ \t]*:.*(?:\n(?:[ \t].*|#.*|\r)?)*/gm;
const KEY =
  /\bkey["']?\s*:\s*(?:[&!]\S+\s+)?(?:#.*\s+)?(?:\{\s*)?["']?(env|file)["']?\s*:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s,}#]+))/g;

/** Finds references that look like `api.key` in a text that cannot be parsed or is not a manifest. */
export function keysInText({ file, text }: ManifestText, cwd = '.'): readonly Reference[] {
  const decoded = typeof text === 'string' ? text : new TextDecoder().decode(text);
  const sections = decoded.match(API) ?? [decoded];
  return sections.flatMap((section) =>
    Array.from(section.matchAll(KEY), ([, kind, double, single, plain]) => {
      const value = double ?? single ?? plain ?? '';
      return referenceTo(
        kind === 'env' ? { env: value } : { file: value },
        { file, line: 1, column: 1 },
        cwd,
      );
    }),
  );
}

/**
 * Returns the references whose values are needed to load these documents. Passwords are included only if they are
 * checked.
 */
export function referencesIn(
  documents: readonly Node[],
  options: Pick<LoadOptions, 'cwd' | 'references'>,
): NeededReferences {
  const keys = documents.map((document) => readReference(valueOf(valueOf(document, 'api'), 'key'), options));
  const others: Reference[] = [];
  for (const document of documents) {
    collectBelow(valueOf(document, 'destinations'), options, others);
    for (const owners of [valueOf(document, 'templates'), valueOf(document, 'domains')]) {
      for (const { value } of entriesOf(owners)) collectOf(value, options, others);
    }
  }
  return { keys: keys.filter((key) => key !== null), others };
}

/** Collects the references of a domain or template. */
function collectOf(owner: Node, options: Pick<LoadOptions, 'cwd' | 'references'>, found: Reference[]): void {
  for (const { key, value } of entriesOf(owner)) {
    if (!isSecretSection(key.text) || options.references !== 'required') collectBelow(value, options, found);
  }
}

/** Collects the references in the values below a node. The names of entries are not keys of a reference. */
function collectBelow(node: Node | undefined, options: Pick<LoadOptions, 'cwd'>, found: Reference[]): void {
  if (node?.kind === 'list') for (const item of node.items) collect(item, options, found);
  for (const { value } of entriesOf(node)) collect(value, options, found);
}

function collect(node: Node, options: Pick<LoadOptions, 'cwd'>, found: Reference[]): void {
  if (node.kind === 'text') return;
  const reference = readReference(node, options);
  if (reference === null) collectBelow(node, options, found);
  else found.push(reference);
}

/** True if a section has secrets, which are resolved when they are sent. */
function isSecretSection(key: string): boolean {
  return isSection(key) && hasSecret(KINDS[kindOf(key)].fields);
}
