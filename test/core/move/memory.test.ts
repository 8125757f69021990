import { describe, expect, test } from 'vitest';
import type { PolicyFacts } from '../../../src/core/move/observation.ts';
import { lookAt, OLD, SERVICE } from './support/observation.ts';

const DAY = 86_400;

function policy(id: string, mx: readonly string[], mode: 'enforce' | 'none' = 'enforce') {
  const facts: PolicyFacts = { ids: [id], file: { ok: true, value: { mode, mx, maxAge: 7 * DAY } } };
  return { ok: true, value: facts } as const;
}

describe('the former MX records', () => {
  test('stay known while another user changes them one by one', () => {
    expect(lookAt({}, { after: 60, mx: [null] }).memory.mx).toEqual(OLD);
    expect(lookAt({}, { after: 60, mx: [null] }, { after: 120, mx: [SERVICE] }).memory.mx).toEqual(OLD);
  });

  test('are empty for a domain without any', () => {
    expect(lookAt({ mx: [null] }, { after: 60, mx: [SERVICE] }).memory.mx).toEqual([]);
  });

  test('are the first ones as long as the account does not have the domain', () => {
    expect(lookAt({ check: null }, { after: 60, mx: [SERVICE], check: null }).memory.mx).toEqual(OLD);
  });

  test('are never those of the service', () => {
    expect(lookAt({ mx: [SERVICE], check: null }, { after: 60, mx: [SERVICE] }).memory.mx).toBeNull();
  });
});

describe('a policy', () => {
  test('that was seen before the account had the domain counts', () => {
    const { gate } = lookAt(
      { check: null, policy: policy('a', ['mail.acme.example']) },
      { after: 60, policy: policy('b', ['mail.acme.example', '*.service.example']) },
    );
    expect(gate('policy').state).toBe('waiting');
    expect(gate('policy').evidence.join()).toContain('senders may keep the old policy');
  });

  test('that was changed before the account had the domain counts as it was first', () => {
    const changed = policy('b', ['mail.acme.example', '*.service.example']);
    const first = { check: null, policy: policy('a', ['mail.acme.example']) };
    const { gate } = lookAt(
      first,
      { after: 60, check: null, policy: changed },
      { after: 120, policy: changed },
    );
    expect(gate('policy').state).toBe('waiting');
  });

  test('that allowed the service then does not', () => {
    const all = policy('a', ['mail.acme.example', '*.service.example']);
    expect(lookAt({ check: null, policy: all }, { after: 60, policy: all }).gate('policy').state).toBe(
      'done',
    );
  });
});
