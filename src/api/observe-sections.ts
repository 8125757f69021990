import { kindOf, KINDS, type Section } from '../model/kinds.ts';
import type { DomainName } from '../model/names.ts';
import type { SectionTypes } from '../model/resources.ts';
import { succeed, type Result } from '../model/result.ts';
import type { Client } from './client.ts';
import type { ApiError } from './errors.ts';

export type Sections = { readonly [S in Section]?: readonly SectionTypes[S]['observed'][] };

/** Reads the given sections of one domain side by side, all or nothing. */
export async function observeSections(
  client: Client,
  domain: DomainName,
  sections: readonly Section[],
): Promise<Result<Sections, ApiError>> {
  const reads = await Promise.all(
    sections.map(async (section) => ({ section, rows: await client[KINDS[kindOf(section)].list](domain) })),
  );
  let all: Sections = {};
  for (const { section, rows } of reads) {
    if (!rows.ok) return rows;
    all = { ...all, [section]: rows.value };
  }
  return succeed(all);
}
