import { describe, expect, test } from 'vitest';
import { createRedactor, redactReply, type Redactor } from '../../../src/api/http/redactor.ts';
import type { Reply } from '../../../src/api/http/dispatch.ts';

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

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
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

test('what is left of a message can be read', () => {
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

test('a text of a hostile service takes no time to speak of', () => {
  const { redact } = open();
  const started = performance.now();
  for (const piece of ['\\', '%25', '&amp;', 'A', '"', '\\u005c', 'pA5s+w/ord"'])
    redact(piece.repeat(1_000_000));
  expect(performance.now() - started).toBeLessThan(5_000);
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

  test('of a request that failed is redacted whole', () => {
    const echo = { message: ['x', { [PASSWORD]: json(PASSWORD) }], other: { deep: PASSWORD } };
    for (const body of [echo, `<p>${named(PASSWORD)}</p>`, `{"message": "${json(PASSWORD)}`]) {
      expect(textOf(redactReply(answer(400, body), open()))).not.toMatch(/quoted/);
    }
  });

  test('of one that succeeded keeps its data: by them the account is judged', () => {
    const redactor = createRedactor();
    redactor.add('newsletter', '***');
    const body = {
      aliases: [{ alias: 'newsletter', id: 1e300 }],
      failed: [{ errors: { name: ['newsletter'] } }],
    };
    const redacted = { ...body, failed: [{ errors: { name: ['***'] } }] };
    expect(JSON.parse(textOf(redactReply(answer(207, body), redactor)))).toEqual(redacted);
  });

  test('that is nested without end is no bug', () => {
    const body = `{"message":${'['.repeat(5_000)}${JSON.stringify(PASSWORD)}${']'.repeat(5_000)}}`;
    expect(textOf(redactReply(answer(500, body), open()))).not.toContain('quoted');
  });
});
