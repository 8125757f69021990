import type { KindOf } from '../kind.ts';
import { RULE } from './fields.ts';
import { RULE_LANGUAGE } from './manifest.ts';
import { describeRule } from './diff-words.ts';
import { planRules } from './diff.ts';

export const rule = {
  ...RULE,
  list: 'listRules',
  plan: planRules,
  describe: describeRule,
  manifest: RULE_LANGUAGE,
} as const satisfies KindOf<'rule'>;
