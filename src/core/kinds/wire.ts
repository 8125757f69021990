import type { Json } from '../fields/json.ts';
import type { ApiVersion, Endpoints } from '../model/endpoints.ts';
import type { KindTypes, SectionKind, StateTypes } from '../model/kinds.ts';
import type { DomainName } from '../model/names.ts';
import type { CommandLine } from '../model/text/command-line.ts';

/** Makes a note for people, with the commands that it names completed. */
export type Note = (command: CommandLine) => string;

/** An item as requests name and describe it; what is left out is not sent. */
export type SentItem<K extends SectionKind = SectionKind> = {
  readonly id?: string;
  readonly name?: string;
} & Partial<StateTypes[K]>;

/** What is done to items. */
export type Verb = 'add' | 'update' | 'delete';

/** The requests that write items: one alone, and several together; null means that the API has none. */
export interface WriteOperations {
  readonly single: string;
  readonly batch: string | null;
}

/** How a kind is listed. */
export interface KindListing {
  readonly operation: string;
  readonly pageSize: Readonly<Record<ApiVersion, number>>;
  /**
   * The order to ask for: that of what is unique within a listing. Then two pages cannot disagree about the order of equals, as they
   * can by time of creation, which is the same second for a whole batch. What is added or deleted between two pages shows in `total`.
   * v3 knows no order.
   */
  readonly query: Readonly<Record<ApiVersion, Readonly<Record<string, string>>>>;
  /** Generations whose listings do not state how many items there are. */
  readonly untotalled?: readonly ApiVersion[];
}

/** The requests about the items of a kind, in both generations of the API. They are a part of all that can be sent. */
export interface KindWire<K extends SectionKind = SectionKind> {
  readonly endpoints: Endpoints;
  readonly list: KindListing;
  /** One item by itself; null means that the API has no such request. */
  readonly get: string | null;
  readonly writes: Readonly<Record<Verb, WriteOperations>>;
  /** The parameter of the templates that names an item. */
  readonly segment: Readonly<Record<ApiVersion, string>>;
  /** What answers call one item. */
  readonly noun: string;
  /** True if only a listing shows an item, and no answer to a write. */
  readonly isSilent?: true;
  decode(json: Json): KindTypes[K]['observed'];
  /** The body that adds an item. */
  addition(item: SentItem<K>): Json;
  /** The body that updates an item, without what names it. */
  update(item: SentItem<K>): Json;
  /** What a person should know of the answer to an addition. */
  noteOf?(answer: Json, domain: DomainName): Note | null;
}
