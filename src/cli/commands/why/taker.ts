import type { Desired, PresentDomain } from '../../../core/model/desired.ts';
import type { Source } from '../../../core/model/manifest/problem.ts';
import { domainPartOf, nameKey, type DomainName } from '../../../core/model/names.ts';
import type { WhyTaker } from '../../../service/why/evidence.ts';
import type { TracedHop } from '../../output/documents/route-document.ts';

/** Returns what takes mail at a hop, with where the manifest has it; null means that nothing does. */
export function takerOf(hop: TracedHop | undefined, desired: Desired | null): WhyTaker | null {
  if (hop?.kind !== 'routed') return null;
  const { route, address } = hop;
  const domain = presentDomain(desired, address);
  switch (route.kind) {
    case 'alias': {
      const { name, source = aliasSource(domain, name) } = route.alias;
      return { kind: 'alias', name, source };
    }
    case 'rule': {
      const { name, id, source = ruleSource(domain, name) } = route.rule;
      return { kind: 'rule', name: name ?? id, source };
    }
    case 'fallback':
      return { kind: 'fallback', name: null, source: null };
    case 'refused':
      return null;
  }
}

function aliasSource(domain: PresentDomain | null, name: string): Source | null {
  return domain?.aliases?.entries.get(nameKey(name))?.source ?? null;
}

function ruleSource(domain: PresentDomain | null, name: string | undefined): Source | null {
  const named = domain?.rules?.entries.find((entry) => name !== undefined && entry.name === name);
  return named?.source ?? null;
}

/** Returns the domain of an address as the manifest wants it; null means that it does not. */
export function presentDomain(desired: Desired | null, address: string): PresentDomain | null {
  const entry = desired?.domains.get(domainPartOf(address) as DomainName);
  return entry?.state === 'present' ? entry : null;
}
