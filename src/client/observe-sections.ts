import { kindOf } from '../core/kinds/registry.ts';
import type { Section, SectionTypes } from '../core/model/kinds.ts';
import type { DomainName } from '../core/model/names.ts';
import { succeed, type Result } from '../core/model/result.ts';
import type { Client } from './client.ts';
import type { ApiError } from './errors.ts';

export type Sections = { readonly [S in Section]?: readonly SectionTypes[S]['observed'][] };

/** Reads the given sections of one domain in parallel. It returns all of them or an error. */
export async function observeSections(
  client: Client,
  domain: DomainName,
  sections: readonly Section[],
): Promise<Result<Sections, ApiError>> {
  const reads = await Promise.all(
    sections.map(async (section) => ({
      section,
      rows: await client.items(kindOf(section)).list(domain),
    })),
  );
  let all: Sections = {};
  for (const { section, rows } of reads) {
    if (!rows.ok) return rows;
    all = { ...all, [section]: rows.value };
  }
  return succeed(all);
}
