import type { MxRecord } from './observation.ts';

/** Returns MX records as lines of a zone file, in their order. */
export function mxLines(domain: string, records: readonly MxRecord[]): readonly string[] {
  return inOrder(records).map(({ preference, exchange }) => {
    return `${domain}. IN MX ${preference} ${exchange === '.' ? '.' : `${exchange}.`}`;
  });
}

/** Shows MX records in one line. */
export function showMx(records: readonly MxRecord[]): string {
  if (records.length === 0) return 'none';
  return inOrder(records)
    .map(({ preference, exchange }) => `${preference} ${exchange}`)
    .join(', ');
}

function inOrder(records: readonly MxRecord[]): readonly MxRecord[] {
  return records.toSorted((a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1));
}
