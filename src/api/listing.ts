import { fail, succeed, type Result } from '../model/result.ts';
import type { Endpoint } from '../model/endpoints.ts';
import type { Call } from './call.ts';
import { arrayField, countField } from './decode.ts';
import type { ApiError } from './errors.ts';

export interface ListingRequest<T> {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The field of the answer that holds the rows. */
  readonly field: string;
  readonly pageSize: number;
  readonly decode: (row: unknown) => T;
  /** What makes a row itself; two rows with one key are no proof. */
  readonly keyOf: (row: T) => string;
}

interface Page<T> {
  readonly rows: readonly T[];
  readonly total: number;
  readonly limit: number;
}

const READINGS = 3;

/**
 * Reads a whole listing and proves it: all pages, their `total` the same, ids unique, their number equal to it.
 * One that does not prove itself is read again; after three readings it is an `unproven` error, never a short list.
 */
export async function readListing<T>(
  call: Call,
  listing: ListingRequest<T>,
): Promise<Result<readonly T[], ApiError>> {
  let doubt = '';
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const pages = await readPages(call, listing);
    if (!pages.ok) return pages;
    const proof = prove(pages.value, listing);
    if (proof.ok) return proof;
    doubt = proof.error;
  }
  const endpoint = `${listing.endpoint.method} ${listing.endpoint.template}`;
  const message = `the listing did not prove itself complete in ${READINGS} readings: ${doubt}`;
  return fail({ kind: 'unproven', endpoint, status: null, message });
}

/** Page 1 gives the total; the others go out at once. */
async function readPages<T>(
  call: Call,
  listing: ListingRequest<T>,
): Promise<Result<readonly Page<T>[], ApiError>> {
  const first = await readPage(call, listing, 1);
  if (!first.ok) return first;
  const count = Math.ceil(first.value.total / Math.max(1, Math.min(first.value.limit, listing.pageSize)));
  // A total beyond reason cannot be read; the proof will say so.
  const numbers = Array.from({ length: Math.min(Math.max(0, count - 1), 100_000) }, (_, index) => index + 2);
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
  listing: ListingRequest<T>,
  page: number,
): Promise<Result<Page<T>, ApiError>> {
  const { endpoint, params, field, decode } = listing;
  return call({ endpoint, params, query: { ...listing.query, limit: listing.pageSize, page } }, (json) => {
    const body = json ?? {};
    return {
      rows: arrayField(body, field).map(decode),
      total: countField(body, 'total'),
      limit: countField(body, 'limit'),
    };
  });
}

function prove<T>(pages: readonly Page<T>[], listing: ListingRequest<T>): Result<readonly T[], string> {
  const rows = pages.flatMap((page) => page.rows);
  const total = pages[0]?.total ?? 0;
  if (pages.some((page) => page.total !== total)) return fail('the total changed between pages');
  if (pages.some((page) => page.rows.length > page.limit)) return fail('a page is longer than its own limit');
  const keys = new Set(rows.map(listing.keyOf));
  if (keys.size !== rows.length) return fail('an item is on two pages');
  if (rows.length !== total) return fail(`the total is ${total}, and ${rows.length} came`);
  return succeed(rows);
}
