/** RFC 5321: a local part has up to 64 characters, a host up to 255. */
const LONGEST_LOCAL = 64;
const LOCAL = /[^\s@<>]{0,64}$/;
const HOST = /^[\p{L}\p{N}.-]{1,255}/u;
const URL_PART = /^[^\s<>"]{1,2000}/;
/** Maximum number of places where an address or a webhook may begin, and where it may end. */
const MOST_PLACES = 24;
/** Maximum number of values to look up in one text. Each takes some microseconds. */
const MOST_VALUES = 4_000;

export interface ValuesInText {
  readonly values: readonly string[];
  /**
   * Parts with too many possible begins or ends, and the rest of a text with too many possible values. They are not
   * searched.
   */
  readonly unsearched: readonly string[];
}

/**
 * Returns every part of a text that may be an address or a webhook. Begin and end are not certain, as in
 * `to=ana+x@corp.example.`, so each place beside a character that is neither letter nor digit is tried.
 */
export function valuesInText(text: string): ValuesInText {
  const found = { values: [] as string[], unsearched: [] as string[] };
  let unsearchedTo = 0;
  for (const { index, 0: sign } of text.matchAll(/@|https?:\/\//gi)) {
    if (index < unsearchedTo) continue;
    const start = sign === '@' ? Math.max(0, index - LONGEST_LOCAL) : index;
    const { values, unsearched } =
      sign === '@' ? addressesAround(text, index) : webhooksFrom(text.slice(index, index + 2000));
    // A part that is not searched is looked up as a whole too, so that it is hidden.
    if (found.values.length + values.length + MOST_PLACES * found.unsearched.length > MOST_VALUES)
      return { ...found, unsearched: [...found.unsearched, ...piecesFrom(text, start)] };
    found.values.push(...values);
    found.unsearched.push(...unsearched);
    if (sign !== '@') unsearchedTo = index + (unsearched[0]?.length ?? 0);
  }
  return found;
}

const PIECE = 256;
/** Overlap of pieces. Overlapping pieces are hidden as one. */
const OVERLAP = 4;

/** Returns the end of a text in pieces. Searching for a long, repetitive text would be slow. */
function piecesFrom(text: string, start: number): readonly string[] {
  const count = Math.ceil((text.length - start) / PIECE);
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * PIECE;
    return text.slice(at, at + PIECE + OVERLAP);
  });
}

function addressesAround(text: string, at: number): ValuesInText {
  const [local = ''] = LOCAL.exec(text.slice(Math.max(0, at - LONGEST_LOCAL), at)) ?? [];
  const [host = ''] = HOST.exec(text.slice(at + 1, at + 256)) ?? [];
  const [starts, ends] = [places(local), places(host)];
  if (Math.max(starts.length, ends.length) > MOST_PLACES)
    return { values: [], unsearched: [`${local}@${host}`] };
  const values = starts.flatMap((start) => ends.map((end) => `${local.slice(start)}@${host.slice(0, end)}`));
  return { values, unsearched: [] };
}

function webhooksFrom(text: string): ValuesInText {
  const [url = ''] = URL_PART.exec(text) ?? [];
  const ends = places(url);
  if (ends.length > 4 * MOST_PLACES) return { values: [], unsearched: [url] };
  return { values: ends.map((end) => url.slice(0, end)), unsearched: [] };
}

/** Returns the possible begins and ends, including the start and the end of the text. */
function places(text: string): readonly number[] {
  return [...text.matchAll(/(?<![\p{L}\p{N}])|(?![\p{L}\p{N}])/gu)].map(({ index }) => index);
}
