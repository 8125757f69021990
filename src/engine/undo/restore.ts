import type { Reveal } from '../../core/fields/codec.ts';
import { restoreFields } from '../../core/fields/fields.ts';
import { KINDS, SECTION_KINDS } from '../../core/kinds/registry.ts';
import type { DesiredSections, PresentDomain } from '../../core/model/desired.ts';
import type { SectionEntry, SectionKind } from '../../core/model/kinds.ts';
import { nameKey, type DomainName } from '../../core/model/names.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { compareRanks } from '../../core/plan/sorting.ts';
import { NOWHERE } from './old-values.ts';
import type { RunItem } from './run-items.ts';

/** An item as it was, in manifest form. */
export type Restored =
  | { readonly kind: 'domain'; readonly settings: PresentDomain['settings'] }
  | { readonly kind: SectionKind; readonly entry: SectionEntry };

/** Returns the item as it was, or why it cannot be brought back. */
export function restore(item: RunItem, reveal: Reveal): Result<Restored, string> {
  const { kind, original, fields } = item;
  const was = original === null ? succeed(null) : restoreFields(KINDS[kind].fields, original, reveal);
  if (!was.ok) return fail(`the old value of ${was.error.shown} is not kept`);
  if (kind !== 'domain') {
    const entry = KINDS[kind].manifest.entryOf(item, was.value, NOWHERE);
    return entry.ok ? succeed({ kind, entry: entry.value }) : entry;
  }
  const settings = Object.keys(KINDS.domain.fields)
    .filter((name) => fields.includes(name))
    .map((name) => [name, { value: was.value?.[name] ?? null, source: NOWHERE }]);
  return succeed({ kind, settings: Object.fromEntries(settings) });
}

/** Returns the desired state of a domain that brings these items back and leaves everything else unchanged. */
export function desiredDomain(domain: DomainName, restored: readonly Restored[]): PresentDomain {
  const own = restored.find((one) => one.kind === 'domain');
  const sections = SECTION_KINDS.flatMap((kind) => {
    const found = restored.flatMap((one) => (one.kind === kind && 'entry' in one ? [one.entry] : []));
    if (found.length === 0) return [];
    const { section, entries } = KINDS[kind];
    const byName = (): ReadonlyMap<string, SectionEntry> =>
      new Map(found.map((entry) => [nameKey(entry.name ?? ''), entry]));
    return [[section, { ...UNPRUNED, entries: entries === 'map' ? byName() : found.toSorted(byRank) }]];
  });
  return {
    state: 'present',
    domain,
    source: NOWHERE,
    settings: own?.settings ?? {},
    ...(Object.fromEntries(sections) as DesiredSections),
    expect: [],
    verify: false,
    lint: [],
    delivery: null,
  };
}

const UNPRUNED = { prune: false, ignore: [] } as const;

/** Compares two rules by rank, which is the order of evaluation. */
function byRank(a: SectionEntry, b: SectionEntry): number {
  return compareRanks(rankOf(a), rankOf(b));
}

function rankOf(entry: SectionEntry): number {
  return 'rank' in entry && typeof entry.rank === 'number' ? entry.rank : Number.NaN;
}
