import type { Generation } from '../account/model.ts';
import type { JsonValue, RequestSummary } from '../http/protocol.ts';
import type { FailItem } from '../http/route-list.ts';
import type { EmulatorStore } from '../account/store.ts';

/**
 * A fault to simulate. It is plain JSON, except for an edit that is a function.
 *
 *     { "match": { "method": "POST", "endpoint": "/domains/:domain/aliases/batch", "nth": 2 },
 *       "do": { "kind": "drop", "when": "after" } }
 */
export interface Fault {
  readonly match: FaultMatch;
  readonly do: FaultAction;
}

/** The requests to hit. All fields that are stated must match. */
export interface FaultMatch {
  readonly version?: Generation | undefined;
  readonly method?: string | undefined;
  /** Route template, written as in the API document. */
  readonly endpoint?: string | undefined;
  /** Regular expression, searched for in path and query below the base URL. */
  readonly path?: string | undefined;
  /** First matching request to hit, counted from 1 since the fault was set. */
  readonly nth?: number | undefined;
  /** Number of matching requests to hit from there on; default 1. */
  readonly times?: number | 'always' | undefined;
}

export type FaultTime = 'before' | 'after';

export type FaultAction =
  /** Sends another answer, in place of processing the request or after it. */
  | {
      readonly kind: 'status';
      readonly code: number;
      /** JSON, or text that is sent unchanged. */
      readonly body?: JsonValue | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly when?: FaultTime | undefined;
    }
  /** Closes the connection without an answer. */
  | { readonly kind: 'drop'; readonly when?: FaultTime | undefined }
  | { readonly kind: 'delay'; readonly ms: number; readonly when?: FaultTime | undefined }
  /** Sends the body in small pieces with pauses. */
  | { readonly kind: 'drip'; readonly chunkBytes?: number | undefined; readonly ms: number }
  /** Closes the connection after this many bytes of the body. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** Sends this many bytes of filler in place of the body. */
  | { readonly kind: 'flood'; readonly bytes: number }
  /** Processes the request, then answers with this text. */
  | { readonly kind: 'body'; readonly body: string; readonly contentType?: string | undefined }
  /** Overrides headers of the answer; null removes a header. */
  | { readonly kind: 'headers'; readonly set: Readonly<Record<string, string | null>> }
  /** Lets another client change the account just before the request. */
  | { readonly kind: 'edit'; readonly request: EditRequest }
  | { readonly kind: 'edit'; readonly run: (store: EmulatorStore) => void }
  /** Makes items of a batch fail. The answer may be wrong about which. */
  | {
      readonly kind: 'fail-items';
      readonly items?: readonly FailItemFault[] | undefined;
      readonly lies?: readonly BatchLie[] | undefined;
    }
  | ListingFault;

/** A request of another client, served without key, limits and faults. Its path starts with /v4 or /v3. */
export interface EditRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonValue | undefined;
}

export type FailItemFault = Omit<FailItem, 'message'> & { readonly message?: string | undefined };

export type BatchLie =
  /** Failed entries in reverse order. */
  | 'shuffled'
  /** The first failed entry twice. */
  | 'repeated-index'
  /** The first failed entry names a position after the end. */
  | 'index-out-of-range'
  /** Indexes as strings. */
  | 'index-as-string'
  /** Counts that are one too high. */
  | 'wrong-counts'
  /** The first successful item is also listed as failed. */
  | 'in-both'
  /** The first failed entry, or else the first successful item, is in no list. */
  | 'in-neither';

export interface ListingFault {
  readonly kind: 'listing';
  /** Moves the page by this many items: a positive number skips items, a negative one repeats items. */
  readonly shift?: number | undefined;
  /** Number added to `total`. */
  readonly total?: number | undefined;
  /** Position within the page of an item that appears twice. */
  readonly duplicate?: number | undefined;
  /** Position within the page of an item that is missing. */
  readonly missing?: number | undefined;
  /** Page size to use in place of the requested one. */
  readonly limit?: number | undefined;
  /** True to return the page without any items. */
  readonly empty?: boolean | undefined;
  /** Type of the ids of the page's items. */
  readonly ids?: 'numbers' | 'strings' | undefined;
  /** Fields to set in each item. */
  readonly set?: { readonly [field: string]: JsonValue } | undefined;
  /** Fields to remove from each item. */
  readonly unset?: readonly string[] | undefined;
}

export interface FaultScript {
  /** Adds faults. Throws a SyntaxError if the `path` of a match is not a regular expression. */
  push(...faults: readonly Fault[]): void;
  clear(): void;
  /** Returns the faults that can still hit a request. */
  pending(): readonly Fault[];
}

export interface FaultSource extends FaultScript {
  /** Counts the request and returns the actions that hit it, in the order in which the faults were set. */
  hit(request: RequestSummary): readonly FaultAction[];
}

export function createFaults(initial: readonly Fault[]): FaultSource {
  let armed: ArmedFault[] = [];
  const push = (...faults: readonly Fault[]): void => {
    armed.push(...faults.map(arm));
  };
  push(...initial);
  return {
    push,
    clear() {
      armed = [];
    },
    pending: () => armed.filter(({ fault, seen }) => seen < lastHit(fault.match)).map((a) => a.fault),
    hit(request) {
      const actions: FaultAction[] = [];
      for (const entry of armed) {
        if (!matches(entry, request)) continue;
        entry.seen += 1;
        const first = entry.fault.match.nth ?? 1;
        if (entry.seen >= first && entry.seen <= lastHit(entry.fault.match)) {
          actions.push(entry.fault.do);
        }
      }
      armed = armed.filter(({ fault, seen }) => seen < lastHit(fault.match));
      return actions;
    },
  };
}

interface ArmedFault {
  readonly fault: Fault;
  readonly path: RegExp | undefined;
  /** Number of matching requests so far. */
  seen: number;
}

function arm(fault: Fault): ArmedFault {
  const { path } = fault.match;
  return { fault, path: path === undefined ? undefined : new RegExp(path, 'u'), seen: 0 };
}

function matches({ fault: { match }, path }: ArmedFault, request: RequestSummary): boolean {
  return (
    (match.version === undefined || match.version === request.version) &&
    (match.method === undefined || match.method === request.method) &&
    (match.endpoint === undefined || match.endpoint === request.endpoint) &&
    (path === undefined || path.test(request.path))
  );
}

/** Returns the number of the last matching request to hit, counted from 1. */
function lastHit(match: FaultMatch): number {
  const times = match.times ?? 1;
  return times === 'always' ? Number.POSITIVE_INFINITY : (match.nth ?? 1) + times - 1;
}
