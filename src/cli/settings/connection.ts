import type { Connection } from '../../client/connection.ts';
import type { DesiredApi } from '../../core/model/desired.ts';
import type { ProcessContext } from '../context.ts';
import { resolveKey } from '../input/references/references.ts';
import { agreedAccount, resolveAddress } from './address.ts';
import type { Settings } from './resolve-settings.ts';

/** Share of the lease after which a request must have ended: another worker may take the run over then. */
const WRITE_SHARE = 1 / 3;

/** Resolves the connection: flag, variable, manifest, default. */
export async function resolveConnection(
  context: Pick<ProcessContext, 'env' | 'cwd' | 'secrets'>,
  { api, state }: Pick<Settings, 'api' | 'state'>,
  written: DesiredApi,
): Promise<Connection> {
  const stated = { url: api.url?.value ?? null, version: api.version };
  return {
    ...resolveAddress(stated, written),
    key: await resolveKey(written, context),
    account: agreedAccount(api.account?.value, written.account) ?? null,
    ...(state.store === null ? {} : { writeMs: state.leaseMs * WRITE_SHARE }),
  };
}
