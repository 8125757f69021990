import type { AbsentDocument, ForwardDocument, Origin } from '../../model/resources.ts';
import type { AliasName, NameKey } from '../../model/names.ts';
import { destinations } from '../../fields/destinations.ts';
import type { FieldsOf, KeptFieldsOf, FieldRows } from '../../fields/fields.ts';
import type { KindFacts } from '../facts.ts';

const ROWS = {
  forward: { codec: destinations, routes: true },
} as const satisfies FieldRows;

export const ALIAS: KindFacts<'alias'> = {
  kind: 'alias',
  order: 2,
  section: 'aliases',
  plural: 'aliases',
  entries: 'map',
  identity: 'name',
  routesMail: true,
  isListed: true,
  fields: ROWS,
  signature: (parts) => Object.values(parts).join('\n'),
};

export type AliasState = FieldsOf<typeof ROWS>;

export type PresentAlias = Origin & AliasState & { readonly state: 'present'; readonly name: AliasName };
export type DesiredAlias = PresentAlias | (Origin & { readonly state: 'absent'; readonly name: AliasName });

/** An alias as the service spells it. */
export interface ObservedAlias extends AliasState {
  readonly id: string;
  readonly name: string;
}

declare module '../../model/kinds.ts' {
  interface KindTypes {
    readonly alias: {
      readonly section: 'aliases';
      readonly fields: AliasState;
      readonly kept: KeptFieldsOf<typeof ROWS>;
      readonly observed: ObservedAlias;
      readonly rows: readonly ObservedAlias[];
      readonly desired: ReadonlyMap<NameKey, DesiredAlias>;
      readonly entry: DesiredAlias;
      readonly document: ReadonlyMap<string, ForwardDocument | AbsentDocument>;
      readonly change: {
        /** True if the id is also the name of another alias. */
        readonly idIsName?: true;
      };
    };
  }
}
