/** RFC 5321: a local part has up to 64 characters, a host up to 255. */
const LOCAL = /[^\s@<>]{0,64}$/;
const HOST = /^[\p{L}\p{N}.-]{1,255}/u;
const URL_PART = /^[^\s<>"]{1,2000}/;

/**
 * Every part of a text that may be an address or a webhook, as it is written there. Where one begins and ends is not certain,
 * as in `to=ana+x@corp.example.`: it may be at each place beside a character that is neither letter nor digit.
 */
export function valuesInText(text: string): readonly string[] {
  return [
    ...[...text.matchAll(/@/g)].flatMap(({ index }) => addressesAround(text, index)),
    ...[...text.matchAll(/https?:\/\//gi)].flatMap(({ index }) => webhooksFrom(text.slice(index))),
  ];
}

function addressesAround(text: string, at: number): readonly string[] {
  const [local = ''] = LOCAL.exec(text.slice(Math.max(0, at - 64), at)) ?? [];
  const [host = ''] = HOST.exec(text.slice(at + 1)) ?? [];
  return places(local).flatMap((start) =>
    places(host).map((end) => `${local.slice(start)}@${host.slice(0, end)}`),
  );
}

function webhooksFrom(text: string): readonly string[] {
  const [url = ''] = URL_PART.exec(text) ?? [];
  return places(url).map((end) => url.slice(0, end));
}

/** Its start and its end are among them. */
function places(text: string): readonly number[] {
  return [...text.matchAll(/(?<![\p{L}\p{N}])|(?![\p{L}\p{N}])/gu)].map(({ index }) => index);
}
