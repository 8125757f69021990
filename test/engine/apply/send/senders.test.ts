import { expect, test } from 'vitest';
import { ACME, at, desired, live, observed, plan, present } from '../../../core/plan/support/build.ts';
import { showsFields } from '../../../../src/core/fields/fields.ts';
import { SETTINGS } from '../../../../src/core/kinds/domain/fields.ts';

/** Wanted and live value of a setting, and whether they are equal. */
test.each<['notification_email' | 'whitelabel' | 'webhook', string | null, string | null, boolean]>([
  ['whitelabel', 'Mail.Partner.Example', 'mail.partner.example', true],
  ['whitelabel', 'mail.partner.example', 'other.partner.example', false],
  ['whitelabel', null, '', true],
  ['whitelabel', null, 'mail.partner.example', false],
  ['notification_email', 'IT@x.example', 'IT@X.example', true],
  ['notification_email', 'IT@x.example', 'it@x.example', false],
  ['notification_email', null, '', true],
  ['webhook', 'https://Hook.example/A', 'https://hook.example/A', true],
  ['webhook', 'https://hook.example/A', 'https://hook.example/a', false],
])('planner and executor agree on %s %j and %j: the same %j', (setting, wanted, found, same) => {
  const row = live(ACME, { [setting]: found });
  const settings = { [setting]: { value: wanted, source: at(2) } };
  const planned = plan(desired([present(ACME, { settings })]), observed([row])).changes;
  expect([planned.length === 0, showsFields(SETTINGS, { [setting]: wanted }, row)]).toEqual([same, same]);
});
