import type { BodyObject } from './body.ts';
import type { Checked } from '../checked.ts';
import type { DomainRecord, State } from '../state.ts';
import type { Switches } from '../switches.ts';
import type { Table } from '../table.ts';

/** A kind of item in a domain. Both versions of the API build their requests from it. */
export interface ItemKind<T> {
  readonly noun: 'alias' | 'rule' | 'credential';
  readonly plural: 'aliases' | 'rules' | 'credentials';
  readonly tableOf: (domain: DomainRecord) => Table<T, string, string>;
  /** Finds an item by the text that names it in a path or a batch. */
  readonly find: (domain: DomainRecord, text: string) => Checked<T>;
  readonly add: (state: State, domain: DomainRecord, body: BodyObject) => Checked<T>;
  /** Updates an item. Fields that are not `required` keep their values when they are left out. */
  readonly update: (
    state: State,
    place: { readonly domain: DomainRecord; readonly item: T },
    body: BodyObject,
    needed: 'required' | 'optional',
  ) => Checked<T>;
  /**
   * `required` if an update of one item must state its main field: destinations, configuration or password. An update in a
   * batch need not.
   */
  readonly neededOnUpdate: (switches: Switches) => 'required' | 'optional';
  /** True if a free account may not add several items at once. */
  readonly batchCreateNeedsPlan: (switches: Switches) => boolean;
}
