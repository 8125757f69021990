import type { Client } from '../../client/client.ts';
import type { Connection } from '../../client/connection.ts';
import type { ClientOptions, FullClient } from '../../client/create.ts';
import type { RequestEvent } from '../../client/http/call.ts';
import type { DaemonEvent } from '../../core/model/status/daemon.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { CommandLine } from '../../core/model/text/command-line.ts';
import { succeed, type Result } from '../../core/model/result.ts';
import { defaultPolicy } from '../../engine/apply-manifest.ts';
import type { StateStore } from '../../engine/state/store.ts';
import { requestEvent } from '../log/event-log.ts';
import type { ReachedAccount } from '../delivery/follow/follow-delivery.ts';
import type { Host, OpenState } from './host.ts';
import type { Access } from '../daemon/account-run.ts';

export interface AccessOptions {
  readonly mode: 'apply' | 'observe';
  /** Name of the account, in every event. */
  readonly name: string;
  /** Base URL of v3, to check domains; null means that all are read in full. */
  readonly driftUrl: string | null;
  /** Known limits of the first key. */
  readonly budgets?: ClientOptions['budgets'];
  readonly emit: (event: DaemonEvent) => void;
  /** Completes the commands that hints name. */
  readonly command: CommandLine;
}

/**
 * Creates the access to an account, with the current address and key at each call. One client is kept while both stay
 * the same, and so are its known budgets. Another key may mean another account.
 */
export function createAccess(
  host: Host,
  options: AccessOptions,
): (desired: Desired) => Promise<Result<Access & ReachedAccount, string>> {
  const { budgets, command } = options;
  let current: Connected | null = null;
  return async (desired) => {
    const resolved = await host.resolveConnection(desired.api);
    if (!resolved.ok) return resolved;
    const connection = resolved.value;
    if (current === null || !isSame(current.connection, connection)) {
      const states = await host.openStates();
      if (!states.ok) return states;
      void current?.client.close();
      void current?.drift?.close();
      const known = current === null && budgets !== undefined ? { budgets } : {};
      current = connectTo(host, connection, { ...options, known, openState: states.value });
    }
    const { client, drift, openState } = current;
    const { account } = connection;
    const policy = defaultPolicy(desired, { account, now: host.clock.now() });
    return succeed({ client, drift, policy: { ...policy, accountRequired: true, command }, openState });
  };
}

interface Connected {
  readonly connection: Connection;
  readonly client: FullClient;
  readonly drift: Client | undefined;
  readonly openState: (account: string) => StateStore;
}

function connectTo(
  host: Host,
  connection: Connection,
  {
    name,
    mode,
    driftUrl,
    emit,
    known,
    openState,
  }: AccessOptions & { readonly known: Pick<ClientOptions, 'budgets'>; readonly openState: OpenState },
): Connected {
  const onEvent = (event: RequestEvent): void => emit(requestEvent(name, event));
  const permission = mode === 'apply' ? 'read-write' : 'read-only';
  return {
    connection,
    client: host.connect(connection, permission, { onEvent, ...known }),
    drift:
      driftUrl === null
        ? undefined
        : host.connect({ ...connection, url: driftUrl, version: 'v3' }, 'read-only', { onEvent }),
    openState: onePerAccount((account) => openState(connection, account)),
  };
}

/** Keeps one store per account, which knows what it has written. */
function onePerAccount(open: (account: string) => StateStore): (account: string) => StateStore {
  const states = new Map<string, StateStore>();
  return (account) => {
    const state = states.get(account) ?? open(account);
    states.set(account, state);
    return state;
  };
}

/** Compares address and key; the account is checked in each plan. */
function isSame(a: Connection, b: Connection): boolean {
  return a.url === b.url && a.version === b.version && a.key === b.key;
}
