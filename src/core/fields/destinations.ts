import {
  decodeForward,
  DISCARD,
  encodeForward,
  sameDestinations,
  showDestinations,
  showDestination,
  type Destination,
} from '../model/destinations.ts';
import type { KeptText } from '../model/history/entries.ts';
import { succeed } from '../model/result.ts';
import { isKeptText, type Codec, type Concealment } from './codec.ts';
import { stringField } from './json.ts';

/** The destinations of mail: a set of addresses and webhooks, or discard. */
export const destinations: Codec<readonly Destination[], readonly KeptText[]> = {
  isDestination: true,
  same: sameDestinations,
  show: showDestinations,
  sign: (value, references) => showDestinations(value, { references, mask: false }),
  // There is usually one, which matters at a million aliases.
  digest: (value) => (value.length === 1 ? String(value[0]) : value.toSorted().join(',')),
  keep: (value, concealment) => value.map((destination) => keepDestination(destination, concealment)),
  isKept: (json) => Array.isArray(json) && json.every(isKeptText),
  restore(kept, reveal) {
    const values: Destination[] = [];
    for (const text of kept) {
      const value = reveal(text);
      if (!value.ok) return value;
      values.push(value.value as Destination);
    }
    return succeed(values);
  },
  encode: encodeForward,
  decode: (json, name) => decodeForward(stringField(json, name)),
  read: (node, loading) => loading.destinations.resolve(node) ?? undefined,
  write: (value, show) => show(value),
};

/** Returns a destination as the history keeps it. */
export function keepDestination(destination: Destination, { references, print }: Concealment): KeptText {
  if (references.size === 0 || destination === DISCARD) return destination;
  const shown = showDestination(destination, { references, mask: false });
  return shown === destination ? destination : { shown, print: print(destination) };
}
