import { readableDocuments } from './domain-names.ts';
import { createProblemLog } from './problems.ts';
import { itemsOf } from './read/node.ts';
import type { ManifestText } from './read/text.ts';
import { destinationSlots, NODE_VIEW } from './written.ts';

/** The destinations in manifests, as far as they can be read despite errors. */
export interface DestinationNames {
  /** The names of groups. */
  readonly groups: ReadonlySet<string>;
  /** Addresses and webhooks, as written. */
  readonly destinations: ReadonlySet<string>;
}

export function destinationNames(texts: readonly ManifestText[]): DestinationNames {
  const log = createProblemLog();
  const groups = new Set<string>();
  const destinations = new Set<string>();
  for (const document of texts.flatMap((text) => readableDocuments(text, log))) {
    for (const { kind, name, value } of destinationSlots(document, NODE_VIEW)) {
      if (kind === 'group' && name !== null) groups.add(name);
      for (const item of itemsOf(value)) {
        if (item.kind === 'text' && /@|:\/\//.test(item.text)) destinations.add(item.text);
      }
    }
  }
  return { groups, destinations };
}
