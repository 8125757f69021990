import type { Desired, DesiredDomain, DesiredSections } from '../../core/model/desired.ts';
import { KINDS, SECTION_KINDS } from '../../core/kinds/registry.ts';
import type { SectionKind } from '../../core/model/kinds.ts';
import { hasOtherValue } from '../../core/model/manifest/manifest-document.ts';
import type { SkippedItem } from '../../core/model/report.ts';
import type { PresentEntry } from '../../core/model/kinds.ts';
import type { ResolvedDesired, ResolveDesiredInput } from '../plan-once.ts';

/**
 * What a snapshot wants without the entries behind whose references is another value by now: it would bring back what never
 * was. `text`: the snapshot, which has a fingerprint of each value.
 */
export async function resolveSnapshot(
  text: string,
  desired: Desired,
  { state }: Pick<ResolveDesiredInput, 'state'>,
): Promise<ResolvedDesired> {
  const print = await state.openValuePrints();
  const lost = new Map<string, string>();
  for (const [shown, entries] of Map.groupBy(desired.references, ([, reference]) => reference.shown)) {
    const values = entries.map(([value]) => value);
    if (print === null || !hasOtherValue(text, shown, { values, print })) continue;
    for (const value of values) lost.set(value, shown);
  }
  if (lost.size === 0) return { desired, leftAlone: [], notes: [] };
  const leftAlone: SkippedItem[] = [];
  const domains = [...desired.domains].map(([name, domain]) => {
    return [name, withoutLost(domain, lost, leftAlone)] as const;
  });
  return { desired: { ...desired, domains: new Map(domains) }, leftAlone, notes: [] };
}

function withoutLost(
  domain: DesiredDomain,
  lost: ReadonlyMap<string, string>,
  leftAlone: SkippedItem[],
): DesiredDomain {
  if (domain.state === 'absent') return domain;
  const keep = (kind: SectionKind, entry: { readonly state: string }): boolean => {
    const { forward, name, source } = { forward: [], ...(entry as PresentEntry) };
    const shown = forward.flatMap((destination) => lost.get(destination) ?? [])[0];
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
