import { isSection, kindOf } from '../../kinds/registry.ts';
import type { DomainDocument, ManifestDocument } from '../../model/manifest/manifest-document.ts';
import { quote } from '../../model/names.ts';
import { loadTree } from '../load.ts';
import { createProblemLog } from '../problems.ts';
import { documentTree } from '../read/document-tree.ts';

/**
 * The most rounds. Each round removes faulty parts, which can reveal only a few kinds of new errors, such as loops.
 */
const MAX_ROUNDS = 10;

/**
 * Removes from a document of a live account everything that the manifest language refuses, such as a regular
 * expression that only the service understands. Its comments list the removed parts and the reasons.
 */
export function dropRefused(document: ManifestDocument, version: 'v4' | 'v3'): ManifestDocument {
  let current = document;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const refused = findRefused(current, version);
    if (refused.size === 0) return current;
    current = withoutRefused(current, refused);
  }
  throw new Error('the exported manifest cannot be made valid');
}

/** A refused setting or entry of a section with its reason. Both keys are null for the domain itself. */
interface Refused {
  readonly key: string | null;
  /** A name, or an index in a list. */
  readonly entry: string | number | null;
  readonly reason: string;
}

/** Finds the parts that the manifest language refuses, by domain; of several reasons for one part, the first. */
export function findRefused(
  { domains }: ManifestDocument,
  version: 'v4' | 'v3',
): ReadonlyMap<string, readonly Refused[]> {
  const log = createProblemLog();
  const { tree, paths } = documentTree({ version: 1, domains }, log);
  const { problems } = loadTree(tree, log, {
    references: 'optional',
    resolve: () => null,
    apiVersion: version,
  });
  const reasons = new Map<(typeof paths)[number], string>();
  for (const { severity, source, message } of problems) {
    const path = paths[(source?.column ?? 0) - 1];
    if (severity === 'error' && path !== undefined && !reasons.has(path)) reasons.set(path, message);
  }
  const refused = [...reasons].map(([[, domain, key, entry], reason]) => ({
    domain: String(domain),
    key: key === undefined ? null : String(key),
    entry: entry ?? null,
    reason,
  }));
  return Map.groupBy(refused, ({ domain }) => domain);
}

function withoutRefused(
  document: ManifestDocument,
  refused: ReadonlyMap<string, readonly Refused[]>,
): ManifestDocument {
  const comments = [...(document.comments ?? [])];
  const domains = new Map<string, DomainDocument>();
  for (const [name, domain] of document.domains) {
    const own = refused.get(name) ?? [];
    const whole = own.find(({ key }) => key === null);
    if (whole === undefined) domains.set(name, own.length === 0 ? domain : withoutParts(domain, own));
    else comments.push(`${name} is left out: ${whole.reason}`);
  }
  return { ...document, comments, domains };
}

function withoutParts(domain: DomainDocument, refused: readonly Refused[]): DomainDocument {
  const comments = refused.map((part) => `${show(part, domain)} is not managed: ${part.reason}`);
  const kept = Object.entries(domain).flatMap(([key, value]: readonly [string, unknown]) => {
    const gone = new Set(refused.filter((part) => part.key === key).map(({ entry }) => entry));
    if (gone.has(null)) return [];
    if (value instanceof Map)
      return [[key, new Map([...value].filter(([name]) => !gone.has(name as string)))]];
    return [[key, Array.isArray(value) ? value.filter((_, index) => !gone.has(index)) : value]];
  });
  return {
    ...(Object.fromEntries(kept) as DomainDocument),
    comments: [...(domain.comments ?? []), ...comments],
  };
}

function show({ key, entry }: Refused, { rules }: DomainDocument): string {
  if (key === null || entry === null || !isSection(key)) return `\`${key}\``;
  return typeof entry === 'number' ? `rule ${rules?.[entry]?.id ?? ''}` : `${kindOf(key)} ${quote(entry)}`;
}
