import type { RequestEvent } from '../../../api/http/call.ts';
import type { Client } from '../../../api/client.ts';
import type { StateStore } from '../../../state/store.ts';
import type { Desired } from '../../../model/desired.ts';
import { fail, succeed, type Result } from '../../../model/result.ts';
import type { Access } from '../../../reconcile/daemon/account-run.ts';
import { connect } from '../../input/connect.ts';
import type { Context } from '../../context.ts';
import { CommandError } from '../../exit.ts';
import { createPolicy } from '../../input/policy.ts';
import { resolveConnection, type CommonOptions, type Connection } from '../../settings.ts';
import { openState } from '../../input/state.ts';

export interface AccessOptions {
  readonly common: CommonOptions;
  readonly mode: 'apply' | 'observe';
}

export interface AccessPorts {
  readonly onRequest: (event: RequestEvent) => void;
  /** A value came up that must not be seen. */
  readonly onSecret: (value: string) => void;
}

/**
 * Address and key as they are at the moment of asking: a key file may be replaced while the daemon runs. One client is
 * kept for as long as they are the same, and with it what is known of the budgets; another key may be another account.
 */
export function createAccess(
  context: Context,
  options: AccessOptions,
  { onRequest, onSecret }: AccessPorts,
): (desired: Desired) => Promise<Result<Access, string>> {
  let current: Connected | null = null;
  return async (desired) => {
    try {
      const connection = await resolveConnection(options.common, desired.api, context);
      if (current === null || !isSame(current.connection, connection)) {
        onSecret(connection.key);
        const before = current;
        current = connectAnew(context, options, connection, onRequest);
        void before?.client.close();
      }
      return succeed(accessOf(context, desired, current));
    } catch (error) {
      if (error instanceof CommandError) return fail(`${error.message}; ${error.hint}`);
      throw error;
    }
  };
}

interface Connected {
  readonly connection: Connection;
  readonly client: Client;
  readonly openState: (account: string) => StateStore;
}

function connectAnew(
  context: Context,
  { common, mode }: AccessOptions,
  connection: Connection,
  onRequest: (event: RequestEvent) => void,
): Connected {
  const states = new Map<string, StateStore>();
  return {
    connection,
    client: connect(context, connection, mode === 'apply' ? 'read-write' : 'read-only', onRequest),
    openState(account) {
      const state = states.get(account) ?? openState(context, common, connection, account, 'run');
      states.set(account, state);
      return state;
    },
  };
}

function accessOf(
  context: Context,
  desired: Desired,
  { connection, client, openState: open }: Connected,
): Access {
  const stance = {
    account: connection.account,
    accountRequired: true,
    domainDeletes: 'never',
    now: context.clock.now(),
  } as const;
  return { client, policy: createPolicy(desired, {}, stance), openState: open };
}

/** The address and the key; the stated account is checked in each plan. */
function isSame(a: Connection, b: Connection): boolean {
  return a.url === b.url && a.version === b.version && a.key === b.key;
}
