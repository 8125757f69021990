import type { Desired, PresentDomain } from '../../../model/desired.ts';
import type { Manifest } from '../../resolve/assemble.ts';
import type { Loading } from '../../resolve/context.ts';
import { createViaOf, reportFinding, type LintFinding } from './finding.ts';
import type { Gaps } from './gaps.ts';
import { literalPatterns } from './literal-patterns.ts';
import { overlappingPatterns } from './overlapping-patterns.ts';
import { missingRoles } from './role-addresses.ts';
import { sameAsCatchAll } from './same-as-catch-all.ts';
import { sameDomainDestinations } from './same-domain.ts';
import { shadowedAliases } from './shadowed-aliases.ts';
import { shadowedRules } from './shadowed-rules.ts';
import { reportUnusedDestinations, reportUnusedTemplates } from './unused.ts';

/** Each takes time linear in the entries of the domain. */
type Finder = (domain: PresentDomain) => Iterable<LintFinding>;

/** Finders whose findings stay true whatever else the domain has. */
const FINDERS: readonly Finder[] = [literalPatterns, sameDomainDestinations, shadowedAliases, shadowedRules];
/** Finders whose findings depend on what the domain does not have. */
const FINDERS_IN_WHOLE: readonly Finder[] = [missingRoles, overlappingPatterns, sameAsCatchAll];

/** Reports what is legal in a manifest and surely not meant, or perhaps not, as far as errors let it be judged. */
export function reportLint(
  manifest: Manifest,
  domains: Desired['domains'],
  { log, destinations }: Loading,
  { isWhole, mayUse }: Gaps,
): void {
  const isUsed = (name: string): boolean => destinations.isUsed(name) || mayUse('destination', name);
  reportUnusedDestinations(manifest.destinations, isUsed, log);
  reportUnusedTemplates(manifest, (name) => mayUse('template', name), log);
  for (const domain of domains.values()) {
    if (domain.state === 'absent') continue;
    const viaOf = createViaOf(domain);
    for (const find of isWhole(domain.domain) ? [...FINDERS, ...FINDERS_IN_WHOLE] : FINDERS)
      for (const finding of find(domain)) reportFinding(finding, domain.domain, { log, viaOf });
  }
}
