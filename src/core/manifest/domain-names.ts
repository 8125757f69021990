import { parseDomainName, type DomainName } from '../model/names.ts';
import { createProblemLog, type ProblemLog } from './problems.ts';
import { decodeManifest } from './read/decode.ts';
import { entriesOf, valueOf, type Node } from './read/node.ts';
import { parseDocuments } from './read/syntax.ts';
import type { ManifestText } from './read/text.ts';

/** The domains that can be read of manifests, tombstones too, in order; whatever else is wrong with them is of no concern. */
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

/** Returns the documents of a text that can be read; what is wrong with the others is in the log. */
export function readableDocuments(text: ManifestText, log: ProblemLog): readonly Node[] {
  const source = decodeManifest(text, log);
  return source === null ? [] : parseDocuments(source, log).nodes;
}
