import type { Call } from '../http/call.ts';
import type { Client, Verification } from '../client.ts';
import type { RecordCheck, RecordName } from '../../core/dns/checks.ts';
import {
  booleanField,
  DecodeError,
  nullableString,
  objectField,
  objectOf,
  type Json,
} from '../../core/fields/json.ts';
import type { ApiVersion } from '../../core/model/endpoints.ts';
import { DOMAIN_WIRE } from '../../core/kinds/domain/wire.ts';

export function verifyOperations(call: Call, version: ApiVersion): Pick<Client, 'verifyDomain'> {
  return {
    verifyDomain: (domain) =>
      call(
        { endpoint: DOMAIN_WIRE.endpoints[version].verifyDomain, params: { domain }, successFlag: 'ignored' },
        (json) => decodeVerification(objectField(json ?? {}, 'records'), version === 'v3' ? json : null),
      ),
  };
}

function decodeVerification(records: Json, envelope: Json | null): Verification {
  return {
    valid: typeof records['valid'] === 'boolean' ? records['valid'] : envelope?.['success'] === true,
    error: nullableString(records, 'error'),
    provider: nullableString(records, 'provider'),
    records: {
      mx: decodeRecord(records, 'mx'),
      spf: decodeRecord(records, 'spf'),
      dkim1: decodeRecord(records, 'dkim1'),
      dkim2: decodeRecord(records, 'dkim2'),
      dmarc: decodeRecord(records, 'dmarc'),
    },
  };
}

function decodeRecord(records: Json, name: RecordName): RecordCheck {
  const record = objectOf(records[name], `field ${name}`);
  return {
    expected: decodeTexts(record['expected'], `${name}.expected`),
    values: decodeTexts(record['values'], `${name}.values`),
    valid: booleanField(record, 'valid'),
  };
}

/** Decodes one text, several, or null for none. */
function decodeTexts(value: unknown, name: string): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.flatMap((text) => {
    if (text === null || text === undefined) return [];
    if (typeof text === 'string') return [text];
    throw new DecodeError(`field ${name} is not a text`);
  });
}
