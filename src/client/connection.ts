import type { ApiVersion } from '../core/model/endpoints.ts';

/** Address and credentials of an account. */
export interface Connection {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly version: ApiVersion;
  readonly key: string;
  /** The email that the account must have; null means any. */
  readonly account: string | null;
  /** Timeout of a request that writes, in milliseconds. Default: the same as for other requests. */
  readonly writeMs?: number;
}
