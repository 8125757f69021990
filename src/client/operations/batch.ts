import { LIMITS, type Endpoint } from '../../core/model/endpoints.ts';
import type { DomainName } from '../../core/model/names.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import type { BatchAnswer, ItemFailure } from '../client.ts';
import type { Call } from '../http/call.ts';
import { messageOf } from '../http/answer.ts';
import {
  arrayField,
  ContradictionError,
  countField,
  DecodeError,
  objectOf,
  type Json,
} from '../../core/fields/json.ts';

/**
 * Sends a list of items under the API's name. An empty list sends nothing. A list that is too long or has an empty id is a
 * bug.
 */
export async function sendBatch<T>(
  call: Call,
  endpoint: Endpoint,
  domain: DomainName,
  body: Readonly<Record<string, readonly (string | Json)[]>>,
  decode: (json: Json | null) => readonly Result<T, ItemFailure>[],
): BatchAnswer<T> {
  const items = Object.values(body).flat();
  const size = items.length;
  if (size === 0) return succeed([]);
  if (items.some(hasEmptyId)) throw new Error(`a batch of ${domain} has an empty id`);
  if (size > LIMITS.batchItems) throw new Error(`a batch of ${size} items is over ${LIMITS.batchItems}`);
  return call({ endpoint, params: { domain }, body, successFlag: 'ignored' }, decode);
}

/** True if an id is empty. An item is an id, or an object with an id. */
function hasEmptyId(item: string | Json): boolean {
  return (typeof item === 'string' ? item : item['id']) === '';
}

export interface BatchShape<T> {
  /** `added`, `updated` or `deleted`. The field of the count has the suffix `_count`. */
  readonly field: 'added' | 'updated' | 'deleted';
  readonly decode: (row: unknown) => T;
  /** Keys of the items, in the order sent. `keyOf` returns the key of a value in the answer. */
  readonly sent: readonly string[];
  readonly keyOf: (value: T) => string;
  /** True if a value is the item sent at this index. Used if the service may have changed its key. */
  readonly matches?: (sentIndex: number, value: T) => boolean;
}

/**
 * Decodes the outcome of each item that was sent (v4: Batch operations). Throws a ContradictionError if the answer cannot be
 * true: counts that differ from the arrays, an index out of range or repeated, an item in both lists or in neither.
 */
export function decodeBatch<T>(json: Json | null, shape: BatchShape<T>): readonly Result<T, ItemFailure>[] {
  const body = json ?? {};
  const done = arrayField(body, shape.field).map(shape.decode);
  const failed = decodeFailures(arrayField(body, 'failed'), shape.sent.length);
  expectCount(countField(body, `${shape.field}_count`), done.length, shape.field);
  expectCount(countField(body, 'failed_count'), failed.size, 'failed');
  const claimed = claim(shape, done, failed);
  return shape.sent.map((key, index) => {
    const failure = failed.get(index);
    if (failure !== undefined) return fail(failure);
    const value = claimed.get(index);
    if (value === undefined) throw new ContradictionError(`${key} (index ${index}) is in neither list`);
    return succeed(value.value);
  });
}

/** Decodes a batch of deletes. `deleted` holds ids: strings, or numbers if the version has numbers. */
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
  throw new DecodeError('field deleted contains a value that is not an id');
}

/** Assigns each value of the answer to an item that did not fail. A value that fits no item is a contradiction. */
function claim<T>(
  { sent, keyOf, matches, field }: BatchShape<T>,
  done: readonly T[],
  failed: ReadonlyMap<number, ItemFailure>,
): ReadonlyMap<number, { readonly value: T }> {
  const open = new Map<string, number[]>();
  for (const [index, key] of sent.entries()) {
    if (failed.has(index)) continue;
    const indexes = open.get(key);
    if (indexes === undefined) open.set(key, [index]);
    else indexes.push(index);
  }
  const claimed = new Map<number, { readonly value: T }>();
  const strays: T[] = [];
  for (const value of done) {
    const index = open.get(keyOf(value))?.shift();
    if (index === undefined) strays.push(value);
    else claimed.set(index, { value });
  }
  for (const value of strays) {
    const index = [...open.values()].flat().find((index) => !claimed.has(index) && matches?.(index, value));
    if (index === undefined) {
      throw new ContradictionError(`${field} holds ${keyOf(value)}, which was not sent or failed as well`);
    }
    claimed.set(index, { value });
  }
  return claimed;
}

/** Decodes the failures by position, which is a number or its text. */
function decodeFailures(rows: readonly unknown[], sent: number): ReadonlyMap<number, ItemFailure> {
  const positions = new Map<unknown, number>();
  for (let index = 0; index < sent; index += 1) positions.set(index, index).set(String(index), index);
  const failures = new Map<number, ItemFailure>();
  for (const row of rows) {
    const entry = objectOf(row, 'an entry of failed');
    const index = positions.get(entry['index']);
    if (index === undefined) {
      const shown = JSON.stringify(entry['index']);
      throw new ContradictionError(`failed names the index ${shown} of ${sent} items`);
    }
    if (failures.has(index)) throw new ContradictionError(`failed names the index ${index} twice`);
    failures.set(index, messageOf(entry, 'no message'));
  }
  return failures;
}

function expectCount(stated: number, actual: number, field: string): void {
  if (stated === actual) return;
  throw new ContradictionError(`${field}_count is ${stated}, and ${field} holds ${actual}`);
}
