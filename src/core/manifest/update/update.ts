import { isMap } from 'yaml';
import type { Fields } from '../../fields/fields.ts';
import { SETTINGS } from '../../kinds/domain/fields.ts';
import { forwardDocument } from '../../model/manifest/manifest-document.ts';
import type { Desired } from '../../model/desired.ts';
import type { Observed } from '../../model/observed.ts';
import type { Adoption, Change, DomainChange } from '../../model/plan.ts';
import type { ManifestText } from '../read/text.ts';
import { updateSections } from '../sections/sections.ts';
import { createBook, type Book } from './written-destinations.ts';
import { createDraft, findDomains, findPair, finishDraft, type DraftPlace } from './draft.ts';
import { changesOf, editEntries, type DomainEditing, type EntryChanges } from './entries.ts';

export interface UpdateInput {
  readonly texts: readonly ManifestText[];
  readonly desired: Desired;
  readonly observed: Observed;
  /** The plan of `apply`. The manifest is changed only where the plan would change the account. */
  readonly plan: { readonly changes: readonly Change[]; readonly adoptions: readonly Adoption[] };
}

/**
 * Edits the manifests where the plan would change the account, so that they describe the account. Only the affected
 * lines are rewritten. This is one round; the next one does the rest, such as the order of rules just added, until the
 * plan is empty.
 */
export function updateManifest({ texts, desired, observed, plan }: UpdateInput): readonly ManifestText[] {
  const drafts = texts.map(createDraft);
  const book = createBook(drafts, desired);
  const places = findDomains(drafts);
  for (const [domain, changes] of Map.groupBy(plan.changes, (change) => change.domain)) {
    const place = places.get(domain);
    if (place === undefined) continue;
    const adoptions = plan.adoptions.filter((adoption) => adoption.domain === domain);
    const entry = desired.domains.get(domain);
    const live = observed.domains.get(domain);
    editDomain({ place, book, desired: entry, live, adoptions }, changes);
  }
  return drafts.map(finishDraft);
}

function editDomain(editing: DomainEditing, changes: readonly Change[]): void {
  const { place, book } = editing;
  const [domain] = changesOf('domain', changes);
  if (domain !== undefined && domain.action !== 'update') return removeDomain(place, book);
  if (domain !== undefined) editEntries(place, settingChanges(domain), book);
  updateSections(editing, changes);
}

/** Removes the entry of a domain that the account does not have, or that it still has despite a tombstone. */
function removeDomain(place: DraftPlace, book: Book): void {
  const { contents } = place.document;
  if (!isMap(contents)) return;
  const owner = findPair(contents, 'domains');
  if (owner === undefined) return;
  const name = String((place.pair.key as { readonly value: unknown }).value);
  editEntries({ ...place, map: contents, pair: owner }, new Map([[name, { kind: 'remove' }]]), book);
}

function settingChanges({ fields, observed }: DomainChange): EntryChanges {
  const live: Fields = observed ?? {};
  return new Map(
    fields.map((field) => [
      field,
      { kind: 'value', value: SETTINGS[field]?.codec.write(live[field], forwardDocument) ?? 'none' },
    ]),
  );
}
