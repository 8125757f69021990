import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  RECORD_NAMES,
  type RecordCheck,
  type RecordChecks,
  type RecordName,
} from '../../../src/core/dns/checks.ts';
import { RECORD_FORMATS } from '../../../src/core/dns/record-formats.ts';
import { missingRecordSets } from '../../../src/core/dns/records.ts';
import { renderMissing } from '../../../src/core/dns/render-records.ts';
import { zoneLine } from '../../../src/core/dns/zone.ts';

const RIGHT: RecordCheck = { expected: ['x'], values: ['x'], valid: true };

/** Returns the checks that find these records wrong, with the expected records and those in DNS. */
function checksOf(
  wrong: Partial<Record<RecordName, readonly [expected: readonly string[], values: readonly string[]]>>,
): RecordChecks {
  const rows = RECORD_NAMES.map((name) => {
    const [expected, values] = wrong[name] ?? [];
    return [name, expected === undefined ? RIGHT : { expected, values: values ?? [], valid: false }] as const;
  });
  return Object.fromEntries(rows) as RecordChecks;
}

function linesOf(
  name: RecordName,
  expected: readonly string[],
  values: readonly string[] = [],
): Readonly<Record<'wanted' | 'obsolete', readonly string[]>> {
  const { wanted, obsolete } = missingRecordSets('acme.example', checksOf({ [name]: [expected, values] }));
  const [set, old] = [wanted, obsolete].map((records) =>
    records.map((record) => zoneLine(record).replaceAll(/ +/g, ' ')),
  );
  return { wanted: set ?? [], obsolete: old ?? [] };
}

describe('records as a zone file writes them, from what is expected', () => {
  test.each<[RecordName, readonly string[], readonly string[]]>([
    [
      'mx',
      ['a.example', 'b.example.'],
      ['acme.example. IN MX 10 a.example.', 'acme.example. IN MX 20 b.example.'],
    ],
    ['mx', ['5 a.example'], ['acme.example. IN MX 5 a.example.']],
    ['spf', ['v=spf1 "x" \\ ~all'], [String.raw`acme.example. IN TXT "v=spf1 \"x\" \\ ~all"`]],
    ['dkim1', ['key1.service.example'], ['key1._domainkey.acme.example. IN CNAME key1.service.example.']],
    ['dkim2', ['v=DKIM1; k=rsa; p=MII'], ['dkim2._domainkey.acme.example. IN TXT "v=DKIM1; k=rsa; p=MII"']],
    ['dmarc', ['v=DMARC1; p=none;'], ['_dmarc.acme.example. IN TXT "v=DMARC1; p=none;"']],
    ['dmarc', [], []],
  ])('%s %j', (name, expected, lines) => {
    expect(linesOf(name, expected)).toEqual({ wanted: lines, obsolete: [] });
  });

  test('a text of more than 255 bytes goes into several strings, by its bytes', () => {
    const [line = ''] = linesOf('dkim1', [`v=DKIM1; n=${'é'.repeat(200)}`]).wanted;
    const strings = [...line.matchAll(/"([^"]*)"/g)].map(([, string = '']) =>
      Buffer.from(
        string.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number(code))),
        'latin1',
      ),
    );
    expect(strings.map(({ length }) => length)).toEqual([255, 156]);
    expect(Buffer.concat(strings).toString('utf8')).toBe(`v=DKIM1; n=${'é'.repeat(200)}`);
  });

  test('nothing of an answer can begin a line of its own', () => {
    expect(linesOf('spf', ['x\nevil.example. IN A 10.0.0.1']).wanted.join('')).not.toContain('\n');
  });
});

describe('the whole set of a name, and what goes', () => {
  test('MX: an old host goes; one that is expected stays, with and without its preference', () => {
    expect(linesOf('mx', ['a.example', 'b.example'], ['old.example', 'A.example'])).toEqual({
      wanted: ['acme.example. IN MX 10 a.example.', 'acme.example. IN MX 20 b.example.'],
      obsolete: ['acme.example. IN MX 10 old.example.'],
    });
    expect(linesOf('mx', ['10 a.example'], ['50 a.example']).obsolete).toEqual([
      'acme.example. IN MX 50 a.example.',
    ]);
  });

  test('SPF: all SPF records become one, and other texts of the name stay', () => {
    expect(
      linesOf('spf', ['v=spf1 include:s.example ~all'], ['site=1', 'v=spf1 mx -all', 'v=spf1 a ~all']),
    ).toEqual({
      wanted: ['acme.example. IN TXT "v=spf1 mx a include:s.example -all"', 'acme.example. IN TXT "site=1"'],
      obsolete: ['acme.example. IN TXT "v=spf1 mx -all"', 'acme.example. IN TXT "v=spf1 a ~all"'],
    });
  });

  test('DKIM: what stands at the name goes', () => {
    expect(linesOf('dkim1', ['key1.service.example'], ['v=DKIM1; p=old']).obsolete).toEqual([
      'key1._domainkey.acme.example. IN TXT "v=DKIM1; p=old"',
    ]);
  });

  test('DMARC: a record that is there is never replaced', () => {
    const checks = checksOf({ dmarc: [['v=DMARC1; p=none;'], ['V=dmarc1;p=reject']] });
    expect(missingRecordSets('acme.example', checks)).toEqual({
      domain: 'acme.example',
      wanted: [],
      obsolete: [],
      notes: ['_dmarc.acme.example. has a DMARC record, which stays: V=dmarc1;p=reject'],
    });
    expect(linesOf('dmarc', ['v=DMARC1; p=none;'], ['junk']).wanted).toHaveLength(2);
  });
});

describe.each(RECORD_FORMATS)('as %s', (format) => {
  const wrong = checksOf({
    mx: [['mx1.service.example', 'mx2.service.example'], ['10 old.example']],
    spf: [['v=spf1 include:spf.service.example ~all'], ['v=spf1 include:_spf.other.example -all']],
    dkim1: [['key1.service.example'], []],
    dkim2: [[`v=DKIM1; k=rsa; p=${'M'.repeat(392)}`], []],
    dmarc: [['v=DMARC1; p=none;'], []],
  });

  test('is as the golden file', async () => {
    const text = renderMissing(format, 'acme.example: not ready', missingRecordSets('acme.example', wrong));
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'golden', `${format}.txt`));
  });

  test('a text of the service stays within its comment or its value', () => {
    const hostile = checksOf({ spf: [['v=spf1 "); evil(\n\u2028'], ['v=spf1 x\nevil']] });
    const text = renderMissing(format, 'a\nb', missingRecordSets('acme.example', hostile));
    expect(text).not.toMatch(/^\s*evil/m);
    expect(text.split('\n').at(0)).toMatch(/a b$/);
  });

  test('a domain that needs nothing is a comment', () => {
    expect(
      renderMissing(format, 'acme.example: ready', missingRecordSets('acme.example', checksOf({}))),
    ).toMatch(/^(;|\/\/|#) acme\.example: ready\n$/);
  });
});

test('octoDNS reads the values: semicolons have a backslash', () => {
  const missing = missingRecordSets('acme.example', checksOf({ dmarc: [["v=DMARC1; p='none'"], []] }));
  expect(parse(renderMissing('octodns', 'x', missing))).toEqual({
    _dmarc: { type: 'TXT', value: String.raw`v=DMARC1\; p='none'` },
  });
});

test('DNSControl evaluates the records', () => {
  const missing = missingRecordSets(
    'acme.example',
    checksOf({ mx: [['a.example'], []], spf: [['v=spf1 "x"'], []] }),
  );
  const end = Symbol('END');
  const call = (...values: readonly unknown[]): readonly unknown[] => values;
  // eslint-disable-next-line typescript/no-implied-eval -- the language of DNSControl's files is JavaScript
  const evaluate = new Function(
    'D_EXTEND',
    'MX',
    'TXT',
    'END',
    `return ${stripped(renderMissing('dnscontrol', 'x', missing))}`,
  );
  expect(evaluate(call, call, call, end)).toEqual([
    'acme.example',
    ['@', 10, 'a.example.'],
    ['@', 'v=spf1 "x"'],
    end,
  ]);
});

function stripped(text: string): string {
  return text.replaceAll(/^\/\/.*\n/gm, '');
}
