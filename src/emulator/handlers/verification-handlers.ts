import type { DnsState } from '../account/model.ts';
import type { JsonObject } from '../http/protocol.ts';
import type { DomainRecord } from '../account/state.ts';

const MX = ['mx1.improvmx.com', 'mx2.improvmx.com'];
const SPF = 'v=spf1 include:spf.improvmx.com ~all';
const DMARC = 'v=DMARC1; p=none;';

/** Renders the records that a verification finds (v4: Domain verification result). Both versions show the same. */
export function renderRecords({ fields: { dns } }: DomainRecord): JsonObject {
  const valid = Object.values(dns).every((found: boolean) => found);
  return {
    provider: 'unknown',
    advanced: true,
    dkim1: textRecord(dns, 'dkim1', 'dkimprovmx1.improvmx.com.'),
    dkim2: textRecord(dns, 'dkim2', 'dkimprovmx2.improvmx.com.'),
    dmarc: textRecord(dns, 'dmarc', DMARC),
    spf: textRecord(dns, 'spf', SPF),
    mx: { expected: MX, valid: dns.mx, values: dns.mx ? MX : [] },
    error: dns.mx ? null : 'The MX records do not point to the service.',
    valid,
  };
}

function textRecord(dns: DnsState, name: keyof DnsState, expected: string): JsonObject {
  return { expected, valid: dns[name], values: dns[name] ? expected : null };
}
