import type { Operation } from './endpoints.ts';

/** What is true of one kind of resource. What takes more than a word to say is in the file of that kind, stage by stage. */
interface KindFacts {
  /** Where a manifest keeps it in a domain, under which name the API lists it as well; null: it is no part of a domain. */
  readonly section: string | null;
  /** For people. */
  readonly plural: string;
  /** How the section is written: entries by name, or entries in an order. */
  readonly entries: 'map' | 'list';
  readonly list: Operation;
  /** Whether it decides where mail goes. What does not neither waits for what does nor keeps it waiting. */
  readonly routesMail: boolean;
}

/**
 * All kinds of resources, in the order in which plans show them. Everything that differs by kind is a row here or a
 * `Record<Kind, …>`, so that a new kind does not compile until every stage knows it.
 */
export const KINDS = {
  domain: {
    section: null,
    plural: 'domains',
    entries: 'map',
    list: 'listDomains',
    routesMail: true,
  },
  alias: {
    section: 'aliases',
    plural: 'aliases',
    entries: 'map',
    list: 'listAliases',
    routesMail: true,
  },
  rule: {
    section: 'rules',
    plural: 'rules',
    entries: 'list',
    list: 'listRules',
    routesMail: true,
  },
  credential: {
    section: 'credentials',
    plural: 'credentials',
    entries: 'map',
    list: 'listCredentials',
    routesMail: false,
  },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type Kind = keyof typeof KINDS;
/** The kinds that a manifest keeps in sections of a domain. */
export type SectionKind = Exclude<Kind, 'domain'>;
export type Section = (typeof KINDS)[SectionKind]['section'];

export const ALL_KINDS = Object.keys(KINDS) as readonly Kind[];
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

/** `DOMAIN/aliases, DOMAIN/rules or DOMAIN/credentials`, for hints. Made when asked for, because Intl starts slowly. */
export function sectionForms(): string {
  const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  return either.format(SECTIONS.map((section) => `DOMAIN/${section}`));
}
