import { stableJson } from './digest.ts';
import type { PlanDocument } from './document.ts';

/** A plan document with a checksum of all the rest: what is printed and saved, and recognised when it was edited. */
export type SavedPlan = PlanDocument & { readonly checksum: string };

export type ReadPlan =
  | { readonly kind: 'not-a-plan'; readonly reason: string }
  /** Somebody changed it since it was made: it may be shown, and approves nothing. */
  | { readonly kind: 'edited'; readonly plan: SavedPlan }
  | { readonly kind: 'intact'; readonly plan: SavedPlan };

export function sealPlan(plan: PlanDocument, sha256: (text: string) => string): SavedPlan {
  return { ...plan, checksum: checksumOf(plan, sha256) };
}

/** Reads a saved plan back. Fields that are not known are kept; those that show more than there must be may be missing. */
export function readPlan(text: string, sha256: (text: string) => string): ReadPlan {
  const value = parseJson(text);
  if (value === undefined) return { kind: 'not-a-plan', reason: 'it is not JSON' };
  if (!isRecord(value) || value['kind'] !== 'fwdsync/plan@1') {
    return { kind: 'not-a-plan', reason: 'its kind is not fwdsync/plan@1' };
  }
  const { checksum, ...rest } = value;
  const missing = missingPart(rest);
  if (missing !== null) return { kind: 'not-a-plan', reason: `it has no valid ${missing}` };
  const intact = checksum === checksumOf(rest, sha256);
  const plan = { ...value, ...withoutKeysOf(OPTIONAL, value) } as unknown as SavedPlan;
  return { kind: intact ? 'intact' : 'edited', plan };
}

const OPTIONAL = { options: { paths: [], domains: null }, unchanged: {}, allowances: [], problems: [] };

function withoutKeysOf(record: object, other: object): object {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !(key in other)));
}

/** Over the document as it is printed: what JSON cannot say does not count. */
function checksumOf(document: object, sha256: (text: string) => string): string {
  return `sha256:${sha256(stableJson(JSON.parse(JSON.stringify(document))))}`;
}

/** The first part without which a document cannot be shown; null when all are there. */
function missingPart(value: Readonly<Record<string, unknown>>): string | null {
  for (const name of ['api', 'manifest', 'summary', 'forecast']) if (!isRecord(value[name])) return name;
  for (const name of ['createdAt', 'digest']) if (typeof value[name] !== 'string') return name;
  for (const name of ['changes', 'guards', 'withheld', 'warnings']) {
    const list = value[name];
    if (!Array.isArray(list) || !list.every(isRecord)) return name;
  }
  const changes = value['changes'] as readonly Readonly<Record<string, unknown>>[];
  return changes.every(isChange) ? null : 'changes';
}

function isChange(change: Readonly<Record<string, unknown>>): boolean {
  return (
    ['add', 'update', 'move', 'delete'].includes(String(change['action'])) &&
    ['domain', 'alias', 'rule', 'credential'].includes(String(change['kind'])) &&
    [change['domain'], change['name'], change['reason']].every((text) => typeof text === 'string') &&
    Array.isArray(change['fields'])
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
