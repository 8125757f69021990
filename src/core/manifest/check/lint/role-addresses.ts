import type { PresentAlias } from '../../../kinds/alias/fields.ts';
import { nameKey } from '../../../model/names.ts';
import { matchesGlob } from '../../../routing/glob.ts';
import { matchesPart, reachOfAlias } from '../../../routing/reach.ts';
import { createManifestRouter } from '../routing-table.ts';
import type { LintedDomain, LintFinding } from './finding.ts';

const ROLES = [
  {
    name: 'postmaster',
    code: 'no-postmaster',
    who: 'other mail servers report delivery problems there (RFC 5321)',
  },
  {
    name: 'abuse',
    code: 'no-abuse',
    who: 'other networks report spam there (RFC 2142)',
  },
] as const;

/**
 * Finds addresses that every domain should have and that nothing in the manifest matches. If the aliases are not
 * pruned, the account may still have them, so nothing is reported.
 */
export function* missingRoles({ domain, aliases, patterns, rules }: LintedDomain): Generator<LintFinding> {
  const section = domain.aliases;
  if (section?.prune !== true || aliases.length === 0) return;
  const unnamed = ROLES.filter(
    ({ name }) =>
      !section.entries.has(nameKey(name)) && !section.ignore.some((pattern) => matchesGlob(pattern, name)),
  );
  if (unnamed.length === 0) return;
  const router = createManifestRouter(patterns.filter(mayMatchRole), rules);
  for (const { name, code, who } of unnamed) {
    const mail = { to: `${name}@${domain.domain}`, from: '', subject: '', body: '' };
    if (router.route(mail).kind !== 'refused') continue;
    yield {
      code,
      source: domain.source,
      entries: [name],
      message: `${domain.domain} has no ${name} address: ${who}`,
      hint: `add the alias ${name}, or \`${name}: { state: absent }\` to say that there is none`,
    };
  }
}

/**
 * True if a pattern may match a role address. Patterns that certainly do not are left out, because compiling them takes
 * longer than everything else.
 */
function mayMatchRole({ name }: PresentAlias): boolean {
  const reach = reachOfAlias(name);
  return reach === null || ROLES.some((role) => reach.some((part) => matchesPart(role.name, part)));
}
