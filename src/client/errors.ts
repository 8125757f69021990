/** Errors of a request: a closed union by `kind`. Whether to retry is computed, never stored. */
export type ApiError =
  /** 401: the key is missing or wrong. The run stops. */
  | ApiErrorOf<'unauthorised', { readonly status: 401 }>
  /** 403: the plan or the permissions do not allow it. For a batch create: the account is free. */
  | ApiErrorOf<'forbidden', { readonly status: 403 }>
  | ApiErrorOf<'not-found', { readonly status: 404 }>
  /**
   * Any other 4xx: the service read the request and refused it. Nothing was written. Status null means that we refused to
   * send it, because a name cannot be part of a path, or because no more requests may be sent.
   */
  | ApiErrorOf<'rejected', { readonly status: number | null; readonly errors: FieldErrors }>
  /** 429, and the service asks for a wait longer than a run may last. Nothing was written. */
  | ApiErrorOf<'rate-limited', { readonly status: 429; readonly waitSeconds: number }>
  /** The request never reached the service: connection refused, unknown host, TLS. Nothing was written. */
  | ApiErrorOf<'unreachable', { readonly status: null }>
  /** The request was sent, and its effect is unknown: timeout, reset, 5xx, or an answer that cannot be read or trusted. */
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
  /** The service answered with a redirect, which the client never follows. */
  | ApiErrorOf<'redirect', { readonly status: number }>
  /**
   * A listing did not prove itself complete in three reads, or a write was not sent because the data it needs could not be
   * read.
   */
  | ApiErrorOf<'unproven', { readonly status: null }>
  /** The run was stopped, or lost its lock, before the request was sent. Nothing was written. */
  | ApiErrorOf<'stopped', { readonly status: null; readonly cause: 'interrupted' | 'lock-lost' }>;

type ApiErrorOf<Kind extends string, Details> = Details & {
  readonly kind: Kind;
  /** Method and route template, such as `POST /domains/:domain/aliases/batch`. */
  readonly endpoint: string;
  /** The cause, for people, with the service's own message if there is one. */
  readonly message: string;
};

/** Messages by field name (v4: Errors); empty if there are none. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Returns an error as text for people: the endpoint and the message. */
export function errorText({ endpoint, message }: ApiError): string {
  return `${endpoint}: ${message}`;
}
