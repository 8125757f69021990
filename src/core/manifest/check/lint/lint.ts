import type { Desired, PresentDomain } from '../../../model/desired.ts';
import type { Manifest } from '../../resolve/assemble.ts';
import type { Loading } from '../../resolve/context.ts';
import { createViaOf, reportFinding, type LintFinding } from './finding.ts';
import { literalPatterns } from './literal-patterns.ts';
import { overlappingPatterns } from './overlapping-patterns.ts';
import { missingRoles } from './role-addresses.ts';
import { sameAsCatchAll } from './same-as-catch-all.ts';
import { sameDomainDestinations } from './same-domain.ts';
import { shadowedAliases } from './shadowed-aliases.ts';
import { shadowedRules } from './shadowed-rules.ts';
import { reportUnusedDestinations, reportUnusedTemplates } from './unused.ts';

/** Each takes time linear in the entries of the domain. */
const FINDERS: readonly ((domain: PresentDomain) => Iterable<LintFinding>)[] = [
  literalPatterns,
  missingRoles,
  overlappingPatterns,
  sameAsCatchAll,
  sameDomainDestinations,
  shadowedAliases,
  shadowedRules,
];

/** Reports what is legal in a manifest and surely not meant, or perhaps not. Only of a manifest without errors. */
export function reportLint(
  manifest: Manifest,
  domains: Desired['domains'],
  { log, destinations }: Loading,
): void {
  reportUnusedDestinations(manifest.destinations, destinations.isUsed, log);
  reportUnusedTemplates(manifest, log);
  for (const domain of domains.values()) {
    if (domain.state === 'absent') continue;
    const viaOf = createViaOf(domain);
    for (const find of FINDERS)
      for (const finding of find(domain)) reportFinding(finding, domain.domain, { log, viaOf });
  }
}
