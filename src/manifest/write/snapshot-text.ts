import type { Desired } from '../../model/desired.ts';
import type { DomainDocument, ManifestDocument } from '../../model/manifest-document.ts';
import { escapeInvisible, type DomainName } from '../../model/names.ts';
import { loadManifest } from '../load.ts';
import { dropFaults } from './export-check.ts';
import { writeManifest } from './write.ts';

/** Snapshots as text, and back. */
export const snapshotText = { write: writeSnapshot, read: readSnapshot } as const;

/**
 * The text of a manifest that was made from a live account. What the language refuses, such as a regular expression that
 * only the service understands, is a comment in it, so that the rest can be applied.
 */
function writeSnapshot(document: ManifestDocument): string {
  const drafts = [...document.domains].map(([domain, { comments = [], ...rest }]) => ({
    domain: domain as DomainName,
    document: rest,
    comments,
  }));
  const { domains, comments } = dropFaults(drafts, document.api?.version ?? 'v4');
  const kept = domains.map((draft): [string, DomainDocument] => [
    draft.domain,
    draft.comments.length === 0 ? draft.document : { comments: draft.comments, ...draft.document },
  ]);
  const all = [...(document.comments ?? []), ...comments.map(escapeInvisible)];
  return writeManifest({ ...document, comments: all, domains: new Map(kept) });
}

/** `references` (normalised value -> how the manifest writes it) take the place of the environment and files. */
function readSnapshot(text: string, references: ReadonlyMap<string, string>): Desired | null {
  const values = Map.groupBy(references.keys(), (value) => references.get(value));
  const { desired } = loadManifest([{ file: 'snapshot', text }], {
    references: 'required',
    resolve: ({ shown }) => values.get(shown)?.join(',') ?? null,
    apiVersion: null,
  });
  return desired;
}
