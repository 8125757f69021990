import type { LoadOptions } from '../../core/manifest/load.ts';
import type { DaemonEvent } from '../../core/model/status/daemon.ts';
import { keepBudgets, restoreBudgets, type KeptBudgets } from '../../core/rate-limit/kept-budgets.ts';
import type { Concealer } from '../conceal/concealer.ts';
import type { Commands } from '../reports.ts';
import { createAccess } from '../account/access.ts';
import type { Access } from '../daemon/account-run.ts';
import { loadTexts } from '../daemon/manifest/manifest-source.ts';
import { runPorts, type Host } from '../account/host.ts';
import type { AccountToRun, OpenAccount } from './account-job.ts';

export interface FleetAccountOptions {
  readonly mode: 'apply' | 'observe';
  /** Options with which the published manifest is loaded here. */
  readonly load: Omit<LoadOptions, 'resolve'>;
}

export interface FleetAccountPorts {
  readonly emit: (event: DaemonEvent) => void;
  readonly concealer: Concealer;
  readonly commands: Pick<Commands, 'learn' | 'of'>;
}

/** Opens a published account with what this machine brings to one run of it: values of its references, its key, its connections. */
export function openFleetAccount(
  host: Host,
  { mode, load }: FleetAccountOptions,
  { email, revision, budgets, usedMsAgo }: AccountToRun,
  { emit, concealer, commands }: FleetAccountPorts,
): OpenAccount {
  const { clock, readReferences } = host;
  const moment = () => ({ now: clock.now(), monotonic: clock.monotonic() });
  const command = commands.of(email);
  const kept = budgets as KeptBudgets | null;
  const open = createAccess(host, {
    name: email,
    mode,
    driftUrl: null,
    emit,
    command,
    ...(kept === null ? {} : { budgets: restoreBudgets(kept, moment(), usedMsAgo) }),
  });
  let client: Access['client'] | null = null;
  return {
    async read() {
      const read = await loadTexts(revision.texts, { load, readReferences });
      if (read.kind !== 'good') return read;
      concealer.addReferences(read.desired.references);
      commands.learn(email, read.desired.api);
      return read;
    },
    ports: {
      ...runPorts(host),
      readCommit: () => Promise.resolve(revision.commit),
      async access(desired) {
        const access = await open(desired);
        if (access.ok) client = access.value.client;
        return access;
      },
    },
    budgets: () => (client === null ? kept : keepBudgets(client.knownBudgets(), moment())),
    command,
    conceal: (text) => concealer.conceal(text),
    close: async () => client?.close(),
  };
}
