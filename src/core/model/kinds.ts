/**
 * The types of each kind of resource. Each kind's folder adds its own (core/kinds, `fields.ts`), so that code
 * elsewhere in src/ handles all kinds without naming one.
 */
export interface KindTypes {}

export type Kind = keyof KindTypes;
/** The kinds that a manifest keeps in sections of a domain. */
export type SectionKind = Exclude<Kind, 'domain'>;
export type Section = KindTypes[SectionKind]['section'];

/** The state of each kind. A change turns one state into another. */
export type StateTypes = { readonly [K in Kind]: KindTypes[K]['fields'] };

/** The state of each kind as the history keeps it. */
export type KeptStates = { readonly [K in Kind]: KindTypes[K]['kept'] };

/** The types of each section: rows of the account, entries of the manifest, and documents that are written. */
export type SectionTypes = { readonly [K in SectionKind as KindTypes[K]['section']]: KindTypes[K] };

/** An entry of a section; a present entry is not a tombstone. */
export type SectionEntry<S extends Section = Section> = SectionTypes[S]['entry'];
export type PresentEntry<S extends Section = Section> = Extract<
  SectionEntry<S>,
  { readonly state: 'present' }
>;
