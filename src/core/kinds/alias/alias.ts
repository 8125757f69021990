import type { KindOf } from '../kind.ts';
import { ALIAS } from './fields.ts';
import { ALIAS_LANGUAGE } from './manifest.ts';
import { describeAlias, planAliases } from './diff.ts';

export const alias = {
  ...ALIAS,
  list: 'listAliases',
  plan: planAliases,
  describe: describeAlias,
  manifest: ALIAS_LANGUAGE,
} as const satisfies KindOf<'alias'>;
