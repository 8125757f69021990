import type { Kind, Section, SectionKind } from '../model/kinds.ts';
import type { KindOf } from './kind.ts';
import * as all from './kinds.ts';

export const KINDS: { readonly [K in Kind]: KindOf<K> } = all;

/** All kinds, in the order in which plans show them. */
export const ALL_KINDS: readonly Kind[] = (Object.keys(KINDS) as Kind[]).sort(
  (a, b) => KINDS[a].order - KINDS[b].order,
);
export const SECTION_KINDS: readonly SectionKind[] = ALL_KINDS.filter((kind) => kind !== 'domain');
export const SECTIONS: readonly Section[] = SECTION_KINDS.map((kind) => KINDS[kind].section);

const KIND_BY_SECTION = Object.fromEntries(
  SECTION_KINDS.map((kind) => [KINDS[kind].section, kind]),
) as Readonly<Record<Section, SectionKind>>;

export function kindOf(section: Section): SectionKind {
  return KIND_BY_SECTION[section];
}

export function isSection(text: string): text is Section {
  return Object.hasOwn(KIND_BY_SECTION, text);
}

/**
 * Returns `DOMAIN/aliases, DOMAIN/rules or DOMAIN/credentials` for hints. It is not a constant, because Intl starts
 * slowly.
 */
export function sectionForms(): string {
  const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  return either.format(SECTIONS.map((section) => `DOMAIN/${section}`));
}
