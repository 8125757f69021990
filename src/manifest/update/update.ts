import { isMap } from 'yaml';
import type { Desired } from '../../model/desired.ts';
import type { Section } from '../../model/kinds.ts';
import type { DomainName } from '../../model/names.ts';
import type { Observed } from '../../model/observed.ts';
import type {
  Adoption,
  AliasChange,
  Change,
  CredentialChange,
  DomainChange,
  RuleChange,
} from '../../model/plan.ts';
import type { ManifestText } from '../read/text.ts';
import { createBook, type Book } from './book.ts';
import { createDraft, findDomains, findPair, finishDraft, type DraftPlace } from './draft.ts';
import { editEntries, writeEntry, type EntryChange, type EntryChanges } from './entries.ts';
import type { YamlValue } from './flow.ts';
import { editRules } from './rules.ts';

export interface UpdateInput {
  readonly texts: readonly ManifestText[];
  readonly desired: Desired;
  readonly observed: Observed;
  /** What `apply` would do to the account: the manifest is changed there, and nowhere else. */
  readonly plan: { readonly changes: readonly Change[]; readonly adoptions: readonly Adoption[] };
}

/**
 * The manifests with what the plan would change said as the account has it: the other way round. Only the lines that a
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
    const entry = desired.domains.get(domain);
    const rules = entry?.state === 'present' ? (entry.rules?.entries ?? []) : [];
    const adoptions = plan.adoptions.filter((adoption) => adoption.domain === domain);
    const live = observed.domains.get(domain)?.rules ?? [];
    editDomain(place, { domain, changes, book, rules: { adoptions, desired: rules, live } });
  }
  return drafts.map(finishDraft);
}

interface DomainInput {
  readonly domain: DomainName;
  readonly changes: readonly Change[];
  readonly book: Book;
  readonly rules: Omit<Parameters<typeof editRules>[1], 'changes'>;
}

function editDomain(place: DraftPlace, { changes, book, rules }: DomainInput): void {
  const ofKind = <Kind extends Change['kind']>(kind: Kind) =>
    changes.filter((change): change is Extract<Change, { readonly kind: Kind }> => change.kind === kind);
  const [domain] = ofKind('domain');
  if (domain !== undefined && domain.action !== 'update') return removeDomain(place, book);
  if (domain !== undefined) editEntries(place, settingChanges(domain), book);
  editSection(
    place,
    'aliases',
    new Map(ofKind('alias').map((change) => [change.name, aliasChange(change)])),
    book,
  );
  const credentials = ofKind('credential').filter(({ action }) => action !== 'update');
  editSection(
    place,
    'credentials',
    new Map(credentials.map((change) => [change.name, credentialChange(change)])),
    book,
  );
  const ruleChanges: readonly RuleChange[] = ofKind('rule');
  if (ruleChanges.length > 0) editRules(place, { ...rules, changes: ruleChanges }, book);
}

/** A domain that the account does not have, or that it has though a tombstone stands for it: nothing is said of it. */
function removeDomain(place: DraftPlace, book: Book): void {
  const { contents } = place.document;
  const owner = isMap(contents) ? findPair(contents, 'domains') : undefined;
  if (owner === undefined) return;
  const name = String((place.pair.key as { readonly value: unknown }).value);
  editEntries({ ...place, pair: owner }, new Map([[name, { kind: 'remove' }]]), book);
}

function settingChanges({ fields, observed }: DomainChange): EntryChanges {
  return new Map(fields.map((field) => [field, { kind: 'value', value: observed?.[field] ?? 'none' }]));
}

function editSection(domain: DraftPlace, section: Section, changes: EntryChanges, book: Book): void {
  const { draft, document, map, pair } = domain;
  if (changes.size === 0 || !isMap(pair.value)) return;
  const own = findPair(pair.value, section);
  if (own !== undefined) return editEntries({ draft, document, map, pair: own }, changes, book);
  // What templates alone bring: the domain decides for itself.
  const value = Object.fromEntries(
    [...changes].flatMap(([name, change]) => writtenEntry(name, change, book)),
  );
  editEntries(domain, new Map([[section, { kind: 'value', value }]]), book);
}

function writtenEntry(
  name: string,
  change: EntryChange,
  book: Book,
): readonly (readonly [string, YamlValue])[] {
  if (change.kind === 'remove') return [];
  return [[name, writeEntry(change, book)]];
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
