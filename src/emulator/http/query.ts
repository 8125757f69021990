import { invalidFields, ok, type Checked } from '../account/checked.ts';
import type { RequestContext } from './route-list.ts';

export interface LimitBounds {
  readonly limit: number;
  readonly maximum: number;
  readonly minimum?: number;
}

export interface PageRequest {
  readonly limit: number;
  readonly page: number;
  readonly offset: number;
}

/** Query parameters of a request. A missing or empty parameter is undefined. */
export interface QueryReader {
  text(name: string): string | undefined;
  word<W extends string>(name: string, words: readonly W[]): W | undefined;
  /** Parses the value of a parameter. `parse` returns undefined if the value is invalid. */
  parsed<T>(name: string, parse: (text: string) => T | undefined, requirement: string): T | undefined;
  integer(name: string, minimum: number): number | undefined;
  /** Returns the page size (v4: Limits). */
  limit(bounds: LimitBounds): number;
  /** Returns `limit` and `page` of a listing. */
  page(bounds: LimitBounds): PageRequest;
  /** Reports a problem with a parameter. */
  note(name: string, problem: string): void;
}

/** Larger values are treated as this one, because no listing is that long. */
const MAX_INTEGER = 1_000_000_000;

/** Returns the value that `read` builds from the parameters. The error names every invalid parameter. */
export function readQuery<T>(
  { query, state, tampering }: RequestContext,
  read: (query: QueryReader) => T,
): Checked<T> {
  const errors: Record<string, readonly string[]> = {};
  const reader: QueryReader = {
    text(name) {
      const text = query.get(name);
      return text === null || text === '' ? undefined : text;
    },
    word: (name, words) =>
      reader.parsed(
        name,
        (text) => words.find((word) => word === text),
        `must be one of ${words.join(', ')}`,
      ),
    parsed(name, parse, requirement) {
      const text = reader.text(name);
      const value = text === undefined ? undefined : parse(text);
      if (text !== undefined && value === undefined) reader.note(name, requirement);
      return value;
    },
    integer: (name, minimum) =>
      reader.parsed(name, (text) => integerIn(text, minimum), `must be an integer of at least ${minimum}`),
    limit({ limit, maximum, minimum = 1 }) {
      const asked = reader.integer('limit', minimum) ?? limit;
      if (asked > maximum && state.switches.limitOverMaximum === 'refuse') {
        reader.note('limit', `may be at most ${maximum}`);
      }
      return tampering.limit ?? Math.min(asked, maximum);
    },
    page(bounds) {
      const limit = reader.limit(bounds);
      const page = reader.integer('page', 1) ?? 1;
      return { limit, page, offset: (page - 1) * limit + tampering.shift };
    },
    note(name, problem) {
      errors[name] = [`The ${name} ${problem}.`];
    },
  };
  const value = read(reader);
  return Object.keys(errors).length === 0 ? ok(value) : invalidFields(errors);
}

function integerIn(text: string, minimum: number): number | undefined {
  const value = /^\d+$/.test(text) ? Math.min(Number(text), MAX_INTEGER) : Number.NaN;
  return value >= minimum ? value : undefined;
}
