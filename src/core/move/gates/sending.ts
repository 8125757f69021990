import type { Facts, GateFinding, GateInput } from '../gate.ts';
import type { SpfFacts, ZoneFacts } from '../observation.ts';
import { mxLines } from '../mx-text.ts';

/** The records for sending are as the service wants them. Only a warning if the manifest has no SMTP credential. */
export function sendingGate(
  { seen: { domain, zone } }: GateInput,
  { account, check: { missing }, spf }: Facts<'account' | 'check' | 'spf'>,
): GateFinding {
  const faults = spfFaults(spf);
  if (missing.length === 0 && faults.length === 0)
    return { state: 'done', evidence: ['SPF, DKIM and DMARC are correct'] };
  const records =
    missing.length === 0 ? [] : ['records are missing or wrong; SPF keeps all its terms until hold'];
  const evidence = [...faults.map(({ what }) => what), ...records];
  const first = missing.length > 0 && zone.ok ? ownMxFirst(domain, zone.value) : [];
  const todo = [...faults.map(({ remedy }) => remedy), ...first, ...missing];
  if (account.wants.credentials) return { state: 'next', evidence, todo };
  const warning = 'a warning only: the manifest has no SMTP credential that sends through the service';
  return { state: 'done', evidence: [...evidence, warning], todo };
}

/** A wildcard gives no MX records to a name that has other records, or names below it. */
function ownMxFirst(domain: string, { isInherited, servers }: ZoneFacts): readonly string[] {
  const records = servers.flatMap(({ answer }) => (answer.kind === 'mx' ? [answer.records] : []))[0];
  if (!isInherited || records === undefined) return [];
  return [
    `if the MX records of ${domain} come from the wildcard above it: add these first, because any other record of ${domain} ends those of the wildcard`,
    ...mxLines(domain, records),
  ];
}

interface SpfFault {
  readonly what: string;
  readonly remedy: string;
}

function spfFaults({ records, lookups }: SpfFacts): readonly SpfFault[] {
  const several = {
    what: 'there are several SPF records, so receivers use none of them',
    remedy: 'merge the SPF records into one',
  };
  const tooMany = {
    what: 'the SPF record needs more than ten look-ups, so receivers do not use it',
    remedy: 'remove unused terms from the SPF record',
  };
  return [...(records.length > 1 ? [several] : []), ...((lookups ?? 0) > 10 ? [tooMany] : [])];
}
