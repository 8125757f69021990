import type { ForwardDocument, Origin } from '../../model/resources.ts';
import { condition } from '../../fields/condition.ts';
import { destinations } from '../../fields/destinations.ts';
import type { FieldsOf, KeptFieldsOf, FieldRows } from '../../fields/fields.ts';
import { flag } from '../../fields/flag.ts';
import { rank } from '../../fields/rank.ts';
import type { KindFacts } from '../facts.ts';

const ROWS = {
  match: { codec: condition, routes: true },
  forward: { codec: destinations, routes: true },
  active: { codec: flag, fallback: true },
  rank: { codec: rank, derived: true },
} as const satisfies FieldRows;

export const RULE: KindFacts<'rule'> = {
  kind: 'rule',
  order: 3,
  section: 'rules',
  plural: 'rules',
  entries: 'list',
  identity: 'id',
  routesMail: true,
  isListed: false,
  fields: ROWS,
  signature: (parts) => JSON.stringify(Object.values(parts)),
};

export type RuleState = FieldsOf<typeof ROWS>;

export type PresentRule = Origin &
  Omit<RuleState, 'rank'> & {
    readonly state: 'present';
    readonly name: string;
    /** The written `id:`, else the UUID version 5 of domain, type and name. */
    readonly id: string;
    readonly idIsWritten: boolean;
    /** Ids that this name would have, one per type. They identify a rule whose type changed. */
    readonly derivedIds: readonly string[];
    /** The rank of a rule that is restored. A manifest never states it. */
    readonly rank?: number;
  };

export type AbsentRule = Origin & {
  readonly state: 'absent';
  readonly name?: string;
  readonly id?: string;
  /** Ids that this name would have, one per type. They identify the rule if only `name` is written. */
  readonly derivedIds: readonly string[];
};

export type DesiredRule = PresentRule | AbsentRule;

export interface ObservedRule extends RuleState {
  readonly id: string;
}

export interface RuleDocument {
  readonly name?: string;
  readonly id?: string;
  readonly state?: 'absent';
  readonly alias?: string;
  readonly regex?: string;
  readonly scopes?: readonly string[];
  readonly expression?: string;
  readonly forward?: ForwardDocument;
  readonly active?: boolean;
}

declare module '../../model/kinds.ts' {
  interface KindTypes {
    readonly rule: {
      readonly section: 'rules';
      readonly fields: RuleState;
      readonly kept: KeptFieldsOf<typeof ROWS>;
      readonly observed: ObservedRule;
      readonly rows: readonly ObservedRule[];
      /** Rules in the order of evaluation, with tombstones at their place. */
      readonly desired: readonly DesiredRule[];
      readonly entry: DesiredRule;
      readonly document: readonly RuleDocument[];
      readonly change: {
        /** Name of the rule directly before it in the final order, for people; null means that it is first. */
        readonly after: string | null;
      };
    };
  }
}
