import { presentEntries, type Desired, type PresentDomain } from '../../../core/model/desired.ts';
import type { Disclosure } from '../../../core/model/destinations.ts';
import { domainPartOf, type DomainName } from '../../../core/model/names.ts';
import type { LiveEngine } from '../../../core/model/observed.ts';
import type { Mail } from '../../../core/routing/route.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { readValid } from '../../input/manifest/desired.ts';
import type { RouteFindings } from '../../output/documents/route-document.ts';
import type { ManifestSettings } from '../../settings/resolve-settings.ts';
import { traceMail, type KnownDomain } from './trace.ts';

/** Traces a message by the manifest alone. Engines, fallbacks and entries that only the account has are not known. */
export async function askManifest(
  context: Context,
  manifest: ManifestSettings,
  mail: Mail,
): Promise<RouteFindings> {
  const how = { references: 'unneeded', unnamed: 'refused', warnings: 'silent' } as const;
  const { desired } = await readValid(context, manifest, how);
  return traceDesired(desired, mail, { references: desired.references, mask: context.mask });
}

/** Knowledge from outside the manifest, and texts for what is not known. */
export interface Knowledge {
  readonly engineOf: (domain: string) => LiveEngine;
  /** Command that asks the account. */
  readonly askAccount: string;
  readonly notes: {
    /** Note that not every live alias and rule is considered. */
    readonly unnamed: string;
    /** Note that it is not known whether rules or aliases decide. */
    readonly engine: string;
  };
}

const OFFLINE: Knowledge = {
  engineOf: () => null,
  askAccount: 'ask the account with --live',
  notes: {
    unnamed: 'live aliases and rules that the manifest does not name are not considered (use --live)',
    engine: 'it is not known offline if rules or aliases decide (use --live)',
  },
};

/** Traces a message by a loaded manifest. Throws if the manifest does not name the domain. */
export function traceDesired(
  desired: Pick<Desired, 'domains'>,
  mail: Mail,
  disclosure: Disclosure,
  knowledge: Knowledge = OFFLINE,
): RouteFindings {
  const domain = domainPartOf(mail.to);
  const entry = desired.domains.get(domain as DomainName);
  if (entry?.state !== 'present') {
    const what = entry === undefined ? 'does not name' : 'wants to delete';
    throw usageError(`the manifest ${what} ${domain}`, `check the spelling, or ${knowledge.askAccount}`);
  }
  const passed = new Set<PresentDomain>();
  const traces = traceMail(mail, (name) => {
    const known = presentDomain(desired, name);
    if (known === null) return null;
    passed.add(known);
    return knownDomain(known, knowledge.engineOf(name));
  });
  const notes = notesOf(passed, traces.readings, knowledge);
  return { basis: 'manifest', ...traces, notes, disclosure };
}

function presentDomain(desired: Pick<Desired, 'domains'>, name: string): PresentDomain | null {
  const entry = desired.domains.get(name as DomainName);
  return entry?.state === 'present' ? entry : null;
}

function knownDomain({ aliases, rules }: PresentDomain, engine: LiveEngine): KnownDomain {
  return {
    aliases: aliases === undefined ? null : presentEntries(aliases),
    rules: rules === undefined ? null : presentEntries(rules),
    engine,
    fallback: null,
  };
}

function notesOf(
  domains: ReadonlySet<PresentDomain>,
  readings: RouteFindings['readings'],
  { notes }: Knowledge,
): readonly string[] {
  const isWhole = [...domains].every(
    ({ aliases, rules }) => aliases?.prune === true && rules?.prune === true,
  );
  return [...(isWhole ? [] : [notes.unnamed]), ...(readings === null ? [] : [notes.engine])];
}
