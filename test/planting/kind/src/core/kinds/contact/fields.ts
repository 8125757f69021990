import type { FieldRows, FieldsOf, KeptFieldsOf } from '../../fields/fields.ts';
import { flag } from '../../fields/flag.ts';
import { address } from '../../fields/one-destination.ts';
import type { NameKey } from '../../model/names.ts';
import type { AbsentDocument, Origin } from '../../model/resources.ts';
import type { KindFacts } from '../facts.ts';

const ROWS = {
  email: { codec: address },
  urgent: { codec: flag, fallback: false },
} as const satisfies FieldRows;

export const CONTACT: KindFacts<'contact'> = {
  kind: 'contact',
  order: 5,
  section: 'contacts',
  plural: 'contacts',
  entries: 'map',
  identity: 'name',
  routesMail: false,
  isListed: false,
  fields: ROWS,
};

type ContactState = FieldsOf<typeof ROWS>;

type DesiredContact =
  | (Origin & ContactState & { readonly state: 'present'; readonly name: string })
  | (Origin & { readonly state: 'absent'; readonly name: string });

interface ObservedContact extends ContactState {
  readonly name: string;
}

declare module '../../model/kinds.ts' {
  interface KindTypes {
    readonly contact: {
      readonly section: 'contacts';
      readonly fields: ContactState;
      readonly kept: KeptFieldsOf<typeof ROWS>;
      readonly observed: ObservedContact;
      readonly rows: readonly ObservedContact[];
      readonly desired: ReadonlyMap<NameKey, DesiredContact>;
      readonly entry: DesiredContact;
      readonly document: ReadonlyMap<string, Partial<ContactState> | AbsentDocument>;
      readonly change: object;
    };
  }
}
