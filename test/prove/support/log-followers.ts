import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Dispatcher } from 'undici';
import { createClient } from '../../../src/client/create.ts';
import { followLogs } from '../../../src/client/logs/follow.ts';
import { deliverMessage } from '../../../src/emulator/delivery/delivery.ts';
import { createEmulator, type EmulatorCore, type EmulatorOptions } from '../../../src/emulator/emulator.ts';
import { startEmulator } from '../../../src/emulator/http/server.ts';
import type { Switches } from '../../../src/emulator/account/switches.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import { API_KEY } from '../../support/account.ts';
import { virtualClock, type VirtualClock } from '../../support/clock.ts';
import { inProcess } from '../../support/in-process.ts';
import { runs } from '../../support/share.ts';

const DOMAIN = 'acme.example' as DomainName;
const POLL_MS = 5_000;
const BEFORE = 25;
const MESSAGES = runs(10_000, 1_000);

/** Entries that the followers of one growing log received; each follower has another page size. */
export interface Followed {
  readonly pageSize: number;
  readonly entries: number;
  /** Index of the first wrong entry: repeated, out of order, or after a missing one. */
  readonly firstWrong: string | null;
}

/** Number of messages that a follower must receive. */
export function inOrder(pageSize: number): Followed {
  return { pageSize, entries: MESSAGES, firstWrong: null };
}

interface LogSource {
  readonly store: EmulatorCore['store'];
  readonly url: string;
  readonly dispatcher?: Dispatcher;
}

interface Follower {
  /** Makes it read once more. Settles when it waits for the next read. */
  look(): Promise<void>;
  stop(): Promise<Followed>;
}

export interface FollowPlan {
  readonly pageSizes: readonly number[];
  readonly logCursor: Switches['logCursor'];
  readonly over: 'http' | 'this process';
}

/**
 * Delivers messages little by little, several of them in one second, and makes every follower read after each group. They share one
 * account without limits, because the test is about the contents of requests, not their times.
 */
export async function followTogether(plan: FollowPlan): Promise<readonly Followed[]> {
  const clock = virtualClock();
  const source = await openSource(plan, clock);
  deliver(0, BEFORE, source, clock);
  const followers: Follower[] = [];
  for (const pageSize of plan.pageSizes) followers.push(await startFollower(pageSize, source, clock));
  const end = BEFORE + MESSAGES;
  for (let from = BEFORE, lot = 1; from < end; lot += 1) {
    const to = Math.min(end, from + ((lot * 997) % 700));
    deliver(from, to, source, clock);
    from = to;
    for (const follower of followers) await follower.look();
  }
  return Promise.all(followers.map((follower) => follower.stop()));
}

/** Mails whose subjects are their numbers. */
function deliver(from: number, to: number, { store }: LogSource, clock: VirtualClock): void {
  for (let number = from; number < to; number += 1) {
    if (number % 7 === 0) clock.advance(311);
    const message = { to: `sales@${DOMAIN}`, from: 'x@corp.example', subject: String(number) };
    // One event each, because up to two million entries are read.
    const delivery = deliverMessage(store.state, { ...message, outcome: ['DELIVERED'] });
    if (!delivery.ok) throw new Error('the mail was refused');
  }
}

async function openSource({ logCursor, over }: FollowPlan, clock: Clock): Promise<LogSource> {
  const options: EmulatorOptions = {
    apiKey: API_KEY,
    plan: 'paid',
    randomId: randomUUID,
    rateLimit: 1_000_000_000,
    switches: { logCursor },
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    state: { domains: [{ domain: DOMAIN, aliases: [{ alias: '*', forward: 'ana@corp.example' }] }] },
  };
  if (over === 'this process') {
    const core = createEmulator(options);
    return { store: core.store, url: 'http://127.0.0.1:1/v4', dispatcher: inProcess(core) };
  }
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.close());
  return { store: emulator.store, url: emulator.urls.v4 };
}

/** Settles after its first read, which only finds the end of the log. */
async function startFollower(pageSize: number, source: LogSource, clock: Clock): Promise<Follower> {
  const { url, dispatcher } = source;
  const access = { url, ...(dispatcher === undefined ? {} : { dispatcher }) };
  const client = createClient({
    ...access,
    version: 'v4',
    key: API_KEY,
    mode: 'read-only',
    clock,
    random: () => 0.5,
  });
  const stopping = new AbortController();
  const pause = createPause();
  let entries = 0;
  let firstWrong: string | null = null;
  const done = followLogs({
    client,
    domain: DOMAIN,
    query: {},
    pageSize,
    clock: { ...clock, sleep: (ms, signal) => (ms === POLL_MS ? pause.rest() : clock.sleep(ms, signal)) },
    signal: stopping.signal,
    onEntries(news) {
      for (const { subject } of news) {
        if (subject !== String(BEFORE + entries)) firstWrong ??= `${subject} as entry ${entries}`;
        entries += 1;
      }
    },
    onTrouble: (error) => (firstWrong ??= error.kind),
  });
  await pause.reached();
  return {
    look() {
      pause.end();
      return pause.reached();
    },
    async stop() {
      stopping.abort();
      pause.end();
      const ended = await done;
      await client.close();
      return { pageSize, entries, firstWrong: ended.ok ? firstWrong : ended.error.kind };
    },
  };
}

/** The pause between two reads: one side pauses, the other waits for the pause and ends it. */
function createPause() {
  let rested = Promise.withResolvers<void>();
  let ended = Promise.withResolvers<void>();
  return {
    rest(): Promise<void> {
      ended = Promise.withResolvers();
      rested.resolve();
      return ended.promise;
    },
    reached: (): Promise<void> => rested.promise,
    end(): void {
      rested = Promise.withResolvers();
      ended.resolve();
    },
  };
}
