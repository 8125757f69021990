import {
  decodeForward,
  normaliseDestination,
  referenceDocument,
  showDestinations,
  type Destination,
} from '../model/destinations.ts';
import type { KeptText } from '../model/history/entries.ts';
import { quote } from '../model/names.ts';
import { succeed } from '../model/result.ts';
import { textOf, type Node, type TextNode } from '../manifest/read/node.ts';
import type { Loading } from '../manifest/resolve/context.ts';
import { parseDestination, parseWebhook } from '../manifest/resolve/values/destination-text.ts';
import { isKeptText, type Codec } from './codec.ts';
import { keepDestination } from './destinations.ts';
import { nullableString } from './json.ts';

/**
 * Returns a codec for a text of the service, or null. A manifest writes null as `none`; the empty text is also none.
 */
export function oneOrNone(
  parse: (node: TextNode, loading: Loading) => string | null,
): Codec<string | null, KeptText | null> {
  return {
    isDestination: true,
    hasNone: true,
    same: (a, b) => normaliseDestination(a ?? '') === normaliseDestination(b ?? ''),
    show: (value, disclosure) => (value === null ? null : showDestinations(partsOf(value), disclosure)),
    sign: (value, references) =>
      value === null ? null : showDestinations([value as Destination], { references, mask: false }),
    keep: (value, concealment) =>
      value === null ? null : keepDestination(value as Destination, concealment),
    isKept: (json) => json === null || isKeptText(json),
    restore: (kept, reveal) => (kept === null ? succeed(null) : reveal(kept)),
    encode: (value) => value,
    decode: nullableString,
    read: (node, loading) => readOrNone(node, loading, parse),
    write: (value) => value ?? 'none',
  };
}

/** An address or none. */
export const address = oneOrNone((node, { log }) => {
  const parsed = node.text.includes('://') ? null : parseDestination(node.text);
  if (parsed?.ok) return parsed.value.destination;
  log.report('invalid-address', node, {
    message: `${quote(node.text)} is not one email address`,
    hint: 'write name@domain.example, or none',
  });
  return null;
});

/** A URL that events are posted to, or none. */
export const webhook = oneOrNone((node, { log }) => {
  const parsed = parseWebhook(node.text);
  if (!parsed.ok) {
    const { code, message, hint } = parsed.error;
    log.report(code, node, { message: `${message}: ${quote(node.text)}`, hint });
    return null;
  }
  if (parsed.value.warning !== null) log.report(parsed.value.warning.code, node, parsed.value.warning);
  return parsed.value.destination;
});

function readOrNone(
  node: Node,
  loading: Loading,
  parse: (node: TextNode, loading: Loading) => string | null,
): string | null | undefined {
  const text = textOf(node);
  if (node.kind !== 'text' || text === undefined || text === '') return undefined;
  return text === 'none' ? null : (parse(node, loading) ?? undefined);
}

/** Splits a value into destinations. A text that the history shows as a reference stays whole. */
function partsOf(value: string): readonly Destination[] {
  return referenceDocument(value) === null ? decodeForward(value) : [value as Destination];
}
