import { presentEntries, type Desired } from '../../../model/desired.ts';
import { takesOthers } from '../../../model/names.ts';
import type { Manifest } from '../../resolve/assemble.ts';
import type { Loading } from '../../resolve/context.ts';
import { createViaOf, reportFinding, type LintedDomain, type LintFinding } from './finding.ts';
import type { Gaps } from './gaps.ts';
import { literalPatterns } from './literal-patterns.ts';
import { overlappingPatterns } from './overlapping-patterns.ts';
import { missingRoles } from './role-addresses.ts';
import { sameAsCatchAll } from './same-as-catch-all.ts';
import { sameDomainDestinations } from './same-domain.ts';
import { shadowedAliases } from './shadowed-aliases.ts';
import { shadowedRules } from './shadowed-rules.ts';
import { reportUnusedDestinations, reportUnusedTemplates } from './unused.ts';

/** A function that finds lint findings, in time linear in the domain's entries. */
type Finder = (linted: LintedDomain) => Iterable<LintFinding>;

/** Finders whose findings hold regardless of the domain's other entries. */
const FINDERS: readonly Finder[] = [literalPatterns, sameDomainDestinations, shadowedAliases, shadowedRules];
/** Finders whose findings depend on missing entries. */
const FINDERS_IN_WHOLE: readonly Finder[] = [missingRoles, overlappingPatterns, sameAsCatchAll];

/** Reports parts of a manifest that are legal but probably or possibly unintended, as far as errors allow. */
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
    const aliases = presentEntries(domain.aliases);
    const linted = {
      domain,
      aliases,
      patterns: aliases.filter(({ name }) => takesOthers(name)),
      rules: presentEntries(domain.rules).filter(({ active }) => active),
    };
    for (const find of isWhole(domain.domain) ? [...FINDERS, ...FINDERS_IN_WHOLE] : FINDERS)
      for (const finding of find(linted)) reportFinding(finding, domain.domain, { log, viaOf });
  }
}
