import { describe, expect, test } from 'vitest';
import { TIMESTAMP, useTarget } from '../support/target.ts';

const target = useTarget();

describe('v4: Account', () => {
  test('the answer has the key account alone', async () => {
    const { status, body } = await target.send('GET', '/account');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['account']);
  });

  test.each([
    ['address', expect.any(String)],
    ['country', expect.stringMatching(/^[A-Z]{2}$/)],
    ['created_at', expect.stringMatching(TIMESTAMP)],
    ['email', expect.stringContaining('@')],
    ['email_log_retention_days', expect.any(Number)],
    ['name', expect.any(String)],
    ['over_quota', expect.any(Boolean)],
    ['plan', expect.any(Object)],
    ['privacy_level', expect.any(Number)],
    ['renews_at', expect.stringMatching(TIMESTAMP)],
  ])('field %s', async (field, shape) => {
    const { body } = await target.send('GET', '/account');
    expect(body.account[field]).toEqual(shape);
  });

  test.each(['billing_email', 'cancels_at', 'company_vat', 'lock_reason', 'locked'])(
    'nullable field %s is there',
    async (field) => {
      const { body } = await target.send('GET', '/account');
      expect(body.account).toHaveProperty(field);
    },
  );

  test('there is no other field', async () => {
    const { body } = await target.send('GET', '/account');
    expect(Object.keys(body.account)).toHaveLength(15);
  });

  test.each([
    ['name', expect.any(String)],
    ['price', expect.any(Number)],
    ['billing_cycle', expect.any(String)],
    ['domains_limit', expect.any(Number)],
    ['aliases_limit', expect.any(Number)],
    ['rules_limit', expect.any(Number)],
    ['daily_receive_limit', expect.any(Number)],
    ['daily_send_limit', expect.any(Number)],
    ['monthly_receive_limit', expect.any(Number)],
    ['monthly_send_limit', expect.any(Number)],
  ])('plan field %s', async (field, shape) => {
    const { body } = await target.send('GET', '/account');
    expect(body.account.plan[field]).toEqual(shape);
  });

  test.each(['POST', 'PUT', 'DELETE'])('it is read only: no %s', async (method) => {
    const { status } = await target.send(method, '/account', {});
    expect(status).toBeGreaterThanOrEqual(400);
  });
});
