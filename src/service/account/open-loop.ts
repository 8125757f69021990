import type { DaemonEvent } from '../../core/model/status/daemon.ts';
import type { Disclosure } from '../../core/model/destinations.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { CommandLine } from '../../core/model/text/command-line.ts';
import { keepDomains } from '../../engine/domain-digests.ts';
import { followDelivery } from '../delivery/follow/follow-delivery.ts';
import type { Follower } from '../delivery/follow/follower.ts';
import { runPorts, type Host } from './host.ts';
import { createAccess } from './access.ts';
import { createAccountLoop, type AccountLoop, type LoopPorts } from '../daemon/account-loop.ts';
import { POLL_MS, type AccountEntry } from '../daemon/daemon.ts';
import type { ManifestSource } from '../daemon/manifest/manifest-source.ts';
import { exclusiveSource, type Ownership } from '../daemon/manifest/ownership.ts';
import type { Spread } from '../daemon/scheduler.ts';

export interface AccountOptions {
  readonly mode: 'apply' | 'observe';
  readonly intervalMs: number;
  /** Base URL of v3, to check domains; null means that all are read in full. */
  readonly driftUrl: string | null;
  readonly fullIntervalMs: number;
  /** True if the email logs are followed. */
  readonly delivery: boolean;
  /** The only domains of the manifests that are kept in sync; null means all. */
  readonly domains: ReadonlySet<DomainName> | null;
  readonly mask: Disclosure['mask'];
  /** Null means that there is one account. */
  readonly many: ManyAccounts | null;
}

/** Parts that the accounts of one process share. */
export interface ManyAccounts {
  readonly ownership: Ownership;
  /** Waits until the sweep may begin, if several are due at once. */
  readonly turn: Spread['turn'];
  /** The source, whose manifest is used once those of all others were read. */
  readonly together: (source: ManifestSource) => ManifestSource;
}

export interface AccountPorts extends Pick<LoopPorts, 'readCommit' | 'giveUp'> {
  /** Source of the account's manifest, read when it is its turn. */
  readonly source: ManifestSource;
  readonly emit: (event: DaemonEvent) => void;
  /** Completes the commands that status, hints and log name. */
  readonly command: CommandLine;
}

/** Opens the loop of one account on this machine. Its connections end with the process. */
export function openAccountLoop(
  host: Host,
  { name }: AccountEntry,
  options: AccountOptions,
  { source, emit, command, ...ports }: AccountPorts,
): AccountLoop {
  const { clock, random, signal } = host;
  const { mode, intervalMs, fullIntervalMs, driftUrl, mask, many, domains } = options;
  const own = domains === null ? source : narrowed(source, domains);
  const exclusive = many === null ? own : many.together(exclusiveSource(name, own, many.ownership));
  const access = createAccess(host, { name, mode, driftUrl, emit, command });
  const followed = options.delivery
    ? followDelivery(host, exclusive, { name, access, emit, mask })
    : { source: exclusive, follower: null };
  const spread = many === null ? undefined : { turn: many.turn, phaseMs: random() * intervalMs };
  const loop = createAccountLoop(
    { name, mode, intervalMs, fullIntervalMs, pollMs: POLL_MS, spread },
    {
      ...ports,
      clock,
      random,
      signal,
      ...runPorts(host),
      emit,
      command,
      source: followed.source,
      access,
    },
  );
  return followed.follower === null ? loop : withFollower(loop, followed.follower);
}

/** Runs both side by side; neither waits for the other. */
function withFollower(loop: AccountLoop, follower: Follower): AccountLoop {
  return {
    ...loop,
    async run() {
      await Promise.all([loop.run(), follower.run()]);
    },
    status: () => ({ ...loop.status(), delivery: follower.status() }),
  };
}

/** Narrows a manifest to the domains of `--domain`; one that it does not name makes it invalid. */
function narrowed(source: ManifestSource, wanted: ReadonlySet<DomainName>): ManifestSource {
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
