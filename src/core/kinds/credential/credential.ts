import type { KindOf } from '../kind.ts';
import { CREDENTIAL } from './fields.ts';
import { CREDENTIAL_LANGUAGE } from './manifest.ts';
import { planCredentials, describeCredential } from './diff.ts';

export const credential = {
  ...CREDENTIAL,
  list: 'listCredentials',
  plan: planCredentials,
  describe: describeCredential,
  manifest: CREDENTIAL_LANGUAGE,
} as const satisfies KindOf<'credential'>;
