import type { PresentDomain, Setting } from '../../model/desired.ts';
import type { ApiVersion } from '../../model/endpoints.ts';
import {
  pickFields,
  type FieldRow,
  type FieldRows,
  type FieldsOf,
  type KeptFieldsOf,
} from '../../fields/fields.ts';
import type { KindFacts } from '../facts.ts';
import { host } from '../../fields/host.ts';
import { address, webhook } from '../../fields/one-destination.ts';

/** The settings of a domain, under the API's names. A new one is a row here. */
const ROWS = {
  notification_email: { codec: address, optional: true, receives: true },
  whitelabel: { codec: host, optional: true },
  webhook: { codec: webhook, optional: true, receives: true, only: 'v3', afterAdding: true },
} as const satisfies FieldRows;

export const DOMAIN: KindFacts<'domain'> = {
  kind: 'domain',
  order: 1,
  section: null,
  plural: 'domains',
  entries: 'map',
  identity: 'name',
  routesMail: true,
  isListed: true,
  fields: ROWS,
};

export const SETTINGS: FieldRows = ROWS;

/** A setting whose value is a destination that mail or events are sent to. */
export type ReceivingSetting = {
  [F in keyof typeof ROWS]: (typeof ROWS)[F] extends { readonly receives: true } ? F : never;
}[keyof typeof ROWS];

export const RECEIVING_SETTINGS = Object.keys(SETTINGS).filter(
  (name): name is ReceivingSetting => SETTINGS[name]?.receives === true,
);

/**
 * Domain settings; undefined means that a setting is not managed, or that this generation of the API does not have it.
 */
export type DomainState = Partial<FieldsOf<typeof ROWS>>;

declare module '../../model/kinds.ts' {
  interface KindTypes {
    readonly domain: {
      readonly fields: DomainState;
      readonly kept: Partial<KeptFieldsOf<typeof ROWS>>;
      readonly change: {
        /** The number of live items that are deleted with the domain. */
        readonly contents?: Readonly<Record<Section, number>>;
      };
    };
  }
}

/** Returns the settings that a request of this kind takes in this generation of the API. */
export function settingsSentBy(request: 'add' | 'update', version: ApiVersion): FieldRows {
  const sent = ([, { only = version, afterAdding }]: readonly [string, FieldRow]): boolean =>
    only === version && (request === 'update' || afterAdding !== true);
  return Object.fromEntries(Object.entries(SETTINGS).filter(sent));
}

/** Returns the settings that the manifest manages. */
export function managedState({ settings }: Pick<PresentDomain, 'settings'>): DomainState {
  return Object.fromEntries(Object.entries<Setting>(settings).map(([name, { value }]) => [name, value]));
}

/** Returns the part of a domain's settings that the manifest manages. */
export function managedPart({ settings }: Pick<PresentDomain, 'settings'>, state: DomainState): DomainState {
  const managed = Object.entries(SETTINGS).filter(([name]) => name in settings);
  return pickFields(Object.fromEntries(managed), state);
}
