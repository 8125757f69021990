import { parseDomainName, type DomainName } from '../model/names.ts';
import { createProblemLog, type ProblemLog } from './problems.ts';
import { decodeManifest } from './read/decode.ts';
import { entriesOf, valueOf, type Node } from './read/node.ts';
import { parseDocuments } from './read/syntax.ts';
import type { ManifestText } from './read/text.ts';

/** Returns the sorted domains that can be read from manifests, including tombstones. Other errors do not matter. */
export function domainNames(texts: readonly ManifestText[]): readonly DomainName[] {
  const log = createProblemLog();
  const keys = texts
    .flatMap((text) => readableDocuments(text, log))
    .flatMap((document) => [...entriesOf(valueOf(document, 'domains'))]);
  const names = keys.flatMap(({ key }) => {
    const parsed = parseDomainName(key.text);
    return parsed.ok ? [parsed.value] : [];
  });
  return [...new Set(names)].sort();
}

/** Returns the readable documents of a text; the errors of the others are in the log. */
export function readableDocuments(text: ManifestText, log: ProblemLog): readonly Node[] {
  const source = decodeManifest(text, log);
  return source === null ? [] : parseDocuments(source, log).nodes;
}
