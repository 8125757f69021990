import type { KindOf } from '../kind.ts';
import { ALIAS } from './fields.ts';
import { aliasEntry } from './manifest.ts';
import { describeAlias, planAliases } from './diff.ts';

export const alias = {
  ...ALIAS,
  list: 'listAliases',
  plan: planAliases,
  describe: describeAlias,
  entryOf: aliasEntry,
} as const satisfies KindOf<'alias'>;
