import { presentEntries, type Desired, type PresentDomain, type Setting } from '../../model/desired.ts';
import { showDestination, type Destination } from '../../model/destinations.ts';
import type { Source } from '../../model/manifest/problem.ts';
import { RECEIVING_SETTINGS } from '../../kinds/domain/fields.ts';
import type { PresentAlias } from '../../kinds/alias/fields.ts';
import type { PresentRule } from '../../kinds/rule/fields.ts';
import type { Passed } from '../../routing/leads/leads.ts';
import { patternOfAlias, patternOfRule } from '../../routing/leads/domain-steps.ts';
import type { ManifestText } from '../read/text.ts';
import { findLeading, type LeadingEntry, type WhoDomain, type WhoSetting } from './leading-entries.ts';
import type { WantedDestination } from './wanted.ts';
import { createWrittenIndex, type WhoVia, type WrittenIndex } from './written-index.ts';

/** An alias, rule or setting whose mail ends at a destination. */
export interface WhoEntry extends Pick<
  LeadingEntry<unknown>,
  'domain' | 'kind' | 'name' | 'only' | 'possible'
> {
  readonly via: readonly WhoVia[];
  /** The place of the entry, then the places that lead on to the destination. */
  readonly sources: readonly Source[];
}

export interface WhoFindings {
  readonly entries: readonly WhoEntry[];
  /** Entries that lead there but take no mail. */
  readonly idle: readonly WhoEntry[];
}

export interface WhoInput {
  readonly texts: readonly ManifestText[];
  readonly desired: Pick<Desired, 'domains' | 'references'>;
  readonly wanted: WantedDestination;
}

type ManifestEntry = LeadingEntry<PresentAlias | PresentRule | Setting>;

/** Returns everything in manifests whose mail ends at a destination, in the order of the domains. */
export function findWho({ texts, desired, wanted }: WhoInput): WhoFindings {
  const domains = [...desired.domains.values()].flatMap((domain) =>
    domain.state === 'present' ? [whoDomain(domain)] : [],
  );
  const { entries, idle, leads } = findLeading(domains, wanted.wants);
  const passedFrom = new Map<ManifestEntry, readonly Passed<PresentAlias | PresentRule>[]>();
  for (const entry of [...entries, ...idle]) {
    passedFrom.set(entry, leads.passedFrom(entry.forward, entry.pattern));
  }
  const passed = [...passedFrom.values()].flatMap((stops) => stops.flatMap((stop) => stop.entries));
  const index = createWrittenIndex(passedFrom.size === 0 ? [] : texts, {
    entries: [
      ...[...passedFrom.keys()].map(({ item, pattern }) => ({ source: sourceOfItem(item), pattern })),
      ...passed.map((entry) => ({ source: entry.source, pattern: patternOf(entry) })),
    ],
    references: desired.references,
    leadsOn: (destination, pattern) => leads.leadOf([destination], pattern).leads !== 'never',
  });
  const complete = (entry: ManifestEntry): WhoEntry =>
    whoEntry(entry, passedFrom.get(entry) ?? [], index, desired);
  return { entries: entries.map(complete), idle: idle.map(complete) };
}

/** Returns a domain as the manifest describes it; its engine is unknown. */
function whoDomain({
  domain,
  aliases,
  rules,
  settings,
}: PresentDomain): WhoDomain<PresentAlias, PresentRule, Setting> {
  return {
    domain,
    aliases: presentEntries(aliases),
    rules: presentEntries(rules),
    engine: null,
    fallback: null,
    settings: RECEIVING_SETTINGS.flatMap((kind): readonly WhoSetting<Setting>[] => {
      const item = settings[kind];
      return item?.value ? [{ kind, value: item.value as Destination, item }] : [];
    }),
    nameOfRule: ({ name }) => name,
  };
}

function patternOf(entry: PresentAlias | PresentRule): string | null {
  return 'match' in entry ? patternOfRule(entry) : patternOfAlias(entry);
}

function sourceOfItem(item: ManifestEntry['item']): Source {
  if (item === null) throw new Error('a manifest states no fallback');
  return item.source;
}

function whoEntry(
  { domain, kind, name, only, possible, item }: ManifestEntry,
  passed: readonly Passed<PresentAlias | PresentRule>[],
  index: WrittenIndex,
  { references }: Pick<Desired, 'references'>,
): WhoEntry {
  const source = sourceOfItem(item);
  const own = index.get(source);
  const via: WhoVia[] = [...own.via];
  const sources: Source[] = [source, ...own.sources];
  for (const { address, entries } of passed) {
    const shown = showDestination(address, { references, mask: false });
    // The entry that takes an address behind a reference would reveal the address.
    if (shown !== address) continue;
    via.push({ kind: 'address', name: address });
    for (const entry of entries) {
      const written = index.get(entry.source);
      via.push(...written.via);
      sources.push(entry.source, ...written.sources);
    }
  }
  return { domain, kind, name, via: distinctVia(via), sources: distinctLines(sources), only, possible };
}

function distinctVia(via: readonly WhoVia[]): readonly WhoVia[] {
  return [...new Map(via.map((one) => [`${one.kind} ${one.name}`, one])).values()];
}

/** Keeps the first of several places on one line. */
function distinctLines(sources: readonly Source[]): readonly Source[] {
  const lines = new Set<string>();
  return sources.filter(({ file, line }) => {
    const place = `${line} ${file}`;
    const isNew = !lines.has(place);
    lines.add(place);
    return isNew;
  });
}
