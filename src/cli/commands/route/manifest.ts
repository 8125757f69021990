import { presentEntries, type Desired, type PresentDomain } from '../../../model/desired.ts';
import type { Disclosure } from '../../../model/destinations.ts';
import { domainPartOf, type DomainName } from '../../../model/names.ts';
import type { Mail } from '../../../routing/route.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { invalidManifest, readDesired } from '../../input/manifest/desired.ts';
import type { RouteFindings } from '../../output/documents/route-document.ts';
import { disclosureOf } from '../../output/output.ts';
import type { CommonOptions } from '../../settings.ts';
import { traceMail, type KnownDomain } from './trace.ts';

/** The way of a message by the manifest alone: engines, fallbacks and what only the account has are not known. */
export async function askManifest(
  context: Context,
  options: CommonOptions,
  mail: Mail,
): Promise<RouteFindings> {
  const { desired, problems } = await readDesired(context, options, {
    references: 'unneeded',
    problems: 'errors-printed',
    unnamed: 'refused',
  });
  if (desired === null) throw invalidManifest(problems);
  return traceDesired(desired, mail, disclosureOf(desired, options, context));
}

/** The same by a manifest that is loaded; throws where it does not name the domain. */
export function traceDesired(
  desired: Pick<Desired, 'domains'>,
  mail: Mail,
  disclosure: Disclosure,
): RouteFindings {
  const domain = domainPartOf(mail.to);
  const entry = desired.domains.get(domain as DomainName);
  if (entry?.state !== 'present') {
    const what = entry === undefined ? 'does not name' : 'wants to delete';
    const hint = 'check the spelling, or ask the account with --live';
    throw usageError(`the manifest ${what} ${domain}`, hint);
  }
  const passed = new Set<PresentDomain>();
  const traces = traceMail(mail, (name) => {
    const known = presentDomain(desired, name);
    if (known === null) return null;
    passed.add(known);
    return knownDomain(known);
  });
  return { basis: 'manifest', ...traces, notes: notesOf(passed, traces.readings), disclosure };
}

function presentDomain(desired: Pick<Desired, 'domains'>, name: string): PresentDomain | null {
  const entry = desired.domains.get(name as DomainName);
  return entry?.state === 'present' ? entry : null;
}

function knownDomain({ aliases, rules }: PresentDomain): KnownDomain {
  return {
    aliases: aliases === undefined ? null : presentEntries(aliases),
    rules: rules === undefined ? null : presentEntries(rules),
    engine: null,
    fallback: null,
  };
}

function notesOf(
  domains: ReadonlySet<PresentDomain>,
  readings: RouteFindings['readings'],
): readonly string[] {
  const isWhole = [...domains].every(
    ({ aliases, rules }) => aliases?.prune === true && rules?.prune === true,
  );
  return [
    ...(isWhole
      ? []
      : ['live aliases and rules that the manifest does not name are not considered (use --live)']),
    ...(readings === null ? [] : ['whether rules or aliases decide is not known offline (use --live)']),
  ];
}
