import type { DomainName } from '../../core/model/names.ts';
import type { Context } from '../context.ts';
import { usageError } from '../exit.ts';
import type { Settings } from '../settings/resolve-settings.ts';
import { openJobs } from './accounts.ts';

/** Returns, with many accounts, the settings of the one whose manifest has the domain. */
export async function settingsOfOwner(
  context: Context,
  settings: Settings,
  domain: DomainName,
): Promise<Settings> {
  const { accounts } = settings.manifest;
  if (accounts === null) return settings;
  const { jobs } = await openJobs(context, settings, accounts);
  const present = jobs.find(({ desired }) => desired?.domains.get(domain)?.state === 'present');
  // It may be in a manifest that is not valid, which ends the command.
  const found = present ?? jobs.find(({ desired }) => desired === null);
  if (found !== undefined) return found.settings;
  throw usageError(`no manifest of ${accounts} has ${domain}`, 'check the spelling');
}
