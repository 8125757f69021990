import { SECTIONS, KINDS, kindOf } from '../../kinds/registry.ts';
import type { Section, SectionTypes } from '../../model/kinds.ts';
import { countEntries, type DesiredSection, type DesiredSections } from '../../model/desired.ts';
import type { ShowForward } from '../../model/manifest/manifest-document.ts';
import type { DomainName } from '../../model/names.ts';
import type { ObservedSections } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';
import type { Source } from '../../model/manifest/problem.ts';
import type { DomainEditing } from '../update/entries.ts';
import { valueOf, type MapNode } from '../read/node.ts';
import { sourceOf } from '../read/text.ts';
import type { Definitions } from '../resolve/assemble.ts';
import type { Loading } from '../resolve/context.ts';
import type { Brought, ReadEntries, SectionLanguage } from './language.ts';
import { readIgnore, readPrune, reportIgnored } from './ignore.ts';

/** The sections of a domain or template; undefined if a section is not stated. */
export type WrittenSections = { readonly [S in Section]?: ReadEntries<unknown> };

export interface UsedTemplate {
  readonly sections: WrittenSections;
  /** The place of the `use` in the domain. */
  readonly via: Source;
}

export function readWrittenSections(node: MapNode, loading: Loading): WrittenSections {
  const stated = SECTIONS.flatMap((section) => {
    const written = valueOf(node, section);
    return written === undefined ? [] : [[section, languageOf(section).read(written, loading)] as const];
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

/** Merges each section of a domain with those of its templates; a section that neither has is left out. */
export function mergeSections(input: SectionsInput, loading: Loading): DesiredSections {
  const merged = SECTIONS.map((section) => [section, mergeSection(section, input, loading)] as const);
  return Object.fromEntries(merged.filter(([, section]) => section !== undefined));
}

function mergeSection<S extends Section>(
  section: S,
  { domain, node, own, templates, defaults }: SectionsInput,
  loading: Loading,
): DesiredSection<S> | undefined {
  const stated = own[section];
  const brought: Brought<unknown>[] = templates.flatMap(({ sections, via }) => {
    const entries = sections[section]?.entries;
    return entries === undefined ? [] : [{ entries, via }];
  });
  if (stated === undefined && brought.length === 0) return undefined;
  const merged = languageOf(section).merge(stated?.entries ?? null, brought, domain, loading.log);
  const entries = merged as DesiredSection<S>['entries'];
  const ignore = readIgnore(section, node, defaults, loading);
  reportIgnored(section, entries.values(), ignore, loading.log);
  const key = node.entries.get(section)?.key;
  return {
    ...(key === undefined ? {} : { source: sourceOf(key) }),
    prune: stated !== undefined && readPrune(section, node, defaults),
    ignore,
    entries,
  };
}

/** Counts entries and ignore patterns. */
export function sizeOfSections(sections: DesiredSections): number {
  const sizes = SECTIONS.map(
    (section) => countEntries(sections[section]) + (sections[section]?.ignore.length ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns a section's part of the manifest's digest; null if it is not managed. */
export function digestSection<S extends Section>(
  section: S,
  managed: DesiredSection<S> | undefined,
): unknown {
  if (managed === undefined) return null;
  return [managed.prune, [...managed.ignore].sort(), languageOf(section).digest(managed.entries)];
}

/** Converts a live section into the form of a manifest. */
export function exportSection<S extends Section>(
  section: S,
  live: ObservedSections,
  comments: string[],
  showForward: ShowForward,
): SectionTypes[S]['document'] {
  const written = languageOf(section).export([...(live[section] ?? [])], comments, showForward);
  return written as SectionTypes[S]['document'];
}

/** Edits each section of a domain where the plan would change the account. */
export function updateSections(editing: DomainEditing, changes: readonly Change[]): void {
  for (const section of SECTIONS) languageOf(section).update(editing, changes);
}

function languageOf(section: Section): SectionLanguage {
  return KINDS[kindOf(section)].manifest;
}
