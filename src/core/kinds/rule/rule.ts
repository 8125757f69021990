import type { KindOf } from '../kind.ts';
import { RULE } from './fields.ts';
import { ruleEntry } from './manifest.ts';

export const rule = {
  ...RULE,
  list: 'listRules',
  entryOf: ruleEntry,
} as const satisfies KindOf<'rule'>;
