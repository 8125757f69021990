import { destinationsOf } from './destinations.ts';

/** What may be shown of destinations: values that came from a reference are shown as that reference, everywhere. */
export interface Disclosure {
  /** Normalised value of a reference -> how it is shown, such as `{ env: BOSS_ADDRESS }`. */
  readonly references: ReadonlyMap<string, string>;
  /** `--mask`: hide the local parts of addresses, and what follows the host of a webhook. */
  readonly mask: false | MaskNumbers;
}

/** What was hidden -> its number, in order of appearance: `***1@x.example -> ***2@x.example` is seen to be a change. */
export type MaskNumbers = Map<string, number>;

/** A command that follows logs for months must not remember them all. */
const MOST_NUMBERED = 100_000;

export const DISCLOSE_ALL: Disclosure = { references: new Map(), mask: false };

/** A `forward` for people: sorted, `discard` for `null`, references and masks applied. */
export function showForward(forward: string, disclosure: Disclosure): string {
  const shown = destinationsOf(forward).map((destination) => showDestination(destination, disclosure));
  return [...new Set(shown)].join(', ');
}

function showDestination(destination: string, disclosure: Disclosure): string {
  const reference = referenceOf(destination, disclosure);
  if (reference !== undefined) return reference;
  if (destination === 'null') return 'discard';
  return disclosure.mask === false ? destination : mask(destination, disclosure.mask);
}

/** Who reads mail does not tell cases apart, and a value in other letters gives the value away. */
function referenceOf(destination: string, { references }: Disclosure): string | undefined {
  if (references.size === 0) return undefined;
  return references.get(destination) ?? withoutCase(references).get(destination.toLowerCase());
}

const folded = new WeakMap<Disclosure['references'], Disclosure['references']>();

function withoutCase(references: Disclosure['references']): Disclosure['references'] {
  const known = folded.get(references);
  // While a manifest is loaded its references are still being found.
  if (known?.size === references.size) return known;
  const made = new Map([...references].map(([value, shown]) => [value.toLowerCase(), shown]));
  folded.set(references, made);
  return made;
}

/** Free text, such as a message of the service, with the same replacements. */
export function showText(text: string, disclosure: Disclosure): string {
  let shown = text;
  const longestFirst = [...disclosure.references].sort(([a], [b]) => b.length - a.length);
  for (const [value, reference] of longestFirst)
    shown = shown.replaceAll(new RegExp(escapeRegex(value), 'gi'), () => reference);
  return disclosure.mask === false ? shown : maskAddresses(shown, disclosure.mask);
}

function maskAddresses(text: string, numbers: MaskNumbers): string {
  const address = /([^\s@"'<>(),;:]+)@+(?=([^\s@"'<>(),;:]*[^\s@"'<>(),;:.])?)(?=[^\s@]+\.)/g;
  return text.replace(address, (_, local: string, host = '') => `${hidden(`${local}@${host}`, numbers)}@`);
}

function mask(destination: string, numbers: MaskNumbers): string {
  const url = /^([a-z]+:\/\/[^/?#]*)./i.exec(destination);
  if (url !== null) return `${url[1]}/${hidden(destination, numbers)}`;
  const at = destination.lastIndexOf('@');
  return at < 0 ? destination : `${hidden(destination, numbers)}${destination.slice(at)}`;
}

function hidden(value: string, numbers: MaskNumbers): string {
  // A line of a log may have been masked before.
  const before = /^\*{3}\d+(?=@)/.exec(value);
  if (before !== null) return before[0];
  const key = value.toLowerCase();
  const number = numbers.get(key) ?? numbers.size + 1;
  if (number > MOST_NUMBERED) return '***';
  numbers.set(key, number);
  return `***${number}`;
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
