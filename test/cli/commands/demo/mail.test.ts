import { expect, test } from 'vitest';
import { fwdsync } from '../../../support/command.ts';

test('three mails go by SMTP, and each is explained', { timeout: 60_000 }, async () => {
  const { code, stdout } = await fwdsync(['demo', '--mail']);
  expect(code).toBe(0);
  const told = stdout.split('\n').filter((line) => /^ {2}(?:To|Answer|Arrived) /.test(line));
  expect(told.map((line) => line.replace(/queued as .*/, 'queued'))).toEqual([
    '  To       orders@acme-shop.example',
    '  Answer   250 2.6.0 Ok: queued',
    '  Arrived  warehouse@corp.example',
    '  To       support+spring@acme.example',
    '  Answer   250 2.6.0 Ok: queued',
    '  Arrived  frank@corp.example',
    '  Arrived  grace@corp.example',
    '  Arrived  https://hooks.corp.example/inbound  (recorded, not called)',
    '  To       nobody@acme.example',
    '  Answer   550 5.1.1 nobody@acme.example: no alias matches this address',
  ]);
  expect(stdout).toContain('rule parcel-notices matches it by its regular expression');
  expect(stdout).toContain('alias support matches it');
});
