import { dropRefused } from '../../../core/manifest/write/drop-refused.ts';
import { writeManifest } from '../../../core/manifest/write/manifest-yaml.ts';
import { referenceFinder } from '../../../core/manifest/write/reference-finder.ts';
import { showText, type References } from '../../../core/model/destinations.ts';
import type { DomainDocument, ShowForward } from '../../../core/model/manifest/manifest-document.ts';
import { quote, type DomainName } from '../../../core/model/names.ts';
import type { Observed, ObservedDomain } from '../../../core/model/observed.ts';
import type { Change } from '../../../core/model/plan.ts';
import { deletionsOf } from '../history/item-entries.ts';
import { referenceLine } from './snapshot-references.ts';
import type { SectionKind, Section } from '../../../core/model/kinds.ts';
import { pickFields } from '../../../core/fields/fields.ts';
import { SECTION_KINDS, KINDS, kindOf, isSection } from '../../../core/kinds/registry.ts';
import { SETTINGS } from '../../../core/kinds/domain/fields.ts';

export interface SnapshotInput {
  readonly changes: readonly Change[];
  readonly observed: Observed;
  readonly version: 'v4' | 'v3';
  readonly references: References;
  /** Returns the keyed fingerprint of a value; null means that none can be made. */
  readonly print: ((value: string) => string) | null;
  /** Id of the run in the history. */
  readonly run: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Writes the manifest that restores the state before a run. Items that the run changes or deletes appear as they
 * were, and items that it adds appear as absent. Everything else is left out, and nothing is pruned. Passwords cannot
 * be read, so a comment names the deleted credentials.
 */
export function writeSnapshot({ changes, observed, references, ...input }: SnapshotInput): string {
  const used = new Map<string, readonly string[]>();
  const show = referenceFinder(references, used);
  const domains = new Map<DomainName, DomainDocument>();
  for (const [domain, own] of Map.groupBy(changes, (change) => change.domain)) {
    domains.set(domain, withoutValues(domainBefore(own, observed.domains.get(domain), show), references));
  }
  const { version, print, run, now } = input;
  const comments = [
    `The items that run ${run} of ${new Date(now).toISOString()} changed, as they were before it`,
    `To undo the run: fwdsync undo ${run}; to apply this file: fwdsync apply -f THIS-FILE`,
    ...[...used].flatMap(([shown, values]) => (print === null ? [] : [referenceLine(shown, values, print)])),
  ];
  const api = { account: observed.account.email, ...(version === 'v3' ? { version } : {}) };
  return writeManifest(dropRefused({ version: 1, comments, api, domains }, version));
}

function domainBefore(
  changes: readonly Change[],
  live: ObservedDomain | undefined,
  show: ShowForward,
): DomainDocument {
  const own = changes.find((change) => change.kind === 'domain');
  if (own?.action === 'add' || live === undefined) return ABSENT;
  if (own?.action === 'delete') return deletedDomain(live, show);
  const settings = own === undefined ? {} : settingsOf(own.observed ?? {}, own.fields, show);
  return { ...settings, ...sectionsBefore(changes, live, show) };
}

function deletedDomain(live: ObservedDomain, show: ShowForward): DomainDocument {
  const sections = sectionsBefore(deletionsOf(live), live, show);
  // The service may create a `*` with a domain. A `*` that did not exist before must not come back.
  const aliases = new Map([['*', ABSENT] as const, ...(sections.aliases ?? [])]);
  return { ...settingsOf(live, Object.keys(SETTINGS), show), ...sections, aliases };
}

const ABSENT = { state: 'absent' } as const;

function settingsOf(state: object, fields: readonly string[], show: ShowForward): Partial<DomainDocument> {
  const known = Object.entries(pickFields(SETTINGS, state)).filter(([field]) => fields.includes(field));
  return Object.fromEntries(
    known.map(([field, value]) => [field, SETTINGS[field]?.codec.write(value, show)]),
  );
}

function sectionsBefore(
  changes: readonly Change[],
  live: ObservedDomain,
  show: ShowForward,
): Pick<DomainDocument, Section | 'comments'> {
  const comments: string[] = [];
  const sections = SECTION_KINDS.map((kind) => {
    const own = changes.filter((change) => change.kind === kind);
    const { section, manifest } = KINDS[kind];
    const before = own.length === 0 ? null : manifest.before(own, live, comments, show);
    return before === null ? {} : { [section]: before };
  });
  return Object.assign({}, ...sections, { comments }) as Pick<DomainDocument, Section | 'comments'>;
}

/**
 * Leaves out values that can only be written with the plain value behind a reference: in a pattern, part of a list,
 * or with a relative path.
 */
function withoutValues(document: DomainDocument, references: References): DomainDocument {
  const comments: string[] = [];
  const show = (text: string): string => showText(text, { references, mask: false });
  const isKept = (what: string, written: unknown): boolean => {
    const texts: string[] = [];
    JSON.stringify(written, (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
    if (texts.every((text) => show(text) === text)) return true;
    comments.push(show(`Left out: ${what}, which has the value of a reference`));
    return false;
  };
  const entriesKept = (kind: SectionKind, entries: unknown): unknown => {
    const isEntryKept = (entry: unknown, name: string): boolean =>
      isKept(`the ${kind} ${quote(name)}`, entry);
    if (entries instanceof Map)
      return new Map([...entries].filter((entry) => isEntryKept(entry, entry[0] as string)));
    const list = entries as readonly { readonly name?: string; readonly id?: string }[];
    return list.filter((entry) => isEntryKept(entry, entry.name ?? entry.id ?? ''));
  };
  const kept = Object.entries(document).flatMap(([key, value]: readonly [string, unknown]) => {
    if (isSection(key)) return [[key, entriesKept(kindOf(key), value)]];
    return key in SETTINGS && !isKept(key, value) ? [] : [[key, value]];
  });
  return {
    ...(Object.fromEntries(kept) as DomainDocument),
    comments: [...(document.comments ?? []), ...comments],
  };
}
