import { LIMITS } from '../model/endpoints.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import type { Call } from './http/call.ts';
import { arrayField } from './operations/decode.ts';
import type { ApiError } from './errors.ts';
import { unproven, type ListingRequest } from './listing.ts';

const READINGS = 3;
const MOST_PAGES = 1000;

/**
 * Reads a listing whose answers have no total (v3: SMTP credentials): pages until one is short, and all of it until two
 * readings are equal. Three that all differ are an `unproven` error.
 */
export async function readUntotalledListing<T>(
  call: Call,
  listing: ListingRequest<T>,
): Promise<Result<readonly T[], ApiError>> {
  let before: readonly T[] | null = null;
  let doubt = '';
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const rows = await readOnce(call, listing);
    if (!rows.ok) return rows;
    const keys = new Set(rows.value.map(listing.keyOf));
    if (keys.size !== rows.value.length) {
      doubt = 'an item came twice';
      before = null;
      continue;
    }
    if (before !== null && sameKeys(before, keys, listing)) return rows;
    doubt = `${before?.length ?? 0} items came, then others, ${rows.value.length} of them`;
    before = rows.value;
  }
  return fail(unproven(listing, READINGS, doubt));
}

async function readOnce<T>(
  call: Call,
  { endpoint, params, query, field, decode, pageSize, keyOf }: ListingRequest<T>,
): Promise<Result<readonly T[], ApiError>> {
  const rows: T[] = [];
  const keys = new Set<string>();
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const answer = await call({ endpoint, params, query: { ...query, limit: pageSize, page } }, (json) =>
      arrayField(json ?? {}, field).map(decode),
    );
    if (!answer.ok) return answer;
    const known = keys.size;
    for (const row of answer.value) {
      rows.push(row);
      keys.add(keyOf(row));
    }
    // A service that does not know `page` answers the same page for ever; the rows that came twice are no proof.
    if (answer.value.length < LIMITS.shortestCutPage || keys.size === known) break;
  }
  return succeed(rows);
}

function sameKeys<T>(before: readonly T[], keys: ReadonlySet<string>, { keyOf }: ListingRequest<T>): boolean {
  return before.length === keys.size && before.every((row) => keys.has(keyOf(row)));
}
