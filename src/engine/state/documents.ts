import { parseDomainName, type DomainName, type NameKey } from '../../core/model/names.ts';
import type { KeptOtherwise, ManifestSize, PriorDomain, Verified } from '../../core/model/prior.ts';
import { SECTIONS } from '../../core/kinds/registry.ts';
import type { Section } from '../../core/model/kinds.ts';

/**
 * Texts that are kept between runs, and their parsers. Equal memories give equal texts. A damaged text is null, never a
 * guess.
 */
const PRIOR = 'fwdsync/prior@1';
const SIZES = 'fwdsync/manifests@2';
const REFERENCES = 'fwdsync/references@1';

/** Serializes the memory of one domain. */
export function writePriorDomain(domain: DomainName, prior: PriorDomain): string {
  return `${JSON.stringify({
    kind: PRIOR,
    domain,
    live: prior.live,
    givenCatchAll: prior.givenCatchAll,
    // Pairs, not an object, so that a name such as `__proto__` is plain data.
    applied: [...prior.applied],
    ruleIds: [...prior.ruleIds],
    keptOtherwise: [...prior.keptOtherwise].map(([key, { sent, shown }]) => [key, sent, shown]),
    passwords: [...prior.passwords],
    settled: prior.inSyncDigest,
    verified: prior.verified,
  })}\n`;
}

/** Parses the memory of one domain. Returns null if this version did not write it completely. */
export function readPriorDomain(text: string): { domain: DomainName; prior: PriorDomain } | null {
  const value = parseDocument(text, PRIOR);
  if (value === null || typeof value['domain'] !== 'string') return null;
  const domain = parseDomainName(value['domain']);
  const prior = decodePrior(value);
  return domain.ok && prior !== null ? { domain: domain.value, prior } : null;
}

function decodePrior(value: Readonly<Record<string, unknown>>): PriorDomain | null {
  const applied = readPairs(value['applied']);
  const ruleIds = readPairs(value['ruleIds']);
  const passwords = readPairs(value['passwords']) as ReadonlyMap<NameKey, string> | null;
  if (applied === null || ruleIds === null || passwords === null) return null;
  const verified = readVerified(value['verified']);
  const { settled, givenCatchAll } = value;
  return {
    live: readLive(value['live']),
    applied,
    ruleIds,
    keptOtherwise: readKeptOtherwise(value['keptOtherwise']),
    passwords,
    ...(typeof givenCatchAll === 'string' ? { givenCatchAll } : {}),
    ...(typeof settled === 'string' ? { inSyncDigest: settled } : {}),
    ...(verified === null ? {} : { verified }),
  };
}

/** Reads values that the service changed. Invalid entries are forgotten, so that they are sent once more. */
function readKeptOtherwise(value: unknown): ReadonlyMap<string, KeptOtherwise> {
  const map = new Map<string, KeptOtherwise>();
  for (const triple of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    const [key, sent, shown] = Array.isArray(triple) ? (triple as readonly unknown[]) : [];
    if (typeof key === 'string' && typeof sent === 'string' && typeof shown === 'string')
      map.set(key, { sent, shown });
  }
  return map;
}

/** Returns the last verification. Null means never; then the service is simply asked at once. */
function readVerified(value: unknown): Verified | null {
  if (typeof value !== 'object' || value === null) return null;
  const { at, waitMs } = value as Partial<Record<keyof Verified, unknown>>;
  return isCount(at) && isCount(waitMs) ? { at, waitMs } : null;
}

/** Serializes the sizes of applied manifests, the latest first. */
export function writeManifestSizes(sizes: readonly ManifestSize[]): string {
  const manifests = sizes.map(({ domains, entries }) => ({ domains: [...domains].toSorted(), entries }));
  return `${JSON.stringify({ kind: SIZES, manifests })}\n`;
}

export function readManifestSizes(text: string): readonly ManifestSize[] | null {
  const value = parseDocument(text, SIZES);
  if (!Array.isArray(value?.['manifests'])) return null;
  const sizes = (value['manifests'] as readonly unknown[]).map(readSize);
  return sizes.includes(null) ? null : sizes.filter((size) => size !== null);
}

function readSize(value: unknown): ManifestSize | null {
  if (typeof value !== 'object' || value === null) return null;
  const { domains, entries } = value as Partial<Record<keyof ManifestSize, unknown>>;
  if (!Array.isArray(domains) || !isCount(entries)) return null;
  const names = (domains as readonly unknown[]).map((name) =>
    typeof name === 'string' ? parseDomainName(name) : null,
  );
  const known = names.flatMap((name) => (name?.ok === true ? [name.value] : []));
  return known.length === names.length ? { domains: new Set(known), entries } : null;
}

/** Serializes fingerprints of values that came from references, each with its shown form, the latest first. */
export function writeKnownReferences(known: ReadonlyMap<string, string>): string {
  return `${JSON.stringify({ kind: REFERENCES, references: [...known] })}\n`;
}

export function readKnownReferences(text: string): ReadonlyMap<string, string> | null {
  const value = parseDocument(text, REFERENCES);
  return value === null ? null : readPairs(value['references']);
}

function readPairs(value: unknown): ReadonlyMap<string, string> | null {
  if (!Array.isArray(value)) return null;
  const map = new Map<string, string>();
  for (const pair of value as readonly unknown[]) {
    if (!Array.isArray(pair)) return null;
    const [key, text] = pair as readonly unknown[];
    if (typeof key !== 'string' || typeof text !== 'string') return null;
    map.set(key, text);
  }
  return map;
}

function readLive(value: unknown): Partial<Record<Section, number>> {
  const live: Partial<Record<Section, number>> = {};
  if (typeof value !== 'object' || value === null) return live;
  for (const section of SECTIONS) {
    const count = (value as Partial<Record<Section, unknown>>)[section];
    if (isCount(count)) live[section] = count;
  }
  return live;
}

/** Parses a document. Returns null if this version did not write it completely. */
function parseDocument(text: string, kind: string): Readonly<Record<string, unknown>> | null {
  const value = parseJsonText(text);
  const document = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  return document?.['kind'] === kind ? document : null;
}

/** Parses JSON. Returns null if the text is not JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
