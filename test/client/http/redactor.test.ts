import { describe, expect, test } from 'vitest';
import { createRedactor, redactReply, type Redactor } from '../../../src/client/http/redactor.ts';
import type { Reply } from '../../../src/client/http/dispatch.ts';
import { everyNth, runs } from '../../support/share.ts';

const PASSWORD = 'pA5s+w/ord"quoted" & <ümläut>\\';
const ADDRESS = 'th3.boss+private@secret-corp.example';

function open(): Redactor {
  const redactor = createRedactor();
  redactor.add(PASSWORD, '***');
  redactor.add(ADDRESS, '{ env: BOSS }');
  return redactor;
}

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const ascii = (text: string): string =>
  json(text).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const named = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Names of HTML for characters of both values. */
const NAMES: Readonly<Record<string, string>> = {
  '+': '&plus;',
  '/': '&sol;',
  '"': '&QUOT;',
  ' ': '&nbsp;',
  '&': '&AMP;',
  '<': '&LT;',
  ü: '&uuml;',
  ä: '&auml;',
  '>': '&GT;',
  '\\': '&bsol;',
  '.': '&period;',
  '@': '&commat;',
  '-': '&hyphen;',
};
const PLAIN = (text: string): string => text;
const hexOf = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const percentOf = (bytes: Buffer): string => [...bytes].map((byte) => `%${hexOf(byte, 2)}`).join('');

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: PLAIN,
  'in another case': (text) => text.toUpperCase(),
  JSON: json,
  'JSON in JSON': (text) => json(json(text)),
  'JSON in JSON in JSON': (text) => json(json(json(text))),
  'JSON with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
  'JSON in ASCII': ascii,
  percent: encodeURIComponent,
  'percent in small letters': (text) =>
    encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'percent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'a form': (text) => new URLSearchParams({ text }).toString().slice(5),
  HTML: named,
  'HTML by number': (text) => text.replace(/[^a-z]/gi, (c) => `&#${c.codePointAt(0)};`),
  'HTML by number in hexadecimal': (text) =>
    text.replace(/[^a-z]/gi, (c) => `&#x${c.codePointAt(0)?.toString(16)};`),
  'HTML twice': (text) => named(named(text)),
  'HTML of JSON': (text) => named(json(text)),
  base64,
  'base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'base64 of api:KEY': (text) => base64(`api:${text}`),
  'base64 of AUTH PLAIN': (text) => base64(`\0carol\0${text}`),
  'base64 of JSON': (text) => base64(JSON.stringify({ password: text })),
  'base64 in a path': (text) => `https://x.example/a/${Buffer.from(text).toString('base64url')}/b`,
  'percent of base64': (text) => encodeURIComponent(base64(text)),
  'percent of Latin-1': (text) => percentOf(Buffer.from(text, 'latin1')),
  'the form of escape()': (text) => text.replace(/[^]/g, (c) => `%u${hexOf(c.charCodeAt(0), 4)}`),
  'quoted-printable': (text) => percentOf(Buffer.from(text)).replaceAll('%', '=').replace(/.{12}/, '$&=\r\n'),
  'quoted-printable of Latin-1': (text) => percentOf(Buffer.from(text, 'latin1')).replaceAll('%', '='),
  'HTML by names of all characters': (text) => text.replace(/[^a-z\d]/gi, (c) => NAMES[c] ?? c),
  'HTML by number without semicolons': (text) => text.replace(/[^a-z\d]/gi, (c) => `&#${c.codePointAt(0)}`),
  'base64 in lines': (text) => base64(`${'x'.repeat(70)}${text}`).replace(/.{76}/g, '$&\r\n'),
  'base64 in lines, in JSON': (text) => json(base64(`${'x'.repeat(70)}${text}`).replace(/.{76}/g, '$&\n')),
  'base64 in lines that became one': (text) => base64(text).replace(/.{20}/g, '$& '),
  'base64 of Latin-1': (text) => Buffer.from(text, 'latin1').toString('base64'),
  'hexadecimal digits': (text) => Buffer.from(text).toString('hex'),
  'hexadecimal digits of Latin-1': (text) => Buffer.from(text, 'latin1').toString('hex').toUpperCase(),
  'escapes of bytes': (text) => percentOf(Buffer.from(text, 'latin1')).replaceAll('%', '\\x'),
  'escapes of code points': (text) => text.replace(/[^]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`),
  NFD: (text) => text.normalize('NFD'),
  'percent of NFD': (text) => encodeURIComponent(text.normalize('NFD')),
  'UTF-8 read as Latin-1': (text) => Buffer.from(text).toString('latin1'),
};

describe.each(Object.entries(ENCODINGS))('a value in %s', (_, encode) => {
  test.each([PASSWORD, ADDRESS])('is taken out: %s', (value) => {
    const said = open().redact(`Cannot read <${encode(value)}> and <${encode(value)}>`);
    expect(said).toMatch(/^Cannot read </);
    for (const other of Object.values(ENCODINGS)) {
      expect(said.toLowerCase()).not.toContain(other(value).toLowerCase());
    }
    expect(said).toMatch(/\*\*\*|\{ env: BOSS \}/);
  });
});

test('the rest of a message stays readable', () => {
  const { redact } = open();
  const body = JSON.stringify({ username: 'carol', password: PASSWORD });
  expect(redact(`Cannot read ${body}`)).toBe('Cannot read {"username":"carol","password":"***"}');
  expect(redact(`no route to ${ADDRESS}: 100% sure`)).toBe('no route to { env: BOSS }: 100% sure');
});

test('a text that holds none stays as it is', () => {
  for (const text of ['100% of \\"these\\" &amp; %41 dGhlc2U=', '', 'x'.repeat(10_000)]) {
    expect(open().redact(text)).toBe(text);
  }
  expect(createRedactor().redact('anything')).toBe('anything');
});

test('a value that is not in composed form is taken out in both forms', () => {
  const redactor = createRedactor();
  redactor.add('pa55wörter'.normalize('NFD'), '***');
  for (const form of ['NFC', 'NFD'] as const)
    expect(redactor.redact(`not pa55wörter`.normalize(form))).toBe('not ***');
});

test.each(everyNth(2, [16_384, 65_536]))(
  'no part of a value that stands at character %i of a text is shown',
  (at) => {
    for (let before = at - PASSWORD.length; before <= at; before += runs(1, 5)) {
      for (const encode of [PLAIN, encodeURIComponent, base64]) {
        const said = open().redact(`${'.'.repeat(before)}${encode(PASSWORD)}${'.'.repeat(70_000)}`);
        expect(said).toMatch(/^\.{1000,}\*{0,3}\.*…$/);
      }
    }
  },
);

test('one of many thousand values is found at once', () => {
  const redactor = createRedactor();
  for (let n = 0; n < runs(100_000, 20_000); n += 1)
    redactor.add(`info.${n}@corp-${n % 97}.example`, `{ env: N${n} }`);
  for (let n = 0; n < 1_000; n += 1) {
    redactor.add(`late.${n}@corp.example`, '***');
    expect(redactor.redact(`no such user: info.${n}@corp-${n % 97}.example`)).not.toContain('@');
  }
});

test('a text of a hostile service is read in linear time', () => {
  const { redact } = open();
  const mixed = '%26%5cu0026amp;=41&#x41;\\x41ü QUJDREVGR0g= 4142434445464748 ';
  for (const piece of [
    mixed,
    '=25',
    'ü',
    `${'A'.repeat(16)} `,
    '\\',
    '%25',
    '&amp;',
    'A',
    '"',
    '\\u005c',
    'pA5s+w/ord"',
  ])
    redact(piece.repeat(runs(1_000_000, 30_000)));
});

describe('an answer', () => {
  const answer = (status: number, body: unknown): Reply => {
    return {
      kind: 'answer',
      status,
      header: () => null,
      text: typeof body === 'string' ? body : JSON.stringify(body),
    };
  };
  const textOf = (reply: Reply): string => (reply.kind === 'answer' ? reply.text : reply.message);

  test('to a failed request is redacted completely', () => {
    const echo = { message: ['x', { [PASSWORD]: json(PASSWORD) }], other: { deep: PASSWORD } };
    for (const body of [echo, `<p>${named(PASSWORD)}</p>`, `{"message": "${json(PASSWORD)}`]) {
      expect(textOf(redactReply(answer(400, body), open()))).not.toMatch(/quoted/);
    }
  });

  test('to a successful request keeps its data, because the account is judged by it', () => {
    const redactor = createRedactor();
    redactor.add('newsletter', '***');
    const body = {
      aliases: [{ alias: 'newsletter', id: 1e300 }],
      failed: [{ errors: { name: ['newsletter'] } }],
    };
    const redacted = { ...body, failed: [{ errors: { name: ['***'] } }] };
    expect(JSON.parse(textOf(redactReply(answer(207, body), redactor)))).toEqual(redacted);
  });

  test('about a locked account has no value in the reason', () => {
    const body = { account: { email: 'ana@corp.example', lock_reason: `key ${PASSWORD} was seen` } };
    const redacted = textOf(redactReply(answer(200, body), open()));
    expect(JSON.parse(redacted)).toEqual({
      account: { email: 'ana@corp.example', lock_reason: 'key *** was seen' },
    });
    const escaped = JSON.stringify(body).replace('lock_reason', String.raw`\u006cock_reason`);
    expect(JSON.parse(textOf(redactReply(answer(200, escaped), open())))).toEqual(JSON.parse(redacted));
  });

  test.each(['subject', 'message', 'hostname', 'server', 'local'])(
    'with logs has no value in %s',
    (field) => {
      const body = { logs: [{ id: '1', [field]: `=?UTF-8?B?${base64(PASSWORD)}?=` }] };
      expect(textOf(redactReply(answer(200, body), open()))).toContain('***');
    },
  );

  test('with a whole page of logs keeps its texts', () => {
    const message = '250 2.0.0 OK 1732400000 d9443c01a7336-2129dba22d1si543 - gsmtp accepted for delivery';
    const event = { server: 'gmail-smtp-in.l.google.example', local: 'mx1.improvmx.example', message };
    const entry = {
      subject: 'Invoice 7 for Müller & sons, 100% paid',
      events: Array.from({ length: 10 }, () => event),
    };
    const page = answer(200, { logs: Array.from({ length: 200 }, () => entry) });
    expect(textOf(redactReply(page, open()))).toBe(textOf(page));
  });

  const MUCH = [
    ['encoded in every way', '%26%5cu0026amp;=41&#x41;\\x41ü QUJDREVGR0g= 4142434445464748 '.repeat(300)],
    ['long', '. '.repeat(30_000)],
  ] as const;

  test.each(everyNth(2, MUCH))(
    'with more text than can be searched is shown only as far as it was: %s',
    (_, text) => {
      const errors = Array.from({ length: 800 }, () => `${text}${PASSWORD}`);
      const redacted = textOf(redactReply(answer(400, { errors }), open()));
      expect(redacted).not.toContain('quoted');
      expect(JSON.parse(redacted)).toMatchObject({
        errors: expect.arrayContaining(['***']),
      });
    },
  );

  test('with endless nesting is no bug', () => {
    const body = `{"message":${'['.repeat(5_000)}${JSON.stringify(PASSWORD)}${']'.repeat(5_000)}}`;
    expect(textOf(redactReply(answer(500, body), open()))).not.toContain('quoted');
  });
});

test('a text that was shown before is searched for a value that came later', () => {
  const redactor = createRedactor();
  redactor.add(ADDRESS, '***');
  const text = `mail for ${PASSWORD}`;
  expect([redactor.redact(text), redactor.redact(text)]).toEqual([text, text]);
  redactor.add(PASSWORD, '***');
  expect(redactor.redact(text)).toBe('mail for ***');
  for (let count = 0; count < 3_000; count += 1) redactor.redact(`text ${count}`);
  expect(redactor.redact(text)).toBe('mail for ***');
});
