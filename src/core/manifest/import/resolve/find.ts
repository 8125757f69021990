import { compilePattern, type Pattern } from '../../../routing/regex.ts';
import { domainPartOf, localPartOf } from '../../../model/names.ts';
import {
  isUnderstood,
  type ForwardEntry,
  type Lookup,
  type OpaquePattern,
  type PatternEntry,
  type Target,
} from '../forwards.ts';

/** All sources together. */
export interface Forwards {
  /** Lookups in the order in which they are tried. */
  readonly lookups: readonly Lookup[];
  /** Domains whose mail the sources route. */
  readonly domains: ReadonlySet<string>;
  /** The domains of `--for`. */
  readonly localDomains: ReadonlySet<string>;
  /** The sign that begins a label, such as `+`; null if names have no labels. */
  readonly delimiter: string | null;
  /** The fate of mail in a loop: Postfix accepts none of it, other systems deliver the rest. */
  readonly loops: 'all-lost' | 'others-stay';
}

/** An entry that takes mail to an address, with the content of groups filled in. */
export interface FoundEntry {
  readonly entry: ForwardEntry;
  readonly targets: readonly Target[];
}

/**
 * A placeholder for every label that no key names. An address with it is only tried with patterns for every local
 * part; other patterns are compared with labels separately.
 */
export const ANY_LABEL = '\u0001';

/**
 * Finds the entry that takes mail to an address. Every source is tried with the whole address. Sources of names are
 * then tried with the address without its label, the local part, and the domain.
 */
export function findEntry(address: string, forwards: Forwards): FoundEntry | null {
  const local = localPartOf(address);
  const domain = domainPartOf(address);
  const base = baseOf(local, forwards.delimiter);
  const whole = firstOf(forwards, (lookup) => askWhole(lookup, local, domain));
  if (whole !== null) return whole;
  const isLocal = forwards.localDomains.has(domain);
  const keys: (readonly [key: string, local: string])[] = [];
  // A removed label is not carried over.
  if (base !== null) keys.push([`${base}@${domain}`, base]);
  if (isLocal) keys.push([local, local]);
  if (isLocal && base !== null) keys.push([base, base]);
  keys.push([`@${domain}`, local]);
  for (const [key, kept] of keys) {
    const found = firstOf(forwards, (lookup) => askName(lookup, key, kept));
    if (found !== null) return found;
  }
  return null;
}

/** Returns the name before a label; null if there is no label. Postfix keeps `owner-list` and `list-request` whole. */
export function baseOf(local: string, delimiter: string | null): string | null {
  const at = delimiter === null ? -1 : local.indexOf(delimiter);
  if (at < 1 || (delimiter === '-' && /^owner-|.-request$/i.test(local))) return null;
  return local.slice(0, at);
}

function firstOf({ lookups }: Forwards, ask: (lookup: Lookup) => FoundEntry | null): FoundEntry | null {
  for (const lookup of lookups) {
    const found = ask(lookup);
    if (found !== null) return found;
  }
  return null;
}

function askWhole(lookup: Lookup, local: string, domain: string): FoundEntry | null {
  switch (lookup.kind) {
    case 'names':
      return askName(lookup, `${local}@${domain}`, local);
    case 'patterns': {
      const isAnyLabel = local.includes(ANY_LABEL);
      for (const entry of lookup.entries) {
        if (isAnyLabel && (!isUnderstood(entry) || !entry.pattern.isTotal)) continue;
        const found = !isUnderstood(entry)
          ? askOpaque(entry, local, domain)
          : askPattern(entry, local, domain);
        if (found !== null) return found;
      }
      return null;
    }
    case 'records':
      return askRecords(lookup, local, domain);
  }
}

function askName(lookup: Lookup, key: string, local: string): FoundEntry | null {
  if (lookup.kind !== 'names') return null;
  const entry = lookup.entries.get(key.toLowerCase());
  return entry === undefined ? null : { entry, targets: fillTargets(entry.targets, local, []) };
}

/** Returns a lost entry for mail that an unknown pattern may match. */
function askOpaque({ span, mayMatch }: OpaquePattern, local: string, domain: string): FoundEntry | null {
  if (!mayMatch(`${local}@${domain}`)) return null;
  const targets: readonly Target[] = [{ kind: 'lost', reason: 'pattern' }];
  return { entry: { span, targets }, targets };
}

const compiled = new WeakMap<PatternEntry, Pattern>();

function askPattern(entry: PatternEntry, local: string, domain: string): FoundEntry | null {
  if (!entry.matchesDomain(domain)) return null;
  const known = compiled.get(entry) ?? compileEntry(entry);
  const groups = known.capture(local);
  return groups === null ? null : { entry, targets: fillTargets(entry.targets, local, groups) };
}

function compileEntry(entry: PatternEntry): Pattern {
  const { text } = entry.pattern;
  const made = compilePattern(text, { letterCase: 'any' });
  if (!made.ok) throw new Error(`the pattern ${text} was tried before`);
  compiled.set(entry, made.value);
  return made.value;
}

function askRecords(
  { names, patterns }: Extract<Lookup, { readonly kind: 'records' }>,
  local: string,
  domain: string,
): FoundEntry | null {
  const name = baseOf(local, '+') ?? local;
  const byName = (names.get(`${name.toLowerCase()}@${domain}`) ?? []).map((entry) => {
    return { entry, targets: entry.targets };
  });
  const byPattern = patterns.flatMap((entry) => askPattern(entry, name, domain) ?? []);
  const all: readonly FoundEntry[] = [...byName, ...byPattern];
  const [first] = all;
  if (first === undefined) return null;
  const last = all.find(({ targets }) => targets.some(({ kind }) => kind === 'refuse' || kind === 'discard'));
  return last ?? { entry: first.entry, targets: all.flatMap(({ targets }) => targets) };
}

function fillTargets(
  targets: readonly Target[],
  local: string,
  groups: readonly string[],
): readonly Target[] {
  return targets.map((target) => {
    if (target.kind === 'same-name') return { kind: 'address', address: `${local}@${target.domain}` };
    if (target.kind !== 'template') return target;
    const address = target.text.replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? '');
    return { kind: 'address', address };
  });
}
