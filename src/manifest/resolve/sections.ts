import { SECTIONS, type Section } from '../../model/kinds.ts';
import { countEntries, type PresentDomain } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import type { Source } from '../../model/problem.ts';
import { valueOf, type MapNode } from '../read/node.ts';
import { ALIAS_SECTION, type AliasEntries } from './aliases.ts';
import type { Definitions } from './assemble.ts';
import type { Loading } from './context.ts';
import { CREDENTIAL_SECTION, type CredentialEntries } from './credentials.ts';
import type { Brought, ReadEntries, SectionReader } from './entries.ts';
import { readIgnore, readPrune, reportIgnored } from './ignore.ts';
import { RULE_SECTION, type RuleDraft } from './rules.ts';

interface Written {
  readonly aliases: AliasEntries;
  readonly rules: readonly RuleDraft[];
  readonly credentials: CredentialEntries;
}

const READERS: { readonly [S in Section]: SectionReader<S, Written[S]> } = {
  aliases: ALIAS_SECTION,
  rules: RULE_SECTION,
  credentials: CREDENTIAL_SECTION,
};

/** The sections of a domain or template, each undefined where it is not stated. */
export type WrittenSections = { readonly [S in Section]?: ReadEntries<Written[S]> };

export interface UsedTemplate {
  readonly sections: WrittenSections;
  /** Where the domain says that it uses it. */
  readonly via: Source;
}

export function readWrittenSections(node: MapNode, loading: Loading): WrittenSections {
  const stated = SECTIONS.flatMap((section) => {
    const written = valueOf(node, section);
    return written === undefined ? [] : [[section, READERS[section].read(written, loading)] as const];
  });
  return Object.fromEntries(stated) as WrittenSections;
}

export function hasFailed(sections: WrittenSections): boolean {
  return SECTIONS.some((section) => sections[section]?.failed === true);
}

/** A domain, the sections that it states itself, and the templates that it uses. */
export interface SectionsInput {
  readonly domain: DomainName;
  readonly node: MapNode;
  readonly own: WrittenSections;
  readonly templates: readonly UsedTemplate[];
  readonly defaults: Definitions;
}

/** Each section of a domain with what its templates bring; none where neither has it. */
export function mergeSections(input: SectionsInput, loading: Loading): Pick<PresentDomain, Section> {
  const merged = SECTIONS.map((section) => [section, mergeSection(section, input, loading)] as const);
  return Object.fromEntries(merged.filter(([, section]) => section !== undefined));
}

function mergeSection<S extends Section>(
  section: S,
  { domain, node, own, templates, defaults }: SectionsInput,
  loading: Loading,
): SectionOf<S> | undefined {
  const stated = own[section];
  const brought: Brought<Written[S]>[] = templates.flatMap(({ sections, via }) => {
    const entries = sections[section]?.entries;
    return entries === undefined ? [] : [{ entries, via }];
  });
  if (stated === undefined && brought.length === 0) return undefined;
  const entries = READERS[section].merge(stated?.entries ?? null, brought, domain, loading.log);
  const ignore = readIgnore(section, node, defaults, loading);
  reportIgnored(section, entries.values(), ignore, loading.log);
  return { prune: stated !== undefined && readPrune(section, node, defaults), ignore, entries };
}

interface SectionOf<S extends Section> {
  readonly prune: boolean;
  readonly ignore: readonly string[];
  readonly entries: NonNullable<PresentDomain[S]>['entries'];
}

/** Entries, and patterns that are ignored. */
export function sizeOfSections(sections: Pick<PresentDomain, Section>): number {
  const sizes = SECTIONS.map(
    (section) => countEntries(sections[section]) + (sections[section]?.ignore.length ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
