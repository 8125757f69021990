import { domainToASCII } from 'node:url';

declare const brand: unique symbol;

/**
 * Where mail goes, as the API writes it: destinations separated by commas (v4: Alias, field `forward`).
 * In a desired state it is normalised, without duplicates, in the order of the manifest.
 */
export type Forward = string & { readonly [brand]: 'Forward' };

/** One destination in normal form: an address or webhook with its host in lower-case ASCII, or `null` for discard. */
export type Destination = string & { readonly [brand]: 'Destination' };

/** On the wire the word `null` accepts mail and drops it. */
export const DISCARD = 'null' as Destination;

export function joinDestinations(destinations: readonly Destination[]): Forward {
  return [...new Set(destinations)].join(',') as Forward;
}

/** The normalised set of destinations of a `forward` as the service wrote it, sorted. */
export function destinationsOf(forward: string): readonly Destination[] {
  const parts = splitForward(forward);
  return [...new Set(parts.map(normaliseDestination))].sort();
}

/** Whether two `forward`s name the same set of destinations. Equal text, the common case, is not looked into. */
export function sameForward(a: string, b: string): boolean {
  if (a === b) return true;
  const left = destinationsOf(a);
  const right = destinationsOf(b);
  return left.length === right.length && left.every((destination, index) => destination === right[index]);
}

/** Whether no destination of `before` is kept in `after`: a reroute. */
export function keepsNone(before: string, after: string): boolean {
  const kept = new Set(destinationsOf(after));
  return !destinationsOf(before).some((destination) => kept.has(destination));
}

export function isDiscard(forward: string): boolean {
  return forward.trim().toLowerCase() === DISCARD;
}

export function normaliseDestination(text: string): Destination {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === DISCARD) return DISCARD;
  if (trimmed.includes('://')) return normaliseUrl(trimmed);
  const at = trimmed.lastIndexOf('@');
  if (at < 0) return trimmed as Destination;
  return `${trimmed.slice(0, at)}@${normaliseHost(trimmed.slice(at + 1))}` as Destination;
}

/** A comma inside a webhook's address, as in a query, does not separate: what follows is no destination by itself. */
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
