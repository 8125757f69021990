import type { KindOf } from '../kind.ts';
import { DOMAIN } from './fields.ts';
import { DOMAIN_WIRE } from './wire.ts';
import { DOMAIN_STEPS } from './steps.ts';

export const domain = {
  ...DOMAIN,
  wire: DOMAIN_WIRE,
  steps: DOMAIN_STEPS,
} as const satisfies KindOf<'domain'>;
