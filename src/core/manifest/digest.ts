import { SECTIONS } from '../kinds/registry.ts';
import type { Desired, DesiredDomain, Setting } from '../model/desired.ts';
import { digestSection } from './sections/sections.ts';
import { SETTINGS } from '../kinds/domain/fields.ts';
import { beginHash } from '../model/text/hash.ts';

/**
 * Returns `sha256:…` over the content of a manifest. Layout, comments and the order of unordered entries do not count.
 */
export function digestOf({ api, guards, domains }: Pick<Desired, 'api' | 'guards' | 'domains'>): string {
  const hash = beginHash('sha256');
  hash.update(JSON.stringify(apiOf(api)));
  const allow = guards.allow.map(({ allowance, until }) => [allowance, until]);
  hash.update(JSON.stringify([guards.maxDeletes, guards.maxDeletePercent, allow]));
  for (const domain of domains.values()) hash.update(JSON.stringify(withoutPlaces(domain)));
  return `sha256:${hash.digest('hex')}`;
}

/** Returns the domains for which two manifests differ; all domains of the later one if the account differs. */
export function changedDomains(before: Desired, after: Desired): readonly string[] {
  const elsewhere = JSON.stringify(apiOf(before.api)) !== JSON.stringify(apiOf(after.api));
  return [...after.domains.values()]
    .filter((domain) => {
      const earlier = before.domains.get(domain.domain);
      if (elsewhere || earlier === undefined) return true;
      return JSON.stringify(withoutPlaces(earlier)) !== JSON.stringify(withoutPlaces(domain));
    })
    .map(({ domain }) => domain);
}

function apiOf(api: Desired['api']): unknown {
  return [api.url ?? null, api.version ?? null, api.account ?? null, api.key?.shown ?? null];
}

function withoutPlaces(domain: DesiredDomain): unknown {
  if (domain.state === 'absent') return [domain.domain, 'absent'];
  const settings: Readonly<Record<string, Setting | undefined>> = domain.settings;
  return [
    domain.domain,
    Object.keys(SETTINGS).map((name) => settingOf(settings[name])),
    ...SECTIONS.map((section) => digestSection(section, domain[section])),
    domain.verify,
  ];
}

/** Returns a setting for the digest. `value: null` differs from a setting that is not managed. */
function settingOf(setting: Setting | undefined): unknown {
  return setting === undefined ? null : [setting.value];
}
