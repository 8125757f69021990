import type { DomainDocument, ManifestDocument } from '../../model/manifest-document.ts';
import { escapeInvisible, type DomainName } from '../../model/names.ts';
import { dropFaults } from './export-check.ts';
import { writeManifest } from './write.ts';

/**
 * The text of a manifest that was made from a live account. What the language refuses, such as a regular expression that
 * only the service understands, is a comment in it, so that the rest can be applied.
 */
export function writeSnapshot(document: ManifestDocument): string {
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
