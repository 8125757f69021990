import type { KindOf } from '../kind.ts';
import { CREDENTIAL } from './fields.ts';
import { credentialEntry } from './manifest.ts';
import { planCredentials, describeCredential } from './diff.ts';

export const credential = {
  ...CREDENTIAL,
  list: 'listCredentials',
  plan: planCredentials,
  describe: describeCredential,
  entryOf: credentialEntry,
} as const satisfies KindOf<'credential'>;
