import type { Connection } from '../../client/connection.ts';
import type { ClientOptions, FullClient } from '../../client/create.ts';
import type { ReadReferences } from '../../core/manifest/load.ts';
import type { Clock } from '../../core/model/clock.ts';
import type { DesiredApi } from '../../core/model/desired.ts';
import type { Result } from '../../core/model/result.ts';
import { createDriftLog } from '../../engine/drift-log.ts';
import type { StateStore } from '../../engine/state/store.ts';
import type { RunPorts } from '../daemon/account-run.ts';

/** The machine as the runs of an account use it; a failure is an error for people. */
export interface Host extends Pick<RunPorts, 'origin' | 'resolvePassword'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Lets other work of this process have a turn. */
  readonly rest: () => Promise<void>;
  readonly readReferences: ReadReferences;
  /** Resolves address and key as they are now: a file that holds the key may be replaced. */
  readonly resolveConnection: (api: DesiredApi) => Promise<Result<Connection, string>>;
  readonly connect: (
    connection: Connection,
    mode: ClientOptions['mode'],
    options: Pick<ClientOptions, 'onEvent' | 'budgets'>,
  ) => FullClient;
  readonly openStates: () => Promise<Result<OpenState, string>>;
}

/** Opens what earlier runs of an account left behind, by its email. */
export type OpenState = (connection: Pick<Connection, 'url'>, account: string) => StateStore;

/** Returns the ports of a run that do not depend on its manifest. */
export function runPorts({
  origin,
  resolvePassword,
}: Host): Pick<RunPorts, 'origin' | 'resolvePassword' | 'driftLog'> {
  return { origin, resolvePassword, driftLog: createDriftLog() };
}
