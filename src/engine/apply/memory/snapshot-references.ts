import { KINDS, SECTION_KINDS } from '../../../core/kinds/registry.ts';
import type { Desired, DesiredDomain, DesiredSections } from '../../../core/model/desired.ts';
import type { Destination } from '../../../core/model/destinations.ts';
import type { PresentEntry, SectionKind } from '../../../core/model/kinds.ts';
import type { SkippedItem } from '../../../core/model/report.ts';
import type { ResolvedDesired, ResolveDesiredInput } from '../../plan-once.ts';

/** Returns the comment of a snapshot that tells by a keyed fingerprint which values a reference had. */
export function referenceLine(
  shown: string,
  values: readonly string[],
  print: (value: string) => string,
): string {
  return `${shown}${HAD}${print(values.toSorted().join())}`;
}

const HAD = ' had the value with the fingerprint ';

/** Leaves out the entries of a snapshot whose references have other values by now. `text` is that of the snapshot. */
export async function resolveSnapshot(
  text: string,
  desired: Desired,
  { state }: Pick<ResolveDesiredInput, 'state'>,
): Promise<ResolvedDesired> {
  const print = await state.openValuePrints();
  const prints = printsIn(text);
  const lost = new Map<string, string>();
  for (const [shown, entries] of Map.groupBy(desired.references, ([, reference]) => reference.shown)) {
    const values = entries.map(([value]) => value);
    const had = prints.get(shown);
    if (print === null || had === undefined || had === print(values.toSorted().join())) continue;
    for (const value of values) lost.set(value, shown);
  }
  if (lost.size === 0) return { desired, leftAlone: [], notes: [] };
  const leftAlone: SkippedItem[] = [];
  const domains = [...desired.domains].map(([name, domain]) => {
    return [name, withoutLost(domain, lost, leftAlone)] as const;
  });
  return { desired: { ...desired, domains: new Map(domains) }, leftAlone, notes: [] };
}

function printsIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line.startsWith('# ') && line.includes(HAD));
  return new Map(lines.map((line) => line.slice(2).split(HAD) as [string, string]));
}

function withoutLost(
  domain: DesiredDomain,
  lost: ReadonlyMap<string, string>,
  leftAlone: SkippedItem[],
): DesiredDomain {
  if (domain.state === 'absent') return domain;
  const keep = (kind: SectionKind, entry: { readonly state: string }): boolean => {
    const { forward, name, source } = { forward: [], ...(entry as PresentEntry) };
    const shown = forward.flatMap((destination: Destination) => lost.get(destination) ?? [])[0];
    if (shown === undefined) return true;
    const reason = `the old value of ${shown} is not kept`;
    leftAlone.push({ action: 'update', kind, domain: domain.domain, name, source, reason });
    return false;
  };
  const sections = SECTION_KINDS.flatMap((kind) => {
    const section = domain[KINDS[kind].section];
    if (section === undefined) return [];
    // Entries by name, or in an order.
    const entries: ReadonlyMap<string, { readonly state: string }> | readonly { readonly state: string }[] =
      section.entries;
    const kept =
      entries instanceof Map
        ? new Map([...entries].filter(([, entry]) => keep(kind, entry)))
        : [...entries.values()].filter((entry) => keep(kind, entry));
    return [[KINDS[kind].section, { ...section, entries: kept }]];
  });
  return { ...domain, ...(Object.fromEntries(sections) as DesiredSections) };
}
