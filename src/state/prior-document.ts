import { parseDomainName, type DomainName, type NameKey } from '../model/names.ts';
import type { KeptOtherwise, ManifestSize, PriorDomain, Verified } from '../model/prior.ts';
import { SECTIONS, type Section } from '../model/kinds.ts';

const KIND = 'fwdsync/prior@1';

/** One domain's memory as the text of its file; equal memories give equal text. */
export function writePriorDomain(domain: DomainName, prior: PriorDomain): string {
  return `${JSON.stringify({
    kind: KIND,
    domain,
    live: prior.live,
    givenCatchAll: prior.givenCatchAll,
    applied: pairs(prior.applied),
    ruleIds: pairs(prior.ruleIds),
    keptOtherwise: [...prior.keptOtherwise].map(([key, { sent, shown }]) => [key, sent, shown]),
    passwords: pairs(prior.passwords),
    settled: prior.settled,
    verified: prior.verified,
  })}\n`;
}

/** Null for anything that this version did not write whole. */
export function readPriorDomain(text: string): { domain: DomainName; prior: PriorDomain } | null {
  const value = parseObject(text);
  if (value === null || value['kind'] !== KIND || typeof value['domain'] !== 'string') return null;
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
    ...(typeof settled === 'string' ? { settled } : {}),
    ...(verified === null ? {} : { verified }),
  };
}

/** What does not read is forgotten: it is sent once more. */
function readKeptOtherwise(value: unknown): ReadonlyMap<string, KeptOtherwise> {
  const map = new Map<string, KeptOtherwise>();
  for (const triple of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    const [key, sent, shown] = Array.isArray(triple) ? (triple as readonly unknown[]) : [];
    if (typeof key === 'string' && typeof sent === 'string' && typeof shown === 'string')
      map.set(key, { sent, shown });
  }
  return map;
}

/** Null: never; nothing worse comes of it than asking at once. */
function readVerified(value: unknown): Verified | null {
  if (typeof value !== 'object' || value === null) return null;
  const { at, waitMs } = value as Partial<Record<keyof Verified, unknown>>;
  return isCount(at) && isCount(waitMs) ? { at, waitMs } : null;
}

const SIZES = 'fwdsync/manifests@2';

/** Sizes of the manifests that were applied, the latest first. */
export function writeManifestSizes(sizes: readonly ManifestSize[]): string {
  const manifests = sizes.map(({ domains, entries }) => ({ domains: [...domains].toSorted(), entries }));
  return `${JSON.stringify({ kind: SIZES, manifests })}\n`;
}

export function readManifestSizes(text: string): readonly ManifestSize[] | null {
  const value = parseObject(text);
  if (value === null || value['kind'] !== SIZES || !Array.isArray(value['manifests'])) return null;
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

/** Pairs rather than an object: a name such as `__proto__` is plain data. */
function pairs<K extends string, V>(map: ReadonlyMap<K, V>): readonly (readonly [K, V])[] {
  return [...map];
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

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
