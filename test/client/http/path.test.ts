import { describe, expect, test } from 'vitest';
import { addressFault, keyFault } from '../../../src/client/http/address.ts';
import { addressable, buildPath } from '../../../src/client/http/path.ts';

const CREDENTIAL = '/domains/:domain/credentials/:username';
const ALIAS = '/domains/:domain/aliases/:id';

describe('paths', () => {
  test.each([
    ['carol', '/domains/a.example/credentials/carol'],
    ['münchen', '/domains/a.example/credentials/m%C3%BCnchen'],
    ['a+b', '/domains/a.example/credentials/a%2Bb'],
    ['count', '/domains/a.example/credentials/count'],
    ['...', '/domains/a.example/credentials/...'],
    ['__proto__', '/domains/a.example/credentials/__proto__'],
  ])('%j is a segment', (username, path) => {
    expect(buildPath(CREDENTIAL, { domain: 'a.example', username })).toEqual({ ok: true, value: path });
  });

  test.each([
    '',
    '.',
    '..',
    '%2e%2e',
    'a/b',
    '../../a.example',
    'a\\b',
    'x?all=true',
    'x#y',
    'a b',
    'a\0b',
    'a\r\nb',
    '\ud800',
  ])('%j is none', (username) => {
    expect(buildPath(CREDENTIAL, { domain: 'a.example', username })).toMatchObject({ ok: false });
    expect(buildPath(CREDENTIAL, { domain: username, username: 'carol' })).toMatchObject({ ok: false });
  });

  test.each(['batch', 'BULK', 'aliases-all', 'search'])('an id %j would be another endpoint', (id) => {
    expect(buildPath(ALIAS, { domain: 'a.example', id })).toMatchObject({ ok: false });
  });

  test('a value that is missing is no path', () => {
    expect(buildPath(ALIAS, { domain: 'a.example' })).toMatchObject({ ok: false });
  });

  test('the value under which an item is addressed is given back, or refused with the reason', () => {
    expect(addressable('alias', 'a1')).toBe('a1');
    expect(() => addressable('alias', 'batch')).toThrow('"batch" cannot be :alias in the path of a request');
  });

  test('query values are encoded', () => {
    const path = buildPath('/domains', {}, { query: 'a&all=true', page: 2 });
    expect(path).toEqual({ ok: true, value: '/domains?query=a%26all%3Dtrue&page=2' });
  });
});

describe('addresses', () => {
  test.each([
    'https://api.example/v4',
    'http://127.0.0.1:8025/v4',
    'http://[::1]:1/v3',
    'http://localhost/v4',
  ])('%s may get the key', (url) => {
    expect(addressFault(url)).toBeNull();
  });

  const PLAIN = 'the API address is neither https nor http on loopback';
  const NAMED = 'the API address contains a user name or password';
  const MORE = 'the API address has a query or fragment';
  test.each([
    ['http://api.example/v4', PLAIN],
    ['http://127.0.0.1.example/v4', PLAIN],
    ['http://localhost.example/v4', PLAIN],
    ['ftp://127.0.0.1/v4', PLAIN],
    ['ftp://api.example/v4', PLAIN],
    ['https://user:word@api.example/v4', NAMED],
    ['https://user@api.example/v4', NAMED],
    ['https://:word@api.example/v4', NAMED],
    ['https://api.example/v4?key=1', MORE],
    ['https://api.example/v4#x', MORE],
    ['api.example', 'the API address is not a URL'],
    ['', 'the API address is not a URL'],
  ])('%j may not', (url, fault) => {
    expect(addressFault(url)).toBe(fault);
  });
});

describe('scenario 15: keys that cannot be sent are refused without their value', () => {
  const OTHER = 'the API key contains a space or a character that is not ASCII';
  test.each([
    ['', 'the API key is empty'],
    ['sk_secret\n', 'the API key contains a line break'],
    ['sk_se\r\ncret', 'the API key contains a line break'],
    ['sk_sécret', OTHER],
    ['sk secret', OTHER],
    ['sk_\u200bsecret', OTHER],
    ['sk_secret', null],
  ])('%j', (key, fault) => {
    expect(keyFault(key)).toBe(fault);
  });
});
