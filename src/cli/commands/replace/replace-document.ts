import { showText, type Disclosure } from '../../../core/model/destinations.ts';
import type { Source } from '../../../core/model/manifest/problem.ts';
import type { DestinationChange, ReferencePlace, Replaced } from '../../../core/manifest/replace/replace.ts';
import type { WantedReplacement } from './replace-terms.ts';

/** `fwdsync/replace@1`: schemas/replace.v1.schema.json. */
export interface ReplaceDocument {
  readonly kind: 'fwdsync/replace@1';
  readonly from: string;
  /** Null means that the destination is removed. */
  readonly to: string | null;
  readonly written: boolean;
  readonly changes: readonly DestinationChange[];
  readonly references: readonly ReferencePlace[];
  /** Entries that have no other destination, so nothing was written. */
  readonly only: readonly Source[];
}

/** Places found in manifests, and what may be shown of them. */
export interface FoundPlaces extends Omit<Replaced, 'texts'> {
  readonly disclosure: Disclosure;
}

export function replaceDocument(
  { from, to }: WantedReplacement,
  { changes, references, only, disclosure }: FoundPlaces,
  { written }: Pick<ReplaceDocument, 'written'>,
): ReplaceDocument {
  const show = (text: string): string => showText(text, disclosure);
  return {
    kind: 'fwdsync/replace@1',
    from: show(from),
    to: to === null ? null : show(to),
    written,
    changes: (only.length > 0 ? [] : changes).map((change) => ({
      source: change.source,
      from: show(change.from),
      to: change.to === null ? null : show(change.to),
    })),
    references,
    only,
  };
}
