import type { Kind, KindTypes, SectionKind } from '../model/kinds.ts';
import type { KindFacts } from './facts.ts';
import type { DesiredSection } from '../model/desired.ts';
import type { SectionResult, SectionContext } from '../plan/diff/section.ts';
import type { SectionLanguage } from '../manifest/sections/language.ts';
import type { KindWire } from './wire.ts';
import type { DomainWire } from './domain/wire.ts';
import type { KindSteps } from './steps.ts';

/**
 * A kind of resource that a manifest keeps in a section of a domain, with all that is particular to it, stage by
 * stage.
 */
export interface SectionKindOf<K extends SectionKind> extends KindFacts<K> {
  readonly wire: KindWire<K>;
  readonly steps: KindSteps;
  /** Plans the changes of its section. */
  readonly plan: (
    section: DesiredSection<KindTypes[K]['section']>,
    live: KindTypes[K]['rows'],
    context: SectionContext,
  ) => SectionResult;
  readonly manifest: SectionLanguage;
}

/** The domain kind, which holds the others. */
export interface DomainKind extends KindFacts<'domain'> {
  readonly wire: DomainWire;
  readonly steps: KindSteps;
}

export type KindOf<K extends Kind> = K extends SectionKind ? SectionKindOf<K> : DomainKind;
