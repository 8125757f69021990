import type { KindOf } from '../kind.ts';
import { ALIAS } from './fields.ts';
import { ALIAS_LANGUAGE } from './manifest.ts';
import { describeAlias, planAliases } from './diff.ts';
import { ALIAS_WIRE } from './wire.ts';
import { ALIAS_STEPS } from './steps.ts';

export const alias = {
  ...ALIAS,
  wire: ALIAS_WIRE,
  steps: ALIAS_STEPS,
  plan: planAliases,
  describe: describeAlias,
  manifest: ALIAS_LANGUAGE,
} as const satisfies KindOf<'alias'>;
