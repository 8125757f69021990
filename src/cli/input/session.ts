import type { Client } from '../../client/client.ts';
import type { Desired, DesiredApi } from '../../core/model/desired.ts';
import type { Disclosure } from '../../core/model/destinations.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Problem } from '../../core/model/manifest/problem.ts';
import type { PlanOptionsDocument } from '../../core/plan/document/document.ts';
import type { Planned, PlanPorts, PlanRequest } from '../../engine/plan-once.ts';
import { resolveSnapshot } from '../../engine/apply/memory/snapshot-references.ts';
import { connectShown } from './connect.ts';
import type { Context } from '../context.ts';
import { requireDesired, type ReadOptions, type RequiredDesired } from './manifest/desired.ts';
import { collectSyntax } from './heap.ts';
import { disclosureOf } from '../output/output.ts';
import { planOptions, type PlanFlags } from './plan-options.ts';
import { createPolicy, type RunStance } from './policy.ts';
import type { ManifestCounts } from '../../core/manifest/load.ts';
import { requestsHeadway } from '../output/progress/headway.ts';
import type { RunProgress } from '../output/progress/run-progress.ts';
import { listingsOf } from '../../core/plan/requests/reads.ts';
import { resolveConnection, type CommonOptions, type Connection } from '../settings.ts';
import { referenceValue } from './references/references.ts';
import { namesSnapshots, openStates } from './state/state.ts';

/** What a command that plans has in hand: the manifest, the account, and what to do with them. */
export interface Session {
  readonly client: Client;
  readonly connection: Connection;
  /** The address and key that the manifest states. */
  readonly api: DesiredApi;
  /** Before the first request, epoch milliseconds. */
  readonly openedAt: number;
  readonly request: PlanRequest;
  readonly ports: PlanPorts;
  readonly disclosure: Disclosure;
  /** Of the manifest. */
  readonly counts: ManifestCounts;
  readonly problems: readonly Problem[];
  /** As they are written into the plan's document. */
  readonly options: PlanOptionsDocument;
  readonly progress: RunProgress;
  /** Domains that `--quick` left out; absent without it. */
  readonly skipped?: number;
}

export interface SessionOptions {
  /** Names the command to whoever waits for the lock. */
  readonly command: 'plan' | 'apply' | 'run' | 'undo';
  readonly mode: 'read-only' | 'read-write';
  readonly stance: Pick<RunStance, 'accountRequired' | 'domainDeletes'>;
  /** Whether all of the manifest's domains are read; by default they are. */
  readonly reads?: 'all' | 'some';
  /** What of a `--domain` that the manifest does not name; by default it is refused. */
  readonly unnamed?: ReadOptions['unnamed'];
  /** Of a manifest that is valid; by default they are printed. */
  readonly warnings?: 'printed' | 'silent';
}

/** What may be shown once the account was read. */
export function disclosureFor({ disclosure }: Session, { references }: Planned): Disclosure {
  return { ...disclosure, references };
}

/** Reads the manifest and prepares the client; nothing is requested yet. The client is the caller's to close. */
export async function openSession(
  context: Context,
  options: PlanFlags,
  how: SessionOptions,
): Promise<Session> {
  const isSnapshot = namesSnapshots(context, options);
  const manifest = await requireDesired(context, options, {
    unnamed: how.unnamed ?? 'refused',
    warnings: isSnapshot ? 'silent' : (how.warnings ?? 'printed'),
  });
  collectSyntax(manifest.size.entries);
  const connection = await resolveConnection(options, manifest.desired.api, context);
  const opened = await connectSession(context, options, { ...how, connection, desired: manifest.desired });
  return {
    ...opened,
    api: manifest.desired.api,
    request: {
      ...requestOf(manifest, options, { connection, stance: how.stance, now: opened.openedAt }),
      ...(isSnapshot ? requestOfSnapshot(manifest) : {}),
    },
    counts: manifest.counts,
    problems: manifest.problems,
    disclosure: disclosureOf(manifest.desired, options, context),
    options: planOptions(context, options),
  };
}

/** Returns what a plan of a snapshot does otherwise: it brings back no value that a reference has got since. */
function requestOfSnapshot({
  desired,
  texts,
}: RequiredDesired): Pick<PlanRequest, 'manifestKind' | 'resolveDesired'> {
  const decoder = new TextDecoder();
  const parts = texts.map(({ text }) => (typeof text === 'string' ? text : decoder.decode(text)));
  return {
    manifestKind: 'generated',
    resolveDesired: (read) => resolveSnapshot(parts.join('\n'), desired, read),
  };
}

/** What does not depend on where that comes from which is wanted. */
export async function connectSession(
  context: Context,
  options: CommonOptions,
  {
    connection,
    desired,
    ...how
  }: Pick<SessionOptions, 'command' | 'mode' | 'reads'> & {
    readonly connection: Connection;
    readonly desired: Desired;
  },
): Promise<Pick<Session, 'client' | 'connection' | 'openedAt' | 'ports' | 'progress'>> {
  const openState = await openStates(context, options, how.command);
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

function requestOf(
  { desired, size }: RequiredDesired,
  options: PlanFlags,
  {
    connection,
    stance,
    now,
  }: { readonly connection: Connection; readonly stance: SessionOptions['stance']; readonly now: number },
): PlanRequest {
  const domains: readonly DomainName[] | undefined =
    options.domain === undefined ? undefined : [...desired.domains.keys()];
  const policy = createPolicy(desired, options, { ...stance, account: connection.account, now });
  return { desired, manifestSize: size, domains, policy, concealed: options.concealed };
}
