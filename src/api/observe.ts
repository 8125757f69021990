import type { Clock } from '../model/clock.ts';
import type { Desired, DesiredDomain } from '../model/desired.ts';
import type { DomainName } from '../model/names.ts';
import type { Observed, ObservedDomain, UnprovenRead } from '../model/observed.ts';
import type { Section } from '../model/resources.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import type { Client } from './client.ts';
import type { ApiError } from './errors.ts';

export interface ObserveOptions {
  readonly desired: Pick<Desired, 'domains'>;
  readonly clock: Clock;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const ALL_SECTIONS: readonly Section[] = ['aliases', 'rules', 'credentials'];

/**
 * A complete, proven reading: the account, the list of its domains, and each managed section of each managed domain.
 * Account and list must be proven, or there is no observation; a domain whose sections cannot be read is `unproven`,
 * the others go on. A domain that is to be deleted is read in full.
 */
export async function observe(client: Client, options: ObserveOptions): Promise<Result<Observed, ApiError>> {
  const [account, domains] = await Promise.all([client.getAccount(), client.listDomains()]);
  if (!account.ok) return account;
  if (!domains.ok) return domains;
  const observed = new Map(domains.value.map((domain) => [domain.domain, domain]));
  const unproven = new Map<DomainName, UnprovenRead>();
  const managed = [...options.desired.domains.values()].filter(({ domain }) => observed.has(domain));
  let done = 0;
  const readings = await Promise.all(
    managed.map(async (desired) => {
      const reading = await readSections(client, desired.domain, sectionsOf(desired));
      done += 1;
      options.onProgress?.(done, managed.length);
      return { domain: desired.domain, reading };
    }),
  );
  for (const { domain, reading } of readings) {
    const listed = observed.get(domain);
    if (!reading.ok) {
      if (stopsEverything(reading.error)) return reading;
      unproven.set(domain, { reason: `${reading.error.endpoint}: ${reading.error.message}` });
    } else if (listed !== undefined) {
      observed.set(domain, { ...listed, ...reading.value, readAt: options.clock.now() });
    }
  }
  return succeed({ account: account.value, domains: observed, unproven });
}

/** The sections that the manifest manages in a domain. */
export function sectionsOf(desired: DesiredDomain): readonly Section[] {
  if (desired.state === 'absent') return ALL_SECTIONS;
  return ALL_SECTIONS.filter((section) => desired[section] !== undefined);
}

type Sections = Pick<ObservedDomain, Section>;

/** Reads the given sections of one domain again, all or nothing. */
export async function readSections(
  client: Client,
  domain: DomainName,
  sections: readonly Section[],
): Promise<Result<Sections, ApiError>> {
  const readings = await Promise.all(sections.map((section) => readSection(client, domain, section)));
  const sectionsRead: Sections = {};
  for (const reading of readings) {
    if (!reading.ok) return reading;
    Object.assign(sectionsRead, reading.value);
  }
  return succeed(sectionsRead);
}

async function readSection(
  client: Client,
  domain: DomainName,
  section: Section,
): Promise<Result<Sections, ApiError>> {
  switch (section) {
    case 'aliases':
      return named(section, await client.listAliases(domain));
    case 'rules':
      return named(section, await client.listRules(domain));
    case 'credentials':
      return named(section, await client.listCredentials(domain));
  }
}

function named(section: Section, rows: Result<readonly unknown[], ApiError>): Result<Sections, ApiError> {
  return rows.ok ? succeed({ [section]: rows.value }) : fail(rows.error);
}

/** A key that is not accepted, and a stop, concern the run and not the domain. */
function stopsEverything(error: ApiError): boolean {
  return error.kind === 'unauthorised' || error.kind === 'stopped';
}
