import { domainToASCII } from 'node:url';
import type { Source } from './manifest/problem.ts';
import { memoise } from './text/memoise.ts';
import { createValueFinder, type ValueFinder } from './text/value-finder.ts';

declare const brand: unique symbol;

/**
 * One destination in normal form: an address or webhook with its host in lower-case ASCII, or `null` for discard. A
 * list of destinations has no duplicates. The service ignores the order; a desired state keeps the manifest's order.
 */
export type Destination = string & { readonly [brand]: 'Destination' };

/** On the wire the word `null` accepts mail and drops it. */
export const DISCARD = 'null' as Destination;

/** Encodes destinations as the API writes them: separated by commas (v4: Alias, field `forward`). */
export function encodeForward(destinations: readonly Destination[]): string {
  return destinations.join(',');
}

/** Decodes a `forward` field of the service into sorted destinations. Many aliases have the same ones. */
export const decodeForward = memoise((text: string): readonly Destination[] => {
  if (NORMAL.test(text)) return [text as Destination];
  return [...new Set(splitForward(text).map(normaliseDestination))].sort();
});

export function sameDestinations(a: readonly Destination[], b: readonly Destination[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  if (a.every((destination, index) => destination === b[index])) return true;
  const known = new Set(a);
  return b.every((destination) => known.has(destination));
}

/** True if no destination of `before` is kept in `after`; such a change is a reroute. Null is no destination. */
export function keepsNone(
  before: readonly Destination[] | null,
  after: readonly Destination[] | null,
): boolean {
  return new Set(before).isDisjointFrom(new Set(after));
}

export function isDiscard(destinations: readonly Destination[]): boolean {
  return destinations.length === 1 && destinations[0] === DISCARD;
}

/** Returns captures such as `$1` in a pattern's destination. They make the address differ from mail to mail. */
export function capturesIn(destination: string): readonly string[] {
  return destination.includes('$') ? (destination.match(/\$\d/g) ?? []) : [];
}

/**
 * Matches an address that is already in normal form. Nearly every destination is, and the shortcut matters at a
 * million aliases.
 */
const NORMAL = /^[^\s,:@]+@[a-z\d.-]+$/;

export function normaliseDestination(text: string): Destination {
  if (NORMAL.test(text)) return text as Destination;
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === DISCARD) return DISCARD;
  if (trimmed.includes('://')) return normaliseUrl(trimmed);
  const at = trimmed.lastIndexOf('@');
  if (at < 0) return trimmed as Destination;
  return `${trimmed.slice(0, at)}@${normaliseHost(trimmed.slice(at + 1))}` as Destination;
}

/**
 * Splits a `forward` field at its commas. A comma inside a webhook URL, for example in its query, does not separate:
 * the next piece is not a destination by itself.
 */
function splitForward(forward: string): readonly string[] {
  const parts: string[] = [];
  for (const piece of forward.split(',')) {
    const text = piece.trim();
    if (text === '') continue;
    const last = parts.at(-1);
    const stands = text.includes('@') || text.includes('://') || text.toLowerCase() === DISCARD;
    if (!stands && last?.includes('://')) parts[parts.length - 1] = `${last},${text}`;
    else parts.push(text);
  }
  return parts;
}

function normaliseUrl(text: string): Destination {
  const match = /^([a-z]+):\/\/([^/?#]*)(.*)$/i.exec(text);
  if (match === null) return text as Destination;
  const [, scheme = '', authority = '', rest = ''] = match;
  const [host = '', port] = authority.split(':');
  const normalised = port === undefined ? normaliseHost(host) : `${normaliseHost(host)}:${port}`;
  return `${scheme.toLowerCase()}://${normalised}${rest}` as Destination;
}

function normaliseHost(host: string): string {
  const lower = host.toLowerCase();
  // Plain ASCII, nearly every host: skip the conversion, which dominates at a million aliases.
  if (/^[\x21-\x7e]*$/.test(lower)) return lower;
  return domainToASCII(host) || lower;
}

/** A reference as the manifest writes it. */
export type ReferenceDocument = { readonly env: string } | { readonly file: string };

/** `{ env: NAME }`, or `{ file: PATH }` with the path made absolute. */
export type Reference = {
  readonly source: Source;
  /** The reference as the manifest writes it, and its text form. */
  readonly written: ReferenceDocument;
  readonly shown: string;
} & (
  | { readonly kind: 'env'; readonly name: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** The manifest's directory, which a relative path must not leave; null means that the path is absolute. */
      readonly below: string | null;
    }
);

/** References by the normalised value they stand for; `shown` is text such as `{ env: BOSS_ADDRESS }`. */
export type References = ReadonlyMap<string, Shown & { readonly written: ReferenceDocument }>;

/** The text that replaces a value in all output. */
export interface Shown {
  readonly shown: string;
}

/** The rules for showing destinations: a value that came from a reference is always shown as that reference. */
export interface Disclosure {
  /** References by normalised value. */
  readonly references: ReadonlyMap<string, Shown>;
  /** `--mask`: hide the local parts of addresses and the path of webhooks. */
  readonly mask: false | MaskNumbers;
}

/**
 * Hidden value -> its number, in order of appearance. The numbers keep a change visible: `***1@x.example ->
 * ***2@x.example`.
 */
export type MaskNumbers = Map<string, number>;

/** A command that follows logs for months must not remember every address. */
const MOST_NUMBERED = 100_000;

export const DISCLOSE_ALL: Disclosure = { references: new Map(), mask: false };

/** Shows destinations to people: sorted, `discard` for `null`, references and masks applied. */
export function showDestinations(destinations: readonly Destination[], disclosure: Disclosure): string {
  return shownDestinations(destinations, disclosure).join(', ');
}

/** Shows each destination, as `showDestinations` does, in a list without duplicates. */
export function shownDestinations(
  destinations: readonly Destination[],
  disclosure: Disclosure,
): readonly string[] {
  const shown = destinations.toSorted().map((destination) => showDestination(destination, disclosure));
  return [...new Set(shown)];
}

/** Shows one destination: by its reference, masked, or as it is. */
export function showDestination(destination: string, disclosure: Disclosure): string {
  const reference = referenceOf(destination, disclosure);
  if (reference !== undefined) return reference;
  if (destination === DISCARD) return 'discard';
  return disclosure.mask === false ? destination : mask(destination, disclosure.mask);
}

/**
 * Returns the reference that a destination came from. Case is ignored: the same value in other letters would still
 * reveal it.
 */
function referenceOf(destination: string, { references }: Disclosure): string | undefined {
  if (references.size === 0) return undefined;
  const known = references.get(destination) ?? withoutCase(references).get(destination.toLowerCase());
  return known?.shown;
}

const folded = new WeakMap<Disclosure['references'], Disclosure['references']>();

function withoutCase(references: Disclosure['references']): Disclosure['references'] {
  const known = folded.get(references);
  // While a manifest is loaded its references are still being found.
  if (known?.size === references.size) return known;
  const made = new Map([...references].map(([value, known]) => [value.toLowerCase(), known]));
  folded.set(references, made);
  return made;
}

/** Shows free text, such as a message of the service, with references and masks applied. */
export function showText(text: string, disclosure: Disclosure): string {
  const { references } = disclosure;
  const shown = finderOf(references).replaceIn(text, (value) => references.get(value)?.shown ?? '***');
  return disclosure.mask === false ? shown : maskAddresses(shown, disclosure.mask);
}

const finders = new WeakMap<Disclosure['references'], { finder: ValueFinder; size: number }>();

/** Returns the finder for these references, with those added since the last call. */
function finderOf(references: Disclosure['references']): ValueFinder {
  const { finder, size } = finders.get(references) ?? { finder: createValueFinder(), size: 0 };
  if (size === references.size) return finder;
  for (const value of [...references.keys()].slice(size)) finder.add(value);
  finders.set(references, { finder, size: references.size });
  return finder;
}

function maskAddresses(text: string, numbers: MaskNumbers): string {
  // An address begins only after a delimiter. Otherwise every letter of a long text would be tried as its beginning.
  const address =
    /(?<![^\s@"'<>(),;:])([^\s@"'<>(),;:]+)@+(?=([^\s@"'<>(),;:]*[^\s@"'<>(),;:.])?)(?=[^\s@]+\.)/g;
  return text.replace(address, (_, local: string, host = '') => `${hidden(`${local}@${host}`, numbers)}@`);
}

const MASKED_URL = /^[a-z]+:\/\/[^/?#]*\/\*{3}\d+$/i;

function mask(destination: string, numbers: MaskNumbers): string {
  if (MASKED_URL.test(destination)) return destination;
  const url = /^([a-z]+:\/\/[^/?#]*)./i.exec(destination);
  if (url !== null) return `${url[1]}/${hidden(destination, numbers)}`;
  const at = destination.lastIndexOf('@');
  return at < 0 ? destination : `${hidden(destination, numbers)}${destination.slice(at)}`;
}

function hidden(value: string, numbers: MaskNumbers): string {
  // The line of a log may already be masked.
  const before = /^\*{3}\d+(?=@)/.exec(value);
  if (before !== null) return before[0];
  const key = value.toLowerCase();
  const number = numbers.get(key) ?? numbers.size + 1;
  if (number > MOST_NUMBERED) return '***';
  numbers.set(key, number);
  return `***${number}`;
}

/** Parses a shown reference such as `{ env: BOSS_ADDRESS }`. Returns null if the text is not a reference. */
export function referenceDocument(shown: string): ReferenceDocument | null {
  const [, kind, value] = /^\{ (env|file): (.+) \}$/.exec(shown) ?? [];
  if (value === undefined) return null;
  return kind === 'env' ? { env: value } : { file: value };
}
