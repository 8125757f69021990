import { destinationsOf } from './destinations.ts';

/** What may be shown of destinations: values that came from a reference are shown as that reference, everywhere. */
export interface Disclosure {
  /** Normalised value of a reference -> how it is shown, such as `{ env: BOSS_ADDRESS }`. */
  readonly references: ReadonlyMap<string, string>;
  /** `--mask`: hide the local parts of addresses, and what follows the host of a webhook. */
  readonly mask: boolean;
}

export const DISCLOSE_ALL: Disclosure = { references: new Map(), mask: false };

/** A `forward` for people: sorted, `discard` for `null`, references and masks applied. */
export function showForward(forward: string, disclosure: Disclosure): string {
  const shown = destinationsOf(forward).map((destination) => showDestination(destination, disclosure));
  return [...new Set(shown)].join(', ');
}

function showDestination(destination: string, disclosure: Disclosure): string {
  const reference = disclosure.references.get(destination);
  if (reference !== undefined) return reference;
  if (destination === 'null') return 'discard';
  return disclosure.mask ? mask(destination) : destination;
}

/** Free text, such as a message of the service, with the same replacements. */
export function showText(text: string, disclosure: Disclosure): string {
  let shown = text;
  const longestFirst = [...disclosure.references].sort(([a], [b]) => b.length - a.length);
  for (const [value, reference] of longestFirst)
    shown = shown.replaceAll(new RegExp(escapeRegex(value), 'gi'), () => reference);
  return disclosure.mask ? shown.replace(/[^\s@"'<>(),;:]+@+(?=[^\s@]+\.)/g, '***@') : shown;
}

function mask(destination: string): string {
  const url = /^([a-z]+:\/\/[^/?#]*)./i.exec(destination);
  if (url !== null) return `${url[1]}/***`;
  const at = destination.lastIndexOf('@');
  return at < 0 ? destination : `***${destination.slice(at)}`;
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
