import * as fs from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import { createDaemon, type AccountEntry, type Daemon } from '../../../service/daemon/daemon.ts';
import {
  createManifestSource,
  type ManifestSource,
} from '../../../service/daemon/manifest/manifest-source.ts';
import { createOwnership, readInTurn, readTogether } from '../../../service/daemon/manifest/ownership.ts';
import { watchFiles } from '../../../service/daemon/manifest/watch.ts';
import { openAccountLoop, type AccountOptions } from '../../../service/account/open-loop.ts';
import { createTurns } from '../../../service/daemon/scheduler.ts';
import { openReports, type ReportOptions } from '../../../service/reports.ts';
import { accountEntries } from '../../accounts/accounts.ts';
import type { Context } from '../../context.ts';
import { commandFailure } from '../../exit.ts';
import { requireDomain } from '../../input/arguments.ts';
import { loadOptions } from '../../input/manifest/desired.ts';
import { referenceReader } from '../../input/references/references.ts';
import { readCommit } from '../../origin.ts';
import type { ManifestSettings, Settings } from '../../settings/resolve-settings.ts';
import { openHost } from './open-host.ts';
import type { RunSettings } from './run-options.ts';

/** Pause between two sweeps that are due at once: a sweep of a small account takes some milliseconds of one core. */
const TURN_MS = 10;
/** The most manifests that are read at once. */
const MOST_READS = 8;

/** Keeps the accounts of manifests in sync, and serves how they are, until the signal is aborted. */
export async function serveDaemon(
  context: Context,
  settings: Settings,
  run: RunSettings,
  reporting: ReportOptions,
): Promise<void> {
  let refreshPages = (): void => undefined;
  const reports = openReports(context, reporting, { statuses: () => daemon.statuses() });
  const daemon = openDaemon(context, settings, run, {
    ...reporting,
    emit(event) {
      reports.emit(event);
      if (event.kind !== 'request') refreshPages();
    },
  });
  context.onHangUp?.(() => daemon.resync());
  const status = reports.serveStatus(daemon, (refresh) => {
    refreshPages = refresh;
  });
  await Promise.all([daemon.run(), status]);
}

interface DaemonWiring extends Pick<ReportOptions, 'concealer' | 'commands'> {
  readonly emit: (event: DaemonEvent) => void;
}

function openDaemon(
  context: Context,
  settings: Settings,
  run: RunSettings,
  { emit, concealer, commands }: DaemonWiring,
): Daemon {
  const { clock, signal, cwd } = context;
  const { manifest } = settings;
  const directory = manifest.accounts;
  const host = openHost(context, settings, concealer);
  const inTurn = readInTurn(MOST_READS);
  const options: AccountOptions = {
    ...run,
    domains:
      manifest.domains === null
        ? null
        : new Set(manifest.domains.map((name) => requireDomain(name, '--domain'))),
    mask: context.mask,
    many:
      directory === null
        ? null
        : { ownership: createOwnership(), turn: createTurns(TURN_MS), together: readTogether(signal) },
  };
  return createDaemon({
    clock,
    signal,
    emit,
    async listAccounts() {
      if (directory === null) return [{ name: 'default', paths: manifest.paths }];
      return accountEntries(context, manifest, directory);
    },
    openLoop: (entry) =>
      openAccountLoop(host, entry, options, {
        source: inTurn(openSource(context, manifest, entry)),
        emit,
        command: commands.of(entry.name),
        readCommit: () => readCommit(context, entry.paths),
        giveUp: directory === null ? endDaemon : undefined,
      }),
    watched: (entries) =>
      [...(directory === null ? [] : [directory]), ...entries.flatMap(({ paths }) => paths)]
        .filter((path) => path !== '-')
        .map((path) => resolve(cwd, path)),
    watch: watchFiles,
  });
}

function openSource(context: Context, manifest: ManifestSettings, { paths }: AccountEntry): ManifestSource {
  const { stdin, cwd, clock } = context;
  const owner = manifest.accounts === null ? 'sole' : 'member';
  return createManifestSource({
    paths,
    fs,
    stdin,
    cwd,
    leaveOut: manifest.stateDirectory,
    clock,
    load: loadOptions(context, { ...manifest, owner }, 'required'),
    readReferences: referenceReader(context),
  });
}

function endDaemon(message: string): never {
  throw commandFailure(message, 'give --drift-url the base URL of v3 of the same service');
}
