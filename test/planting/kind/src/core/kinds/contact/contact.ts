import { planNamed } from '../../plan/diff/named.ts';
import type { KindOf } from '../kind.ts';
import { plainSteps } from '../steps.ts';
import { CONTACT } from './fields.ts';
import { CONTACT_LANGUAGE } from './manifest.ts';
import { CONTACT_WIRE } from './wire.ts';

export const contact = {
  ...CONTACT,
  wire: CONTACT_WIRE,
  steps: plainSteps('contact'),
  plan: (section, live, context) => planNamed(CONTACT, section, live, context),
  manifest: CONTACT_LANGUAGE,
} as const satisfies KindOf<'contact'>;
