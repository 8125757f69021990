import { endpointText, LIMITS, type Endpoint } from '../core/model/endpoints.ts';
import { fail, succeed, type Result } from '../core/model/result.ts';
import type { Call } from './http/call.ts';
import { arrayField, countField, type Json } from '../core/fields/json.ts';
import type { ApiError } from './errors.ts';

export interface ListingRequest<T> {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The field of the answer that holds the rows. */
  readonly field: string;
  readonly pageSize: number;
  readonly decode: (row: unknown) => T;
  /** Returns the key that identifies a row. Two rows with one key make a listing unproven. */
  readonly keyOf: (row: T) => string;
}

interface Page<T> {
  readonly number: number;
  readonly rows: readonly T[];
  readonly total: number;
  /** The size and number of the page, if the answer states them. */
  readonly limit: number;
  readonly page: number;
}

const READS = 3;
/** Two million items. A total that needs more pages must be a mistake. */
const MOST_PAGES = 10_000;
/** These pages are read one after another. */
const MOST_UNTOTALLED_PAGES = 1000;

/**
 * Reads a whole listing and proves that it is complete: all pages have the same `total`, keys are unique, and there are as
 * many as the total. A listing that is not proven is read again. After three reads it is an `unproven` error, never a short
 * list.
 */
export function readListing<T>(
  call: Call,
  listing: ListingRequest<T>,
): Promise<Result<readonly T[], ApiError>> {
  return untilProven(listing, async () => {
    const pages = await readPages(call, listing);
    return pages.ok ? succeed(prove(pages.value, listing.keyOf)) : pages;
  });
}

/**
 * Reads a listing whose answers have no total (v3: SMTP credentials). It reads pages until one is short, and reads the whole
 * listing until two reads are equal. Three different reads are an `unproven` error.
 */
export function readUntotalledListing<T>(
  call: Call,
  listing: ListingRequest<T>,
): Promise<Result<readonly T[], ApiError>> {
  let before: readonly T[] | null = null;
  return untilProven(listing, async () => {
    const rows = await readOnce(call, listing);
    if (!rows.ok) return rows;
    const [known, latest] = [before, rows.value];
    const keys = new Set(latest.map(listing.keyOf));
    before = keys.size === latest.length ? latest : null;
    if (before === null) return succeed(fail('an item occurs twice'));
    if (known !== null && sameKeys(known, keys, listing)) return succeed(rows);
    return succeed(fail(`one read gave ${known?.length ?? 0} items, the next ${latest.length} others`));
  });
}

/** Reads until the rows are proven. `read` returns the rows or the reason to doubt them. */
async function untilProven<T>(
  { endpoint }: ListingRequest<T>,
  read: () => Promise<Result<Result<readonly T[], string>, ApiError>>,
): Promise<Result<readonly T[], ApiError>> {
  let doubt = '';
  for (let count = 1; count <= READS; count += 1) {
    const rows = await read();
    if (!rows.ok) return rows;
    if (rows.value.ok) return rows.value;
    doubt = rows.value.error;
  }
  const message = `the listing could not be proven complete in ${READS} reads: ${doubt}`;
  return fail({ kind: 'unproven', endpoint: endpointText(endpoint), status: null, message });
}

/** Reads page 1 for the total, then the other pages at once. It reads no other page if page 1 is inconsistent. */
async function readPages<T>(
  call: Call,
  listing: ListingRequest<T>,
): Promise<Result<readonly Page<T>[], ApiError>> {
  const first = await readPage(call, listing, 1);
  if (!first.ok) return first;
  const { total, limit } = first.value;
  const last = Math.ceil(total / Math.max(1, limit));
  if (pageDoubt(first.value, first.value) !== null || last > MOST_PAGES) return succeed([first.value]);
  const numbers = Array.from({ length: Math.max(0, last - 1) }, (_, index) => index + 2);
  const rest = await Promise.all(numbers.map((page) => readPage(call, listing, page)));
  const pages: Page<T>[] = [first.value];
  for (const page of rest) {
    if (!page.ok) return page;
    pages.push(page.value);
  }
  return succeed(pages);
}

function readPage<T>(
  call: Call,
  { endpoint, params, query, field, decode, pageSize }: ListingRequest<T>,
  number: number,
): Promise<Result<Page<T>, ApiError>> {
  const request = {
    endpoint,
    params,
    query: { ...query, limit: pageSize, page: number },
    continues: number > 1,
  };
  return call(request, (json) => {
    const body = json ?? {};
    return {
      number,
      rows: arrayField(body, field).map(decode),
      total: countField(body, 'total'),
      limit: optionalCount(body, 'limit') ?? pageSize,
      page: optionalCount(body, 'page') ?? number,
    };
  });
}

function optionalCount(body: Json, field: string): number | null {
  return body[field] === undefined ? null : countField(body, field);
}

function prove<T>(pages: readonly Page<T>[], keyOf: (row: T) => string): Result<readonly T[], string> {
  const [first] = pages;
  if (first === undefined) return fail('no page arrived');
  for (const page of pages) {
    const doubt = pageDoubt(page, first);
    if (doubt !== null) return fail(doubt);
  }
  const rows: T[] = [];
  const keys = new Set<string>();
  for (const page of pages) {
    for (const row of page.rows) {
      rows.push(row);
      keys.add(keyOf(row));
    }
  }
  if (rows.length !== first.total)
    return fail(`the total is ${first.total}, but ${rows.length} items arrived`);
  return keys.size === rows.length ? succeed(rows) : fail('an item occurs twice');
}

/** Returns why a page cannot belong to the same listing as page 1, or null if it can. */
function pageDoubt<T>(page: Page<T>, first: Page<T>): string | null {
  const { number, rows, total, limit } = page;
  if (page.page !== number) return `page ${page.page} arrived instead of page ${number}`;
  if (total !== first.total) return `the total was ${first.total} on page 1 and ${total} on page ${number}`;
  if (limit !== first.limit) return `page 1 holds ${first.limit} items, page ${number} holds ${limit}`;
  const expected = Math.max(0, Math.min(limit, total - (number - 1) * limit));
  if (rows.length === expected) return null;
  return `page ${number} has ${rows.length} items instead of ${expected}, of ${total} in total`;
}

async function readOnce<T>(
  call: Call,
  { endpoint, params, query, field, decode, pageSize, keyOf }: ListingRequest<T>,
): Promise<Result<readonly T[], ApiError>> {
  const rows: T[] = [];
  const keys = new Set<string>();
  for (let page = 1; page <= MOST_UNTOTALLED_PAGES; page += 1) {
    const request = { endpoint, params, query: { ...query, limit: pageSize, page }, continues: page > 1 };
    const answer = await call(request, (json) => arrayField(json ?? {}, field).map(decode));
    if (!answer.ok) return answer;
    const known = keys.size;
    for (const row of answer.value) {
      rows.push(row);
      keys.add(keyOf(row));
    }
    // A service that ignores `page` answers the same page forever. Its repeated rows make the listing unproven.
    if (answer.value.length < LIMITS.shortestCutPage || keys.size === known) break;
  }
  return succeed(rows);
}

function sameKeys<T>(before: readonly T[], keys: ReadonlySet<string>, { keyOf }: ListingRequest<T>): boolean {
  return before.length === keys.size && before.every((row) => keys.has(keyOf(row)));
}
