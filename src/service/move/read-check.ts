import { errorText, type ApiError } from '../../client/errors.ts';
import type { Verification } from '../../client/client.ts';
import { missingRecordSets, parseMx } from '../../core/dns/records.ts';
import { isSpf } from '../../core/dns/spf.ts';
import { zoneLine } from '../../core/dns/zone.ts';
import type { DomainName } from '../../core/model/names.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import type { ObservedDomain } from '../../core/model/observed.ts';
import type { RememberedCheck } from '../../core/move/memory.ts';
import type { MxRecord, Read, ServiceCheck, ZoneFacts } from '../../core/move/observation.ts';
import { mayFailCheck } from '../../core/move/switch-state.ts';
import type { MovePorts } from './ports.ts';
import { hostText } from './read-zone.ts';

/** The facts that are known before the service is asked. */
export interface BeforeCheck {
  readonly zone: Read<ZoneFacts>;
  /** The domain's TXT records. */
  readonly texts: readonly string[];
  /** Its last check; null means that none is known. */
  readonly last: RememberedCheck | null;
}

/**
 * Asks the service to check the domain, and then whether it forwards. A service that forwards is not asked while its check may
 * fail: it might refuse mail from then on, and some still comes to it, by records that resolvers keep.
 */
export async function readCheck(
  domain: DomainName,
  { zone, texts, last }: BeforeCheck,
  { client, show }: Pick<MovePorts, 'client' | 'show'>,
): Promise<Read<ServiceCheck>> {
  const failed = (error: ApiError): Result<never, string> => fail(show.text(errorText(error)));
  const now = await client.getDomain(domain);
  if (!now.ok) return failed(now.error);
  if (last !== null && zone.ok && mayEndForwarding(now.value, zone.value, last))
    return succeed({ ...last, error: null, isForwarding: true });
  const checked = await client.verifyDomain(domain);
  if (!checked.ok) return failed(checked.error);
  const live = await client.getDomain(domain);
  if (!live.ok) return failed(live.error);
  const { records, error } = checked.value;
  const mx = expectedMx(checked.value);
  if (mx.length === 0) return fail('the check of the service names no MX records');
  return succeed({
    mx,
    isMxValid: records.mx.valid,
    error: error === null ? null : show.text(error),
    isForwarding: live.value.forwardingReady ?? null,
    missing: missingLines(domain, checked.value, texts),
    spfTerms: records.spf.expected.flatMap((record) => record.split(/\s+/).slice(1)),
  });
}

function mayEndForwarding(
  { forwardingReady, strictMxes }: ObservedDomain,
  zone: ZoneFacts,
  last: RememberedCheck,
): boolean {
  return forwardingReady === true && mayFailCheck(zone, last, { strictMxes: strictMxes ?? null });
}

/** Returns the records for sending that are missing, as lines of a zone file. SPF keeps the terms that DNS has. */
function missingLines(
  domain: DomainName,
  { records }: Verification,
  texts: readonly string[],
): readonly string[] {
  const { spf } = records;
  const values = [...new Set([...texts.filter(isSpf), ...spf.values])];
  const { wanted } = missingRecordSets(domain, { ...records, spf: { ...spf, values } });
  return wanted
    .filter(({ record }) => record !== 'mx')
    .map((record) => zoneLine(record).slice(0, LONGEST_LINE));
}

const LONGEST_LINE = 2_000;

function expectedMx({ records }: Verification): readonly MxRecord[] {
  return records.mx.expected.map((value, index) => {
    const { preference, host } = parseMx(value, index);
    return { preference, exchange: hostText(host.toLowerCase().replace(/(?<=.)\.$/, '')) };
  });
}
