import type { Client } from '../../../client/client.ts';
import type { AccountToRun, OpenAccount } from '../../../service/fleet/account-job.ts';
import type { ReadReferences } from '../../../core/manifest/load.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import { keepBudgets, restoreBudgets, type KeptBudgets } from '../../../core/rate-limit/kept-budgets.ts';
import { loadTexts } from '../../../service/daemon/manifest/manifest-source.ts';
import type { Database } from '../../../engine/state/postgres/database.ts';
import type { Context } from '../../context.ts';
import { loadOptions } from '../../input/manifest/desired.ts';
import { referenceReader } from '../../input/references/references.ts';
import type { Commands } from '../../output/command-lines.ts';
import { requestEvent } from '../../output/log/event-log.ts';
import type { CommonOptions } from '../../settings.ts';
import type { Concealer } from './conceal.ts';
import { createAccess, runPorts } from './open-account.ts';
import { reservePublishedKeys } from '../../input/references/stored-keys.ts';

export interface FleetAccountOptions {
  readonly common: CommonOptions;
  readonly mode: 'apply' | 'observe';
}

export interface FleetAccountPorts {
  readonly emit: (event: DaemonEvent) => void;
  readonly concealer: Concealer;
  readonly commands: Commands;
  readonly database: Database;
}

function fleetReferences(context: Context, database: Database): ReadReferences {
  return async (needed) => {
    await reservePublishedKeys(context, database, needed.others);
    return referenceReader(context)(needed);
  };
}

/** Keeps of a manifest what is hidden, and what commands about its account need. */
function noteManifest(
  email: string,
  { references, api }: Desired,
  { concealer, commands }: Pick<FleetAccountPorts, 'concealer' | 'commands'>,
): void {
  concealer.addReferences(references);
  commands.learn(email, api);
}

function fleetRunPorts(
  context: Context,
  database: Database,
  onSecret: (value: string) => void,
): ReturnType<typeof runPorts> {
  const ports = runPorts(context, onSecret);
  return {
    ...ports,
    async resolvePassword(reference) {
      await reservePublishedKeys(context, database, [reference]);
      return ports.resolvePassword(reference);
    },
  };
}

/** A published account with what this machine brings to one run of it: the values of its references, its key, its connections. */
export function openFleetAccount(
  context: Context,
  { common, mode }: FleetAccountOptions,
  account: AccountToRun,
  { emit, concealer, database, commands }: FleetAccountPorts,
): OpenAccount {
  const { email, revision, signal } = account;
  const own: Context = { ...context, signal };
  const options = { ...common, account: email };
  const onSecret = (value: string): void => concealer.addSecret(value);
  const moment = () => ({ now: context.clock.now(), monotonic: context.clock.monotonic() });
  const kept = account.budgets as KeptBudgets | null;
  const open = createAccess(
    own,
    { common: options, mode, driftUrl: null },
    {
      onSecret,
      onRequest: (event) => emit(requestEvent(email, event)),
      command: (api) => commands.about(email, api),
      ...(kept === null ? {} : { budgets: restoreBudgets(kept, moment(), account.usedMsAgo) }),
    },
  );
  let client: Client | null = null;
  return {
    async read() {
      // Each account has its own key; whose it is, the store says.
      const load = {
        ...loadOptions(own, options, { references: 'required', accounts: 'many' }),
        required: ['key'] as const,
      };
      const read = await loadTexts(revision.texts, { load, readReferences: fleetReferences(own, database) });
      if (read.kind === 'good') noteManifest(email, read.desired, { concealer, commands });
      return read;
    },
    ports: {
      ...fleetRunPorts(own, database, onSecret),
      readCommit: () => Promise.resolve(revision.commit),
      async access(desired) {
        const access = await open(desired);
        if (access.ok) client = access.value.client;
        return access;
      },
    },
    budgets: () => (client === null ? kept : keepBudgets(client.knownBudgets(), moment())),
    command: commands.of(email),
    conceal: (text) => concealer.conceal(text),
    close: async () => client?.close(),
  };
}
