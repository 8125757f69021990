import * as fs from 'node:fs/promises';
import type { Client } from '../../../client/client.ts';
import type { ClientOptions, FullClient } from '../../../client/create.ts';
import type { Follower } from '../../../service/delivery/follow/follower.ts';
import type { RequestEvent } from '../../../client/http/call.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import type { Desired } from '../../../core/model/desired.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import { createAccountLoop, type AccountLoop } from '../../../service/daemon/account-loop.ts';
import type { Access, RunPorts } from '../../../service/daemon/account-run.ts';
import { exclusiveSource, type Ownership } from '../../../service/daemon/manifest/ownership.ts';
import type { Spread } from '../../../service/daemon/scheduler.ts';
import { POLL_MS, type AccountEntry } from '../../../service/daemon/daemon.ts';
import { createDriftLog } from '../../../engine/drift-log.ts';
import { keepDomains } from '../../../engine/domain-digests.ts';
import {
  createManifestSource,
  type ManifestSource,
} from '../../../service/daemon/manifest/manifest-source.ts';
import { requireDomain } from '../../input/arguments.ts';
import { maskOf } from '../../output/output.ts';
import { followDelivery, type ReachedAccount } from './follow-delivery.ts';
import { requestEvent } from '../../output/log/event-log.ts';
import type { StateStore } from '../../../engine/state/store.ts';
import type { Context } from '../../context.ts';
import { CommandError, commandFailure } from '../../exit.ts';
import { connect } from '../../input/connect.ts';
import { readCommit, runOrigin } from '../../origin.ts';
import { createPolicy } from '../../input/policy.ts';
import { openStates } from '../../input/state/state.ts';
import { loadOptions } from '../../input/manifest/desired.ts';
import { referenceValue, referenceReader } from '../../input/references/references.ts';
import {
  resolveConnection,
  resolveStateDirectory,
  type CommonOptions,
  type Connection,
} from '../../settings.ts';

export interface AccountRunOptions {
  readonly common: CommonOptions;
  readonly mode: 'apply' | 'observe';
  readonly intervalMs: number;
  /** Of v3, to check domains; null: all are read in full. */
  readonly driftUrl: string | null;
  readonly fullIntervalMs: number;
  /** Whether the email logs are followed. */
  readonly delivery: boolean;
  /** Whether there are many accounts: then each has to name its own, with its own key. */
  readonly accounts: 'one' | 'many';
  /** When sweeps of many accounts that are due at once begin. */
  readonly turn: Spread['turn'];
  /** The source, read when it is its turn. */
  readonly inTurn: (source: ManifestSource) => ManifestSource;
  /** Of many accounts: the source, whose manifest is used once those of all others were read. */
  readonly together: (source: ManifestSource) => ManifestSource;
}

export interface AccountRunPorts {
  readonly ownership: Ownership;
  readonly emit: (event: DaemonEvent) => void;
  /** A value came up that must not be seen. */
  readonly onSecret: (value: string) => void;
  readonly command: (words: string) => string;
}

/** The loop of one account with all that it needs of this machine. Its connections end with the process. */
export function openAccountLoop(
  context: Context,
  entry: AccountEntry,
  options: AccountRunOptions,
  { ownership, emit, onSecret, command }: AccountRunPorts,
): AccountLoop {
  const { clock, random, signal } = context;
  const { name } = entry;
  const { mode, intervalMs, fullIntervalMs, turn } = options;
  const spread = options.accounts === 'many' ? { turn, phaseMs: random() * intervalMs } : undefined;
  const narrow = narrowed(options.inTurn(openSource(context, entry, options)), options.common.domain);
  const exclusive =
    options.accounts === 'many' ? options.together(exclusiveSource(name, narrow, ownership)) : narrow;
  const access = createAccess(context, options, {
    onSecret,
    onRequest: (event) => emit(requestEvent(name, event)),
  });
  const mask = maskOf(options.common, context);
  const followed = options.delivery
    ? followDelivery(context, exclusive, { name, access, emit, mask })
    : { source: exclusive, follower: null };
  const loop = createAccountLoop(
    { name, mode, intervalMs, fullIntervalMs, pollMs: POLL_MS, spread },
    {
      clock,
      random,
      signal,
      ...runPorts(context, onSecret),
      readCommit: () => readCommit(context, entry.paths),
      emit,
      command,
      giveUp: options.accounts === 'one' ? endDaemon : undefined,
      source: followed.source,
      access,
    },
  );
  return followed.follower === null ? loop : withFollower(loop, followed.follower);
}

function endDaemon(message: string): never {
  throw commandFailure(message, 'give --drift-url the base URL of v3 of the same service');
}

/** What the runs of an account need of this machine, whatever their manifest. */
export function runPorts(
  context: Context,
  onSecret: AccountRunPorts['onSecret'],
): Pick<RunPorts, 'driftLog' | 'origin' | 'resolvePassword'> {
  return {
    driftLog: createDriftLog(),
    origin: runOrigin(context, 'run'),
    async resolvePassword(reference) {
      const password = await referenceValue(context, reference);
      if (typeof password === 'string') onSecret(password);
      return password;
    },
  };
}

/** Both run side by side, and neither waits for the other. */
function withFollower(loop: AccountLoop, follower: Follower): AccountLoop {
  return {
    ...loop,
    async run() {
      await Promise.all([loop.run(), follower.run()]);
    },
    status: () => ({ ...loop.status(), delivery: follower.status() }),
  };
}

function openSource(
  context: Context,
  entry: AccountEntry,
  { common, accounts }: AccountRunOptions,
): ManifestSource {
  return createManifestSource({
    paths: entry.paths,
    fs,
    stdin: context.stdin,
    cwd: context.cwd,
    leaveOut: resolveStateDirectory(common, context),
    clock: context.clock,
    load: loadOptions(context, common, { references: 'required', accounts }),
    readReferences: referenceReader(context),
  });
}

/** The part of a manifest that `--domain` is about; one that the manifest does not name makes it invalid. */
function narrowed(source: ManifestSource, names: readonly string[] | undefined): ManifestSource {
  if (names === undefined) return source;
  const wanted = new Set(names.map((name) => requireDomain(name, '--domain')));
  return {
    async read() {
      const read = await source.read();
      if (read?.kind !== 'good') return read;
      const missing = [...wanted].filter((name) => !read.desired.domains.has(name));
      if (missing.length === 0)
        return { ...read, desired: keepDomains(read.desired, (name) => wanted.has(name)) };
      return {
        kind: 'bad',
        message: `the manifest does not name ${missing.join(', ')} of --domain`,
        problems: [],
      };
    },
  };
}

interface AccessPorts extends Pick<AccountRunPorts, 'onSecret'> {
  readonly onRequest: (event: RequestEvent) => void;
  /** What is known of the limits of the first key; absent: nothing. */
  readonly budgets?: ClientOptions['budgets'];
}

/**
 * Address and key as they are at each call: a key file may be replaced while the daemon runs. One client is kept for as
 * long as they are the same, and with it what is known of the budgets; another key may be another account.
 */
export function createAccess(
  context: Context,
  { common, mode, driftUrl }: Pick<AccountRunOptions, 'common' | 'mode' | 'driftUrl'>,
  { onRequest, onSecret, budgets }: AccessPorts,
): (desired: Desired) => Promise<Result<Access & ReachedAccount, string>> {
  const permission = mode === 'apply' ? 'read-write' : 'read-only';
  let current: Connected | null = null;
  return async (desired) => {
    try {
      const connection = await resolveConnection(common, desired.api, context);
      if (current === null || !isSame(current.connection, connection)) {
        onSecret(connection.key);
        void current?.client.close();
        void current?.drift?.close();
        const client = connect(context, connection, permission, {
          onEvent: onRequest,
          budgets: current === null ? budgets : undefined,
        });
        const drift =
          driftUrl === null
            ? undefined
            : connect(context, { ...connection, url: driftUrl, version: 'v3' }, 'read-only', {
                onEvent: onRequest,
              });
        const openState = await stateOpener(context, common, connection);
        current = { connection, client, drift, openState };
      }
      const { account } = connection;
      const stance = {
        account,
        accountRequired: true,
        domainDeletes: 'never',
        now: context.clock.now(),
      } as const;
      const { client, drift, openState: open } = current;
      return succeed({ client, drift, policy: createPolicy(desired, {}, stance), openState: open });
    } catch (error) {
      if (error instanceof CommandError) return fail(`${error.message}; ${error.hint}`);
      throw error;
    }
  };
}

interface Connected {
  readonly connection: Connection;
  readonly client: FullClient;
  readonly drift: Client | undefined;
  readonly openState: (account: string) => StateStore;
}

/** One store per account, which knows what it has written. */
async function stateOpener(
  context: Context,
  common: CommonOptions,
  connection: Connection,
): Promise<Connected['openState']> {
  const openState = await openStates(context, common, 'run');
  const states = new Map<string, StateStore>();
  return (account) => {
    const state = states.get(account) ?? openState(connection, account);
    states.set(account, state);
    return state;
  };
}

/** The address and the key; the account is checked in each plan. */
function isSame(a: Connection, b: Connection): boolean {
  return a.url === b.url && a.version === b.version && a.key === b.key;
}
