import type { StateTypes } from '../../src/core/model/kinds.ts';

/**
 * Every field of every kind that a manifest can set and a read shows. The rank follows from the order of rules, and a
 * password cannot be read: both have tests of their own. A new field does not compile until it has a case.
 */
export type SettableField =
  | `domain.${keyof StateTypes['domain']}`
  | `alias.${keyof StateTypes['alias']}`
  | `rule.${'forward' | 'alias' | 'regex' | 'scopes' | 'expression' | 'active'}`;
