import type { FullClient } from '../../../client/create.ts';
import { errorText } from '../../../client/errors.ts';
import type { FollowedAccount } from './followed-account.ts';
import { createFollower, type Follower } from './follower.ts';
import { readLost, type PastByDomain } from '../past.ts';
import { safeTextWith } from '../safe-text.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { Disclosure } from '../../../core/model/destinations.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import type { Host } from '../../account/host.ts';
import type { ManifestSource } from '../../daemon/manifest/manifest-source.ts';
import type { StateStore } from '../../../engine/state/store.ts';
import { disclosing } from '../../conceal/disclosing.ts';

/** The account as it can be reached at a moment. */
export interface ReachedAccount {
  readonly client: FullClient;
  readonly openState: (account: string) => StateStore;
}

export interface FollowDeliveryPorts {
  readonly name: string;
  readonly access: (desired: Desired) => Promise<Result<ReachedAccount, string>>;
  readonly emit: (event: DaemonEvent) => void;
  readonly mask: Disclosure['mask'];
}

/** Follows the logs of an account by the manifest that its source gave last. */
export function followDelivery(
  host: Pick<Host, 'clock' | 'signal' | 'rest'>,
  source: ManifestSource,
  { name, access, emit, mask }: FollowDeliveryPorts,
): { readonly source: ManifestSource; readonly follower: Follower } {
  const { clock, signal } = host;
  let desired: Desired | null = null;
  let opened: {
    readonly by: FullClient;
    readonly desired: Desired;
    readonly account: FollowedAccount;
  } | null = null;
  const follower = createFollower({
    clock,
    signal,
    desired: () => desired,
    async open(current) {
      const reached = await access(current);
      if (!reached.ok) return reached;
      if (opened?.by === reached.value.client && opened.desired === current) return succeed(opened.account);
      const account = await openFollowed(host, reached.value, current, mask);
      if (account.ok) opened = { by: reached.value.client, desired: current, account: account.value };
      return account;
    },
    onTrouble: (what, trouble) => emit({ account: name, kind: `delivery-${what}`, trouble }),
  });
  return {
    follower,
    source: {
      async read() {
        const read = await source.read();
        if (read?.kind === 'good') desired = read.desired;
        return read;
      },
    },
  };
}

/** Time between two reads of the history. Names are lost rarely, and the history may be long. */
const HISTORY_MS = 3_600_000;

async function openFollowed(
  { clock, rest }: Pick<Host, 'clock' | 'rest'>,
  { client: urgent, openState }: ReachedAccount,
  { references }: Desired,
  mask: Disclosure['mask'],
): Promise<Result<FollowedAccount, string>> {
  const client = urgent.withUrgency('background');
  const account = await client.getAccount();
  if (!account.ok) return fail(errorText(account.error));
  const store = openState(account.value.email);
  const { delivery: memories, history } = store;
  const safe = safeTextWith(disclosing({ references, mask }, await store.openReferences()));
  let read: { readonly at: number; readonly past: Promise<PastByDomain> } | null = null;
  return succeed({
    client,
    memories,
    safe,
    rest,
    history,
    references,
    lostNames() {
      if (read === null || clock.monotonic() - read.at > HISTORY_MS)
        read = { at: clock.monotonic(), past: readLost(history) };
      return read.past;
    },
  });
}
