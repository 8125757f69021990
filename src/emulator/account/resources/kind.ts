import type { BodyObject } from './body.ts';
import type { Checked } from '../checked.ts';
import type { DomainRecord, State } from '../state.ts';
import type { Switches } from '../switches.ts';
import type { Table } from '../table.ts';

/** What differs between the kinds of things that a domain holds; the requests of both versions are made of it. */
export interface ItemKind<T> {
  readonly noun: 'alias' | 'rule' | 'credential';
  readonly plural: 'aliases' | 'rules' | 'credentials';
  readonly tableOf: (domain: DomainRecord) => Table<T, string, string>;
  /** By what names it in a path or a batch. */
  readonly find: (domain: DomainRecord, text: string) => Checked<T>;
  readonly add: (state: State, domain: DomainRecord, body: BodyObject) => Checked<T>;
  /** Fields that are not `required` stay as they are when they are left out. */
  readonly update: (
    state: State,
    place: { readonly domain: DomainRecord; readonly item: T },
    body: BodyObject,
    needed: 'required' | 'optional',
  ) => Checked<T>;
  /** Of an update of one item; those of a batch need nothing. */
  readonly neededOnUpdate: (switches: Switches) => 'required' | 'optional';
  /** Whether a free account may not add several at once. */
  readonly batchCreateNeedsPlan: (switches: Switches) => boolean;
}
