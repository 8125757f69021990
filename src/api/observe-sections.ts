import type { DomainName } from '../model/names.ts';
import type { ObservedDomain } from '../model/observed.ts';
import type { Section } from '../model/kinds.ts';
import { succeed, type Result } from '../model/result.ts';
import type { Client } from './client.ts';
import type { ApiError } from './errors.ts';

export type Sections = Pick<ObservedDomain, Section>;

/** Reads the given sections of one domain side by side, all or nothing. */
export async function readSections(
  client: Client,
  domain: DomainName,
  sections: readonly Section[],
): Promise<Result<Sections, ApiError>> {
  const reads = await Promise.all(sections.map((section) => readSection(client, domain, section)));
  let all: Sections = {};
  for (const read of reads) {
    if (!read.ok) return read;
    all = { ...all, ...read.value };
  }
  return succeed(all);
}

async function readSection(
  client: Client,
  domain: DomainName,
  section: Section,
): Promise<Result<Sections, ApiError>> {
  switch (section) {
    case 'aliases': {
      const aliases = await client.listAliases(domain);
      return aliases.ok ? succeed({ aliases: aliases.value }) : aliases;
    }
    case 'rules': {
      const rules = await client.listRules(domain);
      return rules.ok ? succeed({ rules: rules.value }) : rules;
    }
    case 'credentials': {
      const credentials = await client.listCredentials(domain);
      return credentials.ok ? succeed({ credentials: credentials.value }) : credentials;
    }
  }
}
