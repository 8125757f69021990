import type { KindOf } from '../kind.ts';
import { RULE } from './fields.ts';
import { ruleEntry } from './manifest.ts';
import { describeRule } from './diff-words.ts';
import { planRules } from './diff.ts';

export const rule = {
  ...RULE,
  list: 'listRules',
  plan: planRules,
  describe: describeRule,
  entryOf: ruleEntry,
} as const satisfies KindOf<'rule'>;
