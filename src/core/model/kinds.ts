/**
 * The types of each kind of resource. The folder of a kind adds its own below its rows (core/kinds, `fields.ts`), so that
 * everything in src/ knows the kinds by their types, and none of them by name.
 */
export interface KindTypes {}

export type Kind = keyof KindTypes;
/** The kinds that a manifest keeps in sections of a domain. */
export type SectionKind = Exclude<Kind, 'domain'>;
export type Section = KindTypes[SectionKind]['section'];

/** The state of each kind: what a change turns into another one. */
export type StateTypes = { readonly [K in Kind]: KindTypes[K]['fields'] };

/** The same as the history keeps it. */
export type KeptStates = { readonly [K in Kind]: KindTypes[K]['kept'] };

/** What a section has: rows of the account, entries of the manifest, and these as they are written. */
export type SectionTypes = { readonly [K in SectionKind as KindTypes[K]['section']]: KindTypes[K] };

/** An entry of a section, and one of something that is to be there. */
export type SectionEntry<S extends Section = Section> = SectionTypes[S]['entry'];
export type PresentEntry<S extends Section = Section> = Extract<
  SectionEntry<S>,
  { readonly state: 'present' }
>;
