import type { KindOf } from '../kind.ts';
import { ALIAS } from './fields.ts';
import { aliasEntry } from './manifest.ts';

export const alias = {
  ...ALIAS,
  list: 'listAliases',
  entryOf: aliasEntry,
} as const satisfies KindOf<'alias'>;
