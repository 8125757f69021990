/** A separator that no address or value contains. */
const BETWEEN = '\n\u0000\n';

/**
 * Returns the data with every text concealed. Conceals all texts at once, because there may be thousands of secrets
 * to search for. Null characters are replaced.
 */
export function concealAll<Data>(data: Data, conceal: (text: string) => string): Data {
  const texts: string[] = [];
  mapTexts(data, (text) => {
    texts.push(text.replaceAll('\u0000', '\uFFFD'));
    return text;
  });
  if (texts.length === 0) return data;
  const concealed = conceal(texts.join(BETWEEN)).split(BETWEEN);
  if (concealed.length !== texts.length) throw new Error('a secret contains the separator of texts');
  let next = 0;
  return mapTexts(data, () => concealed[next++] ?? '') as Data;
}

function mapTexts(data: unknown, map: (text: string) => string): unknown {
  if (typeof data === 'string') return map(data);
  if (Array.isArray(data)) return data.map((part) => mapTexts(part, map));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, part]) => [name, mapTexts(part, map)]));
}
