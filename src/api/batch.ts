import { fail, succeed, type Result } from '../model/result.ts';
import type { ItemFailure } from './client.ts';
import { ContradictionError, decodeFieldErrors } from './call.ts';
import { arrayField, countField, objectOf, type Json } from './decode.ts';

export interface BatchShape<T> {
  /** `added`, `updated` or `deleted`; its count stands beside it with `_count`. */
  readonly field: 'added' | 'updated' | 'deleted';
  readonly decode: (row: unknown) => T;
  readonly keyOf: (value: T) => string;
  /** The key of each item in the order sent. */
  readonly sent: readonly string[];
}

/**
 * The outcome of each item that was sent (v4: Batch operations). Throws a ContradictionError where the answer cannot be
 * true: counts against arrays, an index out of range or twice, an item in both lists or in neither.
 */
export function decodeBatch<T>(json: Json | null, shape: BatchShape<T>): readonly Result<T, ItemFailure>[] {
  const body = json ?? {};
  const done = arrayField(body, shape.field).map(shape.decode);
  const failed = decodeFailures(arrayField(body, 'failed'), shape.sent.length);
  expectCount(countField(body, `${shape.field}_count`), done.length, shape.field);
  expectCount(countField(body, 'failed_count'), failed.size, 'failed');
  const byKey = new Map<string, T[]>();
  for (const value of done) byKey.set(shape.keyOf(value), [...(byKey.get(shape.keyOf(value)) ?? []), value]);
  const results = shape.sent.map((key, index) => settle(key, index, byKey, failed));
  const surplus = [...byKey.values()].some((values) => values.length > 0);
  if (surplus)
    throw new ContradictionError(`${shape.field} holds an item that was not sent, or that failed as well`);
  return results;
}

function settle<T>(
  key: string,
  index: number,
  byKey: ReadonlyMap<string, T[]>,
  failed: ReadonlyMap<number, ItemFailure>,
): Result<T, ItemFailure> {
  const failure = failed.get(index);
  if (failure !== undefined) return fail(failure);
  const value = byKey.get(key)?.shift();
  if (value === undefined) throw new ContradictionError(`item ${index} is in neither list`);
  return succeed(value);
}

function decodeFailures(rows: readonly unknown[], sent: number): ReadonlyMap<number, ItemFailure> {
  const failures = new Map<number, ItemFailure>();
  for (const row of rows) {
    const entry = objectOf(row, 'an entry of failed');
    const index =
      typeof entry['index'] === 'string' && /^\d+$/.test(entry['index'])
        ? Number(entry['index'])
        : entry['index'];
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= sent) {
      throw new ContradictionError(
        `failed names the index ${JSON.stringify(entry['index'])} of ${sent} items`,
      );
    }
    if (failures.has(index)) throw new ContradictionError(`failed names the index ${index} twice`);
    const message = typeof entry['message'] === 'string' ? entry['message'] : 'no message';
    failures.set(index, { message, errors: decodeFieldErrors(entry['errors']) });
  }
  return failures;
}

function expectCount(stated: number, actual: number, field: string): void {
  if (stated !== actual)
    throw new ContradictionError(`${field}_count is ${stated}, and ${field} holds ${actual}`);
}
