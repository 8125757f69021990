/** Every way in which a request can fail; closed, by `kind`. Whether to try again is computed, never stored. */
export type ApiError =
  /** 401: the key is missing or wrong. Stops everything. */
  | ApiErrorOf<'unauthorised', { readonly status: 401 }>
  /** 403: the plan or the permissions do not allow it; of a batch create: a free account. */
  | ApiErrorOf<'forbidden', { readonly status: 403 }>
  | ApiErrorOf<'not-found', { readonly status: 404 }>
  /**
   * Any other 4xx: the service read the request and refused it. Nothing was written.
   * Status null: we refused it, because a name may not stand in a path; nothing was sent.
   */
  | ApiErrorOf<'rejected', { readonly status: number | null; readonly errors: FieldErrors }>
  /** 429, and the wait that the service asks for is longer than a run may last. Nothing was written. */
  | ApiErrorOf<'rate-limited', { readonly status: 429; readonly waitSeconds: number }>
  /** The request never reached the service: refused connection, unknown host, TLS. Nothing was written. */
  | ApiErrorOf<'unreachable', { readonly status: null }>
  /** The request was sent and what it did is not known: timeout, reset, 5xx, an answer that cannot be read or believed. */
  | ApiErrorOf<
      'unknown-outcome',
      {
        readonly status: number | null;
        readonly cause:
          | 'timeout'
          | 'connection'
          | 'server-error'
          | 'undecodable'
          | 'contradictory'
          | 'too-large';
      }
    >
  /** The service answered with a redirect, which is never followed. */
  | ApiErrorOf<'redirect', { readonly status: number }>
  /** A listing did not prove itself complete in three reads, or what a write needs could not be read: it was not sent. */
  | ApiErrorOf<'unproven', { readonly status: null }>
  /** The run was asked to stop, or lost its lock, before the request was sent. Nothing was written. */
  | ApiErrorOf<'stopped', { readonly status: null; readonly cause: 'interrupted' | 'lock-lost' }>;

type ApiErrorOf<Kind extends string, Details> = Details & {
  readonly kind: Kind;
  /** Method and route template, such as `POST /domains/:domain/aliases/batch`. */
  readonly endpoint: string;
  /** For people: what went wrong, with the service's own message where there is one. */
  readonly message: string;
};

/** Field name -> messages (v4: Errors); empty when there are none. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** An error as people read it: what was asked for, and what went wrong. */
export function errorText({ endpoint, message }: ApiError): string {
  return `${endpoint}: ${message}`;
}
