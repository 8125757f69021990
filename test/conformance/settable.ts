import type { Kind, StateTypes } from '../../src/core/model/kinds.ts';

/**
 * Every field of every kind that a manifest can set and a read shows. The rank follows from the order of rules, and a
 * password cannot be read; other tests cover these two. A new field or kind does not compile until it has a case.
 */
export type SettableField =
  | Exclude<Field, 'rule.match' | 'rule.rank' | 'credential.password'>
  | `rule.${'alias' | 'regex' | 'scopes' | 'expression'}`;

type Field = { readonly [K in Kind]: `${K}.${keyof StateTypes[K] & string}` }[Kind];
