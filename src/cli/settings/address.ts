import { addressFault, CREDENTIALS_IN_ADDRESS } from '../../client/http/address.ts';
import type { DesiredApi } from '../../core/model/desired.ts';
import type { ApiVersion } from '../../core/model/endpoints.ts';
import type { ProcessContext } from '../context.ts';
import { usageError } from '../exit.ts';
import { VARIABLES, type GivenFlags } from './flags.ts';

export const API_VERSIONS: readonly ApiVersion[] = ['v4', 'v3'];

export const DEFAULT_API_URL = 'https://api.improvmx.com/v4';

/** An address without a slash at its end, and the generation that it serves. */
export interface Address {
  readonly url: string;
  readonly version: ApiVersion;
}

/** Resolves the address from flag, variable and manifest. */
export function resolveAddress(
  { url, version }: { readonly url: string | null; readonly version: ApiVersion | null },
  written: Pick<DesiredApi, 'url' | 'version'>,
): Address {
  const address = url ?? written.url ?? DEFAULT_API_URL;
  const chosen = version ?? written.version ?? versionIn(address);
  const root = address.replace(/\/+$/, '');
  const last = lastSegment(root);
  // Replaces the last segment if it names the other API version.
  return { version: chosen, url: last === 'v3' || last === 'v4' ? `${root.slice(0, -2)}${chosen}` : root };
}

/** Returns the base URL of v3 for finding drift; null if none is set. */
export function resolveDriftUrl(
  { driftUrl }: GivenFlags,
  { env }: Pick<ProcessContext, 'env'>,
): string | null {
  const [url, origin] =
    driftUrl === undefined ? [env[VARIABLES.driftUrl], VARIABLES.driftUrl] : [driftUrl, '--drift-url'];
  if (!url) return null;
  assertUrl(url, origin);
  if (lastSegment(url) === 'v3') return url.replace(/\/+$/, '');
  throw usageError(
    `${origin} does not end in /v3: only v3 lists domains together with their aliases`,
    'give the base URL of v3',
  );
}

/** Ends the command if an address must not get the key; `origin` is the flag or variable that states it. */
export function assertUrl(text: string, origin: string): void {
  const fault = addressFault(text);
  if (fault === null) return;
  throw usageError(
    `${origin} is not an address that may get the key: ${fault}`,
    fault === CREDENTIALS_IN_ADDRESS
      ? 'leave them out: the key is in FWDSYNC_API_KEY or FWDSYNC_API_KEY_FILE'
      : 'use https, or http on 127.0.0.1, [::1] or localhost',
  );
}

/** Returns the account. If the flag or variable and the manifest differ, the command ends with 64. */
export function agreedAccount(stated: string | undefined, written: string | undefined): string | undefined {
  if (stated === undefined || written === undefined) return stated ?? written;
  if (stated.toLowerCase() === written.toLowerCase()) return stated;
  throw usageError(
    `--account ${stated} and the manifest's api.account ${written} differ`,
    'name the account in one place, or the same one in both',
  );
}

function versionIn(url: string): ApiVersion {
  const last = lastSegment(url);
  if (last === 'v3' || last === 'v4') return last;
  throw usageError(
    `the address ${url} does not end in /v4 or /v3`,
    'add the version to the address, or give --api-version',
  );
}

function lastSegment(url: string): string {
  return new URL(url).pathname.split('/').findLast((segment) => segment !== '') ?? '';
}
