import type { FullClient } from '../../client/create.ts';
import type { Desired, DesiredApi } from '../../core/model/desired.ts';
import type { Disclosure, References } from '../../core/model/destinations.ts';
import type { Problem } from '../../core/model/manifest/problem.ts';
import type { PlanOptionsDocument } from '../../core/plan/document/document.ts';
import type { Planned, PlanPorts, PlanRequest } from '../../engine/plan-once.ts';
import { resolveSnapshot } from '../../engine/apply/memory/snapshot-references.ts';
import { connectShown } from './connect.ts';
import type { Context } from '../context.ts';
import { readValid, type ReadOptions, type ValidDesired } from './manifest/desired.ts';
import { commandLine } from '../output/command-lines.ts';
import { planOptions } from './plan-options.ts';
import { createPolicy, type RunStance } from './run-policy.ts';
import type { ManifestCounts } from '../../core/manifest/load.ts';
import { requestsHeadway } from '../output/progress/headway.ts';
import type { RunProgress } from '../output/progress/run-progress.ts';
import { listingsOf } from '../../core/plan/requests/reads.ts';
import type { Connection } from '../../client/connection.ts';
import { resolveConnection } from '../settings/connection.ts';
import type { Allowances } from '../settings/flags.ts';
import type { Settings, StateSettings } from '../settings/resolve-settings.ts';
import { referenceValue } from './references/references.ts';
import { namesSnapshots, openStates } from './state/open-states.ts';

/** Input of a command that plans: the manifest, the account, and the policy. */
export interface Session {
  readonly client: FullClient;
  readonly connection: Connection;
  /** The address and key that the manifest states. */
  readonly api: DesiredApi;
  /** Time before the first request, in epoch milliseconds. */
  readonly openedAt: number;
  readonly request: PlanRequest;
  readonly ports: PlanPorts;
  readonly disclosure: Disclosure;
  /** Number of entries in the manifest, by kind. */
  readonly counts: ManifestCounts;
  readonly problems: readonly Problem[];
  /** Options as written into the plan's document. */
  readonly options: PlanOptionsDocument;
  readonly progress: RunProgress;
  /** Number of domains that `--quick` left out; absent without it. */
  readonly skipped?: number;
}

export interface SessionOptions {
  /** Name of the command, shown to others that wait for the lock. */
  readonly command: 'plan' | 'apply' | 'run' | 'undo' | 'move';
  readonly mode: 'read-only' | 'read-write';
  readonly stance: Pick<RunStance, 'accountRequired' | 'domainDeletes'>;
  /** The domains to read: all of the manifest's, which is the default, or some. */
  readonly reads?: 'all' | 'some';
  /** The handling of a `--domain` that the manifest does not name. Default: refused. */
  readonly unnamed?: ReadOptions['unnamed'];
  /** The handling of a valid manifest's warnings. Default: printed. */
  readonly warnings?: 'printed' | 'silent';
  readonly allowances?: Allowances;
  /**
   * Values that references have at the revision of `--against`. They are concealed if the manifest now writes them
   * out.
   */
  readonly concealed?: References | undefined;
}

/** Returns what may be shown after the account was read. */
export function disclosureFor({ disclosure }: Session, { references }: Planned): Disclosure {
  return { ...disclosure, references };
}

/** Reads the manifest and prepares the client. Sends no request. The caller must close the client. */
export async function openSession(
  context: Context,
  settings: Settings,
  how: SessionOptions,
): Promise<Session> {
  const { manifest } = settings;
  const isSnapshot = namesSnapshots(context, manifest);
  const { allowances = {} } = how;
  const read = await readValid(context, manifest, {
    references: 'required',
    unnamed: how.unnamed ?? 'refused',
    warnings: isSnapshot ? 'silent' : (how.warnings ?? 'printed'),
  });
  const { desired, size, counts, problems } = read;
  const connection = await resolveConnection(context, settings, desired.api);
  const opened = await connectSession(context, settings.state, { ...how, connection, desired });
  const stance = {
    ...how.stance,
    account: connection.account,
    now: opened.openedAt,
    command: commandLine(context, desired.api),
  };
  return {
    ...opened,
    api: desired.api,
    request: {
      desired,
      manifestSize: size,
      domains: manifest.domains === null ? undefined : [...desired.domains.keys()],
      policy: createPolicy(desired, allowances, stance),
      concealed: how.concealed,
      ...(isSnapshot ? requestOfSnapshot(read) : {}),
    },
    counts,
    problems,
    disclosure: { references: desired.references, mask: context.mask },
    options: planOptions(context, manifest, allowances),
  };
}

/** Returns the request for a plan of a snapshot. It does not bring back a value that a reference has gained since. */
function requestOfSnapshot({
  desired,
  texts,
}: ValidDesired): Pick<PlanRequest, 'manifestKind' | 'resolveDesired'> {
  const decoder = new TextDecoder();
  const parts = texts.map(({ text }) => (typeof text === 'string' ? text : decoder.decode(text)));
  return {
    manifestKind: 'generated',
    resolveDesired: (read) => resolveSnapshot(parts.join('\n'), desired, read),
  };
}

/** Opens the connection, the state and the progress bar; independent of where the manifest comes from. */
export async function connectSession(
  context: Context,
  state: StateSettings,
  {
    connection,
    desired,
    ...how
  }: Pick<SessionOptions, 'command' | 'mode' | 'reads'> & {
    readonly connection: Connection;
    readonly desired: Desired;
  },
): Promise<Pick<Session, 'client' | 'connection' | 'openedAt' | 'ports' | 'progress'>> {
  const openState = await openStates(context, state, how.command);
  const { client, progress } = connectShown(context, connection, how.mode);
  progress.follow(
    requestsHeadway(context, client, {
      label: 'reading',
      end: how.mode === 'read-write' ? ' to read' : undefined,
      foreseen: how.reads === 'some' ? undefined : listingsOf(desired, client.version),
    }),
  );
  return {
    client,
    connection,
    openedAt: context.clock.now(),
    ports: {
      client,
      clock: context.clock,
      openState: (account) => openState(connection, account),
      resolvePassword: (reference) => referenceValue(context, reference),
    },
    progress,
  };
}
