import { expect, test } from 'vitest';
import { lookAt, OLD, SERVICE } from './support/observation.ts';

const DAY = 86_400;
const forwarding = { isMxValid: true, isForwarding: true };

test('receiving waits for a TTL that was lowered shortly before the switch', () => {
  const { gate } = lookAt(
    { ttl: DAY },
    { after: 60, ttl: 60 },
    { after: 120, mx: [SERVICE], ttl: 60, check: forwarding },
    { after: 3600, mx: [SERVICE], ttl: 60, check: forwarding },
  );
  expect(gate('receiving')).toMatchObject({ state: 'waiting' });
  expect(new Date(gate('receiving').until ?? 0).toISOString()).toBe('2026-09-02T00:01:00.000Z');
  expect(new Date(gate('hold').until ?? 0).toISOString()).toBe('2026-09-07T00:01:00.000Z');
});

test('hold says that a wildcard MX still needs the old side', () => {
  const arrived = { ok: true, value: { messages: 1, isComplete: true, recipients: [] } } as const;
  const { gate } = lookAt(
    {},
    { after: 60, mx: [SERVICE], check: forwarding },
    { after: 6 * DAY, mx: [SERVICE], wildcard: OLD, check: forwarding, mail: arrived },
  );
  expect(gate('hold')).toMatchObject({
    state: 'done',
    evidence: [
      'the old side can be closed',
      'except for names below acme.example: the MX record of *.acme.example still sends their mail to 10 mail.acme.example',
    ],
  });
});
