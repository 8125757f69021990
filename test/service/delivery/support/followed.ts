import { randomUUID } from 'node:crypto';
import { createClient, type FullClient } from '../../../../src/client/create.ts';
import { createFollower, type Follower } from '../../../../src/service/delivery/follow/follower.ts';
import { safeTextWith } from '../../../../src/service/delivery/safe-text.ts';
import { deliverMessage, type Message } from '../../../../src/emulator/delivery/delivery.ts';
import {
  createEmulator,
  type EmulatorCore,
  type EmulatorOptions,
} from '../../../../src/emulator/emulator.ts';
import type { Seed } from '../../../../src/emulator/account/seed.ts';
import type { DeliveryTrouble, FollowedStatus } from '../../../../src/core/model/status/daemon.ts';
import type { Desired } from '../../../../src/core/model/desired.ts';
import { DISCLOSE_ALL } from '../../../../src/core/model/destinations.ts';
import type { ApiVersion } from '../../../../src/core/model/endpoints.ts';
import { succeed } from '../../../../src/core/model/result.ts';
import type { DomainMemories } from '../../../../src/engine/state/store.ts';
import { virtualClock, type VirtualClock } from '../../../support/clock.ts';
import { inProcess, type Line } from '../../../support/in-process.ts';
import { desiredOf } from '../../../core/manifest/support/loading.ts';

const KEY = 'key-of-the-follower';
const OWNER = 'owner@account.example';

export interface FollowedWorld {
  readonly clock: VirtualClock;
  readonly emulator: EmulatorCore;
  readonly told: readonly (readonly [what: 'failing' | 'recovered', trouble: DeliveryTrouble])[];
  desired: Desired;
  /** Memory of a domain, as stored. */
  readonly kept: Map<string, string>;
  deliver(message: Partial<Message> & { readonly to: string }): void;
  /** Starts a new process, as after a restart. `die` aborts it, so that it sends nothing more. */
  start(line?: Line, die?: AbortController): { readonly follower: Follower; readonly client: FullClient };
  /** Runs a process that is killed before the answer to its n-th request arrives. */
  startKilled(nth: number): void;
  /** Follows for this time and stops. */
  follow(milliseconds: number, line?: Line): Promise<ReadonlyMap<string, FollowedStatus>>;
}

export interface FollowedOptions {
  readonly manifest: string;
  readonly seed: Seed;
  readonly version?: ApiVersion;
  readonly emulator?: Partial<EmulatorOptions>;
}

/** An emulated account, a state directory, and a follower of the logs, in virtual time. */
export function followedWorld(options: FollowedOptions): FollowedWorld {
  const { seed, version = 'v4' } = options;
  const clock = virtualClock();
  const emulator = createEmulator({
    apiKey: KEY,
    plan: 'paid',
    randomId: randomUUID,
    journalSize: 1_000_000,
    ...options.emulator,
    state: { ...seed, account: { email: OWNER, ...seed.account } },
    now: () => clock.now(),
    sleep: (milliseconds: number) => clock.sleep(milliseconds),
  });
  // In virtual time nothing may wait for a disk: test/cli/commands/run/run-delivery.test.ts has one.
  const kept = new Map<string, string>();
  const memories: DomainMemories = {
    read: (domain) => Promise.resolve(kept.get(domain) ?? null),
    write(domain, text) {
      kept.set(domain, text);
      return Promise.resolve(succeed(undefined));
    },
  };
  const told: (readonly ['failing' | 'recovered', DeliveryTrouble])[] = [];
  const desired = desiredOf(options.manifest);
  const world: FollowedWorld = {
    clock,
    emulator,
    told,
    desired,
    kept,
    deliver(message) {
      const delivered = deliverMessage(emulator.store.state, { from: 'ana@corp.example', ...message });
      if (!delivered.ok) throw new Error('not delivered');
    },
    start(line, die = new AbortController()) {
      const client = createClient({
        url: `http://127.0.0.1/${version}`,
        version,
        key: KEY,
        mode: 'read-only',
        clock,
        random: () => 0.5,
        dispatcher: inProcess(emulator, line),
        signal: die.signal,
      }).withUrgency('background');
      const account = {
        client,
        memories,
        safe: safeTextWith(() => DISCLOSE_ALL),
        rest: () => Promise.resolve(),
        history: { read: noHistory },
        references: world.desired.references,
        lostNames: () => Promise.resolve(new Map()),
      };
      const follower = createFollower({
        clock,
        signal: die.signal,
        desired: () => world.desired,
        open: () => Promise.resolve(succeed(account)),
        onTrouble: (what, trouble) => told.push([what, trouble]),
      });
      return { follower, client };
    },
    startKilled(nth) {
      let answers = 0;
      const answered = (): Promise<void> => {
        answers += 1;
        return answers < nth ? Promise.resolve() : new Promise(() => undefined);
      };
      void world.start({ answered }).follower.run();
    },
    async follow(milliseconds, line) {
      const die = new AbortController();
      const { follower, client } = world.start(line, die);
      const running = follower.run();
      await clock.sleep(milliseconds);
      die.abort();
      await running;
      const { domains } = follower.status();
      await client.close();
      return domains;
    },
  };
  return world;
}

export async function* noHistory(): AsyncGenerator<never> {
  // Nothing was ever changed.
}
