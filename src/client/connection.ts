import type { ApiVersion } from '../core/model/endpoints.ts';

/** Where to connect, and as whom. */
export interface Connection {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly version: ApiVersion;
  readonly key: string;
  /** The email that the account must have; null: not stated. */
  readonly account: string | null;
  /** How long a request that writes may take, in milliseconds; by default as long as others. */
  readonly writeMs?: number;
}
