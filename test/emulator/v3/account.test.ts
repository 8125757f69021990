import { describe, expect, test } from 'vitest';
import { useTarget, type Body } from '../support/target.ts';

const target = useTarget('v3');

async function account(): Promise<Body> {
  const { status, body } = await target.send('GET', '/account');
  expect(status).toBe(200);
  return body;
}

describe('v3: Account', () => {
  test('the answer has account and success', async () => {
    const body = await account();
    expect(Object.keys(body).toSorted()).toEqual(['account', 'success']);
    expect(body.success).toBe(true);
  });

  test('it has the shape of v3 or that of v4', async () => {
    const body = await account();
    const isV3 = Object.hasOwn(body.account, 'created');
    const v4 = (await target.v4('GET', '/account')).body.account;
    const fields = isV3 ? V3_FIELDS : Object.keys(v4);
    expect(Object.keys(body.account).toSorted()).toEqual(fields.toSorted());
    expect(body.account.email).toBe(v4.email);
  });

  test.each([
    ['created', expect.any(Number)],
    ['renew_date', expect.any(Number)],
    ['email', expect.stringContaining('@')],
    ['password', expect.any(Boolean)],
    ['premium', expect.any(Boolean)],
  ])('field %s of the v3 shape', async (field, shape) => {
    const body = await account();
    if (Object.hasOwn(body.account, 'created')) expect(body.account[field]).toEqual(shape);
  });

  test.each([
    'aliases',
    'daily_quota',
    'daily_send',
    'domains',
    'ratelimit',
    'redirections',
    'subdomains',
    'api',
    'credentials',
    'destinations',
  ])('limit %s of the v3 shape is an integer', async (limit) => {
    const body = await account();
    if (Object.hasOwn(body.account, 'created')) {
      expect(Number.isInteger(body.account.limits[limit])).toBe(true);
    }
  });

  test.each([
    ['aliases_limit', expect.any(Number)],
    ['daily_quota', expect.any(Number)],
    ['display', expect.any(String)],
    ['domains_limit', expect.any(Number)],
    ['kind', expect.any(String)],
    ['name', expect.any(String)],
    ['price', expect.any(Number)],
    ['yearly', expect.any(Boolean)],
  ])('plan field %s of the v3 shape', async (field, shape) => {
    const body = await account();
    if (Object.hasOwn(body.account, 'created')) expect(body.account.plan[field]).toEqual(shape);
  });

  test('times are epoch milliseconds', async () => {
    const body = await account();
    if (!Object.hasOwn(body.account, 'created')) return;
    const v4 = (await target.v4('GET', '/account')).body.account;
    expect(Math.floor(body.account.created / 1000)).toBe(Date.parse(v4.created_at) / 1000);
    expect(Math.floor(body.account.renew_date / 1000)).toBe(Date.parse(v4.renews_at) / 1000);
  });
});

describe('v3: Account: whitelabels', () => {
  test('the answer has whitelabels with names, and success', async () => {
    const { status, body } = await target.send('GET', '/account/whitelabels');
    expect(status).toBe(200);
    expect(body).toEqual({ whitelabels: expect.any(Array), success: true });
    for (const entry of body.whitelabels) expect(entry).toEqual({ name: expect.any(String) });
  });

  test('v4 does not have them', async () => {
    expect((await target.v4('GET', '/account/whitelabels')).status).toBe(404);
  });
});

const V3_FIELDS = [
  'billing_email',
  'cancels_on',
  'card_brand',
  'company_details',
  'company_name',
  'company_vat',
  'country',
  'created',
  'email',
  'last4',
  'lock_reason',
  'locked',
  'password',
  'premium',
  'privacy_level',
  'renew_date',
  'limits',
  'plan',
];
