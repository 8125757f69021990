import type { KindOf } from '../kind.ts';
import { RULE } from './fields.ts';
import { RULE_LANGUAGE } from './manifest.ts';
import { describeRule } from './diff-words.ts';
import { planRules } from './diff.ts';
import { RULE_WIRE } from './wire.ts';
import { RULE_STEPS } from './steps.ts';

export const rule = {
  ...RULE,
  wire: RULE_WIRE,
  steps: RULE_STEPS,
  plan: planRules,
  describe: describeRule,
  manifest: RULE_LANGUAGE,
} as const satisfies KindOf<'rule'>;
