import type { Json } from '../fields/json.ts';
import type { ApiVersion, Endpoints } from '../model/endpoints.ts';
import type { KindTypes, SectionKind, StateTypes } from '../model/kinds.ts';
import type { DomainName } from '../model/names.ts';
import type { CommandLine } from '../model/text/command-line.ts';

/** Returns a note for people, with complete commands. */
export type Note = (command: CommandLine) => string;

/** An item as requests name and describe it; missing properties are not sent. */
export type SentItem<K extends SectionKind = SectionKind> = {
  readonly id?: string;
  readonly name?: string;
} & Partial<StateTypes[K]>;

/** The actions that requests perform on items. */
export type Verb = 'add' | 'update' | 'delete';

/** The operations that write one item or several; null means that the API has none. */
export interface WriteOperations {
  readonly single: string;
  readonly batch: string | null;
}

/** The listing of a kind. */
export interface KindListing {
  readonly operation: string;
  readonly pageSize: Readonly<Record<ApiVersion, number>>;
  /**
   * The order to request: by a property that is unique within a listing. Pages then agree on the order. By time of
   * creation they may not, because a whole batch has the same second. An addition or deletion between two pages shows
   * in `total`. v3 has no order.
   */
  readonly query: Readonly<Record<ApiVersion, Readonly<Record<string, string>>>>;
  /** Generations whose listings do not state the number of items. */
  readonly untotalled?: readonly ApiVersion[];
}

/** The requests about the items of a kind, in both generations of the API. */
export interface KindWire<K extends SectionKind = SectionKind> {
  readonly endpoints: Endpoints;
  readonly list: KindListing;
  /** The operation that reads one item; null means that the API has none. */
  readonly get: string | null;
  readonly writes: Readonly<Record<Verb, WriteOperations>>;
  /** The template parameter that names an item. */
  readonly segment: Readonly<Record<ApiVersion, string>>;
  /** The property of an answer that holds one item. */
  readonly noun: string;
  /** True if only a listing shows an item, and answers to writes do not. */
  readonly isSilent?: true;
  decode(json: Json): KindTypes[K]['observed'];
  /** Returns the body that adds an item. */
  addition(item: SentItem<K>): Json;
  /** Returns the body that updates an item, without its name or id. */
  update(item: SentItem<K>): Json;
  /** Returns a note for people about the answer to an addition. */
  noteOf?(answer: Json, domain: DomainName): Note | null;
}
