import { isMap } from 'yaml';
import type { Desired, DesiredDomain } from '../../model/desired.ts';
import { SECTION_KINDS, type Section, type SectionKind } from '../../model/kinds.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import type { Adoption, AliasChange, Change, CredentialChange, DomainChange } from '../../model/plan.ts';
import type { ManifestText } from '../read/text.ts';
import { createBook, type Book } from './destinations.ts';
import { createDraft, findDomains, findPair, finishDraft, placeWithin, type DraftPlace } from './draft.ts';
import { editEntries, writeEntry, type EntryChange, type EntryChanges } from './entries.ts';
import { editRules } from './rules.ts';

export interface UpdateInput {
  readonly texts: readonly ManifestText[];
  readonly desired: Desired;
  readonly observed: Observed;
  /** What `apply` would do to the account: the manifest is changed there, and nowhere else. */
  readonly plan: { readonly changes: readonly Change[]; readonly adoptions: readonly Adoption[] };
}

/**
 * The manifests edited where the plan would change the account, so that they describe the account. Only the lines that a
 * change is about are written anew. One round; what it could not do at once, such as the order of rules that it has just
 * added, is for the next, until the plan is empty.
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

interface DomainEditing {
  readonly place: DraftPlace;
  readonly book: Book;
  readonly desired: DesiredDomain | undefined;
  readonly live: ObservedDomain | undefined;
  readonly adoptions: readonly Adoption[];
}

function editDomain(editing: DomainEditing, changes: readonly Change[]): void {
  const { place, book } = editing;
  const [domain] = changesOf('domain', changes);
  if (domain !== undefined && domain.action !== 'update') return removeDomain(place, book);
  if (domain !== undefined) editEntries(place, settingChanges(domain), book);
  for (const kind of SECTION_KINDS) SECTION_EDITORS[kind](editing, changes);
}

function changesOf<K extends Change['kind']>(
  kind: K,
  changes: readonly Change[],
): readonly Extract<Change, { readonly kind: K }>[] {
  return changes.filter((change): change is Extract<Change, { readonly kind: K }> => change.kind === kind);
}

const SECTION_EDITORS: Readonly<Record<SectionKind, typeof editDomain>> = {
  alias: (editing, changes) => editSection(editing, 'aliases', changesOf('alias', changes), aliasChange),
  rule({ place, book, desired, live, adoptions }, changes) {
    const own = changesOf('rule', changes);
    const entries = desired?.state === 'present' ? (desired.rules?.entries ?? []) : [];
    const input = { changes: own, adoptions, desired: entries, live: live?.rules ?? [] };
    if (own.length > 0) editRules(place, input, book);
  },
  credential(editing, changes) {
    const own = changesOf('credential', changes).filter(({ action }) => action !== 'update');
    editSection(editing, 'credentials', own, credentialChange);
  },
};

/** A domain that the account does not have, or that it has in spite of a tombstone: its entry is removed. */
function removeDomain(place: DraftPlace, book: Book): void {
  const { contents } = place.document;
  if (!isMap(contents)) return;
  const owner = findPair(contents, 'domains');
  if (owner === undefined) return;
  const name = String((place.pair.key as { readonly value: unknown }).value);
  editEntries({ ...place, map: contents, pair: owner }, new Map([[name, { kind: 'remove' }]]), book);
}

function settingChanges({ fields, observed }: DomainChange): EntryChanges {
  return new Map(fields.map((field) => [field, { kind: 'value', value: observed?.[field] ?? 'none' }]));
}

function editSection<T extends Change>(
  { place, book }: DomainEditing,
  section: Section,
  changes: readonly T[],
  changeOf: (change: T) => EntryChange,
): void {
  if (changes.length === 0) return;
  const entries = new Map(changes.map((change) => [change.name, changeOf(change)]));
  const own = placeWithin(place, section);
  if (own !== null) return editEntries(own, entries, book);
  // What templates alone bring: the domain decides for itself.
  const written = [...entries].flatMap(([name, change]) =>
    change.kind === 'remove' ? [] : [[name, writeEntry(change, book)] as const],
  );
  editEntries(place, new Map([[section, { kind: 'value', value: Object.fromEntries(written) }]]), book);
}

/** The account's side of an alias; one that a template brings is overruled, for the template may be right elsewhere. */
function aliasChange({ observed, via }: AliasChange): EntryChange {
  if (observed !== null) return { kind: 'forward', forward: observed.forward };
  return via === undefined ? { kind: 'remove' } : { kind: 'value', value: { state: 'absent' } };
}

function credentialChange({ action, via }: CredentialChange): EntryChange {
  if (action === 'delete') return { kind: 'value', value: {} };
  return via === undefined ? { kind: 'remove' } : { kind: 'value', value: { state: 'absent' } };
}
