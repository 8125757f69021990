import type { PlanOptionsDocument } from '../../core/plan/document/document.ts';
import type { Context } from '../context.ts';
import { usageError } from '../exit.ts';
import { ALLOWANCES, flagOf, pickAllowances, type Allowances, type GivenFlags } from '../settings/flags.ts';
import type { ManifestSettings, Settings } from '../settings/resolve-settings.ts';

/** Returns the options that decide the content of a plan, as stored in its document. */
export function planOptions(
  { member, mask }: Pick<Context, 'member' | 'mask'>,
  { paths, domains }: ManifestSettings,
  allowances: Allowances,
): PlanOptionsDocument {
  return {
    paths,
    ...(member === undefined ? {} : { account: member.membership }),
    domains,
    ...pickAllowances(allowances),
    ...(mask === false ? {} : { mask: true }),
  };
}

/** Returns the settings with which a saved plan is made again. One of no domain, as `--quick` saves it, is about all of them. */
export function settingsOfSaved(settings: Settings, { paths, domains }: PlanOptionsDocument): Settings {
  const { manifest } = settings;
  const wanted = domains === null || domains.length === 0 ? manifest.domains : domains;
  return { ...settings, manifest: { ...manifest, paths, domains: wanted, source: 'flag' } };
}

/** Ends the command if a flag repeats an option of the saved plan, because that would be another plan. */
export function assertNothingAgain(given: GivenFlags): void {
  const again = [...ALLOWANCES, 'domain' as const, 'against' as const].find(
    (name) => given[name] !== undefined,
  );
  if (again === undefined) return;
  throw usageError(
    `${flagOf(again)} cannot be given together with a saved plan`,
    'make the plan again with it: a saved plan runs as it was reviewed',
  );
}
