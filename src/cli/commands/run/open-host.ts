import { fail, succeed, type Result } from '../../../core/model/result.ts';
import type { Host } from '../../../service/account/host.ts';
import type { Concealer } from '../../../service/conceal/concealer.ts';
import type { Context } from '../../context.ts';
import { CommandError } from '../../exit.ts';
import { assertKey, connect } from '../../input/connect.ts';
import { referenceReader, referenceValue } from '../../input/references/references.ts';
import { openStates } from '../../input/state/open-states.ts';
import { runOrigin } from '../../origin.ts';
import { resolveConnection } from '../../settings/connection.ts';
import type { Settings } from '../../settings/resolve-settings.ts';

/** Returns this machine as the runs of a service use it, with what flags and variables say of it. */
export function openHost(
  context: Context,
  settings: Pick<Settings, 'api' | 'state'>,
  concealer: Pick<Concealer, 'addSecret'>,
): Host {
  const { clock, random, signal } = context;
  return {
    clock,
    random,
    signal,
    origin: runOrigin(context, 'run'),
    rest: () => new Promise((resolve) => void setImmediate(resolve)),
    readReferences: referenceReader(context),
    async resolvePassword(reference) {
      const password = await referenceValue(context, reference);
      if (typeof password === 'string') concealer.addSecret(password);
      return password;
    },
    resolveConnection: (api) =>
      toResult(async () => {
        const connection = await resolveConnection(context, settings, api);
        assertKey(connection);
        concealer.addSecret(connection.key);
        return connection;
      }),
    connect: (connection, mode, options) => connect(context, connection, mode, options),
    openStates: () => toResult(() => openStates(context, settings.state, 'run')),
  };
}

/** Returns an expected failure as a value: it must not end a service. */
async function toResult<T>(work: () => Promise<T>): Promise<Result<T, string>> {
  try {
    return succeed(await work());
  } catch (error) {
    if (error instanceof CommandError) return fail(`${error.message}; ${error.hint}`);
    throw error;
  }
}
