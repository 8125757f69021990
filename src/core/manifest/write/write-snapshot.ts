import type { References } from '../../model/destinations.ts';
import type { Desired } from '../../model/desired.ts';
import type { ManifestDocument } from '../../model/manifest/manifest-document.ts';
import { loadTree } from '../load.ts';
import { createProblemLog } from '../problems.ts';
import { documentTree } from '../read/document-tree.ts';
import { dropRefused } from './drop-refused.ts';
import { writeManifest } from './manifest-yaml.ts';

/**
 * A manifest that was made from a live account. What the language refuses, such as a regular expression that only the
 * service understands, is a comment in it, so that the rest can be applied.
 */
export function writeSnapshot(document: ManifestDocument): {
  readonly text: string;
  /** `references` take the place of the environment and files. */
  readonly desired: (references: References) => Desired | null;
} {
  const kept = dropRefused(document, document.api?.version ?? 'v4');
  return { text: writeManifest(kept), desired: (references) => desiredOf(kept, references) };
}

function desiredOf(document: ManifestDocument, references: References): Desired | null {
  const values = Map.groupBy(references, ([, reference]) => reference.shown);
  const log = createProblemLog();
  return loadTree(documentTree(document, log).tree, log, {
    references: 'required',
    resolve: ({ shown }) =>
      values
        .get(shown)
        ?.map(([value]) => value)
        .join(',') ?? null,
    apiVersion: null,
  }).desired;
}
