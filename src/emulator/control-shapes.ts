import { LOG_STATUSES } from './logs-events.ts';
import { DNS } from './seed-shape.ts';
import {
  byType,
  listOf,
  mapOf,
  nonEmpty,
  number,
  object,
  oneOf,
  text,
  wholeNumber,
  type Shape,
} from './shape.ts';

const address = text((value) =>
  /^[^@]*[^@\s<>]@[^@\s<>]+>?\s*$/.test(value) ? null : 'must be an address such as "ana@corp.example"',
);
const status = oneOf(...LOG_STATUSES);
const outcome = byType('string', status, listOf(status));

/** `Message` */
export const MESSAGE: Shape = object(
  { to: address, from: address },
  { subject: text(), body: text(), outcome, outcomes: mapOf(outcome) },
);

export const ADVANCE: Shape = object({
  advance_seconds: number((value) => (value > 0 ? null : 'must be more than 0')),
});

export const DOMAIN_DNS: Shape = object({ domain: nonEmpty, dns: DNS });

/** A list of `RateLimitRule`. */
export const LIMITS: Shape = listOf(
  object(
    { per: oneOf('template', 'path', 'account'), limit: wholeNumber(0) },
    {
      methods: oneOf('read', 'write'),
      endpoint: nonEmpty,
      window: oneOf('fixed', 'sliding'),
      align: oneOf('first', 'clock'),
      windowSeconds: number((value) => (value > 0 ? null : 'must be more than 0')),
    },
  ),
);
