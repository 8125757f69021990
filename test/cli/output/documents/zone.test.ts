import { describe, expect, test } from 'vitest';
import type { RecordName, Verification } from '../../../../src/client/client.ts';
import { zoneLine, zoneRecords } from '../../../../src/cli/output/documents/zone.ts';

const RIGHT = { expected: ['x'], values: ['x'], valid: true };

/** A verification in which this record alone is missing. */
function missing(name: RecordName, ...expected: readonly string[]): Verification {
  const records = { mx: RIGHT, spf: RIGHT, dkim1: RIGHT, dkim2: RIGHT, dmarc: RIGHT };
  return {
    valid: false,
    error: null,
    provider: null,
    records: { ...records, [name]: { expected, values: [], valid: false } },
  };
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
    const records = zoneRecords('acme.example', missing(name, ...expected));
    expect(records.map((record) => zoneLine(record).replaceAll(/ +/g, ' '))).toEqual(lines);
  });

  test('a text of more than 255 characters goes into several strings', () => {
    const [record] = zoneRecords('acme.example', missing('spf', 'x'.repeat(600)));
    expect(record?.data.split(' ').map((part) => part.length)).toEqual([257, 257, 92]);
  });

  test('nothing of an answer can begin a line of its own', () => {
    const [record] = zoneRecords('acme.example', missing('spf', 'x\nevil.example. IN A 10.0.0.1'));
    expect(zoneLine(record ?? { record: 'spf', name: '', type: 'TXT', data: '' })).not.toContain('\n');
  });
});
