import { expect, test } from 'vitest';
import { hasPassword, parseStoreUrl } from '../../../../src/engine/state/postgres/store-url.ts';

test('a URL names a database; off loopback it is reached by verified TLS', () => {
  expect(parseStoreUrl('postgres://ops:s%40cret@db.example:6432/fwd?sslrootcert=/ca.pem')).toEqual({
    ok: true,
    value: {
      host: 'db.example',
      port: 6432,
      user: 'ops',
      password: 's@cret',
      database: 'fwd',
      tls: 'verified',
      authority: '/ca.pem',
    },
  });
});

test.each([
  ['postgres://u@127.0.0.1/x', 'off'],
  ['postgresql://u@localhost/x?sslmode=disable', 'off'],
  ['postgres://u@[::1]:5433/x', 'off'],
  ['postgres://u@ignored/x?host=/run/postgresql', 'off'],
  ['postgres://u@127.0.0.1/x?sslmode=verify-full', 'verified'],
  ['postgres://u@10.0.0.7/x', 'verified'],
  ['postgres://u@localhost.example/x', 'verified'],
  ['postgres://u@127.0.0.1.example/x?sslmode=verify-full', 'verified'],
])('%s: TLS %s', (url, tls) => {
  expect(parseStoreUrl(url)).toMatchObject({ ok: true, value: { tls } });
});

test.each([
  'mysql://u@db.example/x',
  'not a url hunter2',
  'postgres://u@db.example',
  'postgres:///x',
  'postgres://u@db.example/x?sslmode=disable',
  'postgres://u@db.example/x?sslmode=require',
  'postgres://u@db.example/x?sslmode=no-verify',
  'postgres://u@db.example/x?password=hunter2',
  'postgres://u:%E0%A4%A@db.example/x',
])('%s is refused, without its text', (url) => {
  const parsed = parseStoreUrl(url);
  expect(parsed).toMatchObject({ ok: false });
  expect(JSON.stringify(parsed)).not.toContain('hunter2');
});

test.each([
  ['postgres://ops@db.example/x', false],
  ['postgres://db.example:5432/x', false],
  ['postgres://ops:hunter2@db.example/x', true],
  ['postgres://db.example/x?password=hunter2', true],
  ['postgres://ops:hunt%er2@db.example:x/x', true],
])('%s has a password: %s', (url, expected) => {
  expect(hasPassword(url)).toBe(expected);
});
