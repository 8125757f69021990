import type { KindOf } from '../kind.ts';
import { CREDENTIAL } from './fields.ts';
import { CREDENTIAL_LANGUAGE } from './manifest.ts';
import { planCredentials, describeCredential } from './diff.ts';
import { CREDENTIAL_WIRE } from './wire.ts';
import { plainSteps } from '../steps.ts';

export const credential = {
  ...CREDENTIAL,
  wire: CREDENTIAL_WIRE,
  steps: plainSteps('credential'),
  plan: planCredentials,
  describe: describeCredential,
  manifest: CREDENTIAL_LANGUAGE,
} as const satisfies KindOf<'credential'>;
