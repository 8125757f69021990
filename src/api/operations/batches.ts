import { LIMITS, type Endpoint } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import { succeed, type Result } from '../../model/result.ts';
import { decodeBatch } from './batch.ts';
import type { Call } from '../http/call.ts';
import type { BatchAnswer, ItemFailure } from '../client.ts';
import { DecodeError, type Json } from './decode.ts';

/** One list under the name that the API gives it. Nothing is sent for an empty one; too long a one is a bug. */
export async function sendBatch<T>(
  call: Call,
  endpoint: Endpoint,
  domain: DomainName,
  body: Readonly<Record<string, readonly unknown[]>>,
  decode: (json: Json | null) => readonly Result<T, ItemFailure>[],
): BatchAnswer<T> {
  const size = Object.values(body)[0]?.length ?? 0;
  if (size === 0) return succeed([]);
  if (size > LIMITS.batchItems) throw new Error(`a batch of ${size} items is over ${LIMITS.batchItems}`);
  return call({ endpoint, params: { domain }, body, successFlag: 'ignored' }, decode);
}

/** `deleted` holds ids: strings, and numbers where the generation has numbers. */
export function deletedBatch(
  ids: readonly string[],
): (json: Json | null) => readonly Result<void, ItemFailure>[] {
  return (json) =>
    decodeBatch(json, {
      field: 'deleted',
      decode: idText,
      sent: ids.map((id) => id.toLowerCase()),
      keyOf: (id) => id.toLowerCase(),
    }).map((result) => (result.ok ? succeed(undefined) : result));
}

function idText(row: unknown): string {
  if (typeof row === 'string' || typeof row === 'number') return String(row);
  throw new DecodeError('field deleted holds something that is not an id');
}
