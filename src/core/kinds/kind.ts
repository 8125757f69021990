import type { Fields } from '../fields/fields.ts';
import type { Kind, KindTypes, SectionKind } from '../model/kinds.ts';
import type { Source } from '../model/manifest/problem.ts';
import type { Result } from '../model/result.ts';
import type { KindFacts } from './facts.ts';
import type { Operation } from '../model/endpoints.ts';
import type { DesiredSection } from '../model/desired.ts';
import type { SectionResult, SectionContext } from '../plan/diff/section.ts';

/** What the account or the history names an item by. */
export interface ItemName {
  readonly name: string;
  readonly id: string | null;
}

/** A kind of resource that a manifest keeps in a section of a domain: all that is particular to it, stage by stage. */
export interface SectionKindOf<K extends SectionKind> extends KindFacts<K> {
  readonly list: Operation;
  /** The difference of its section. */
  readonly plan: (
    section: DesiredSection<KindTypes[K]['section']>,
    live: KindTypes[K]['rows'],
    context: SectionContext,
  ) => SectionResult;
  /** Says in the words of a manifest that an item is to be as it was; `fields`: null means that it was not there. */
  readonly entryOf: (
    item: ItemName,
    fields: Fields | null,
    source: Source,
  ) => Result<KindTypes[K]['entry'], string>;
}

/** A domain, which holds the others. */
export interface DomainKind extends KindFacts<'domain'> {
  readonly list: Operation;
}

export type KindOf<K extends Kind> = K extends SectionKind ? SectionKindOf<K> : DomainKind;
