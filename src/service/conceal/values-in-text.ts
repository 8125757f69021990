/** RFC 5321: a local part has up to 64 characters, a host up to 255. */
const LOCAL = /[^\s@<>]{0,64}$/;
const HOST = /^[\p{L}\p{N}.-]{1,255}/u;
const URL_PART = /^[^\s<>"]{1,2000}/;
/** Where an address or a webhook may begin or end, of each at most. */
const MOST_PLACES = 24;

export interface ValuesInText {
  readonly values: readonly string[];
  /** Parts that may begin or end at so many places that they are not searched. */
  readonly unsearched: readonly string[];
}

/**
 * Every part of a text that may be an address or a webhook, as it is written there. Where one begins and ends is not certain,
 * as in `to=ana+x@corp.example.`: it may be at each place beside a character that is neither letter nor digit.
 */
export function valuesInText(text: string): ValuesInText {
  const found = Array.from(text.matchAll(/@/g), ({ index }) => addressesAround(text, index));
  let unsearchedTo = 0;
  for (const { index } of text.matchAll(/https?:\/\//gi)) {
    if (index < unsearchedTo) continue;
    const webhooks = webhooksFrom(text.slice(index, index + 2000));
    found.push(webhooks);
    unsearchedTo = index + (webhooks.unsearched[0]?.length ?? 0);
  }
  return {
    values: found.flatMap(({ values }) => values),
    unsearched: found.flatMap(({ unsearched }) => unsearched),
  };
}

function addressesAround(text: string, at: number): ValuesInText {
  const [local = ''] = LOCAL.exec(text.slice(Math.max(0, at - 64), at)) ?? [];
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

/** Its start and its end are among them. */
function places(text: string): readonly number[] {
  return [...text.matchAll(/(?<![\p{L}\p{N}])|(?![\p{L}\p{N}])/gu)].map(({ index }) => index);
}
