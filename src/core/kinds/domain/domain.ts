import type { KindOf } from '../kind.ts';
import { DOMAIN } from './fields.ts';

export const domain = {
  ...DOMAIN,
  list: 'listDomains',
} as const satisfies KindOf<'domain'>;
