import type { KindOf } from '../kind.ts';
import { CREDENTIAL } from './fields.ts';
import { credentialEntry } from './manifest.ts';

export const credential = {
  ...CREDENTIAL,
  list: 'listCredentials',
  entryOf: credentialEntry,
} as const satisfies KindOf<'credential'>;
