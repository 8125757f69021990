import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/create.ts';
import type { ApiError } from '../../../src/client/errors.ts';
import { followLogs, type FollowOptions } from '../../../src/client/logs/follow.ts';
import type { LogEntry } from '../../../src/client/logs/logs.ts';
import { deliverMessage } from '../../../src/emulator/delivery/delivery.ts';
import { createEmulator, type EmulatorCore } from '../../../src/emulator/emulator.ts';
import type { Switches } from '../../../src/emulator/account/switches.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { Result } from '../../../src/core/model/result.ts';
import { API_KEY } from '../../support/account.ts';
import { virtualClock } from '../../support/clock.ts';
import { inProcess } from '../../support/in-process.ts';
import { everyNth, runs } from '../../support/share.ts';

const DOMAIN = 'acme.example' as DomainName;
const POLL_MS = 5_000;

interface Scene {
  readonly core: EmulatorCore;
  /** Delivers so many mails, some of them within one second; their numbers are their subjects. */
  readonly deliver: (count: number) => void;
  /** Follows; calls `onPoll` at each pause between two looks with its number, until it says that it is enough. */
  readonly follow: (options: FollowSettings) => Promise<Followed>;
}

interface FollowSettings {
  readonly pageSize: number;
  readonly query?: FollowOptions['query'];
  readonly onPoll: (poll: number) => 'go-on' | 'enough';
}

interface Followed {
  readonly result: Result<void, ApiError>;
  readonly subjects: readonly (string | null)[];
  readonly troubles: readonly ApiError[];
}

/** All in this process and in virtual time: ten thousand pages take seconds. */
function openScene(switches: Partial<Switches> = {}): Scene {
  const clock = virtualClock();
  const core = createEmulator({
    apiKey: API_KEY,
    plan: 'paid',
    randomId: randomUUID,
    journalSize: 100_000,
    switches,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    state: { domains: [{ domain: DOMAIN, aliases: [{ alias: '*', forward: 'ana@corp.example' }] }] },
  });
  let delivered = 0;
  return {
    core,
    deliver(count) {
      for (let index = 0; index < count; index += 1) {
        if (delivered % 7 === 0) clock.advance(311);
        const message = { to: `sales@${DOMAIN}`, from: 'x@corp.example', subject: String(delivered) };
        expect(deliverMessage(core.store.state, message).ok).toBe(true);
        delivered += 1;
      }
    },
    async follow({ pageSize, query = {}, onPoll }) {
      const stop = new AbortController();
      let polls = 0;
      const sleep: typeof clock.sleep = async (milliseconds, signal) => {
        await clock.sleep(milliseconds, signal);
        if (milliseconds !== POLL_MS) return;
        if (onPoll((polls += 1)) === 'enough') stop.abort();
      };
      const client = createClient({
        url: 'http://127.0.0.1:1/v4',
        version: 'v4',
        key: API_KEY,
        mode: 'read-only',
        clock,
        random: () => 0.5,
        dispatcher: inProcess(core),
      });
      const entries: LogEntry[] = [];
      const troubles: ApiError[] = [];
      const result = await followLogs({
        client,
        domain: DOMAIN,
        query,
        pageSize,
        clock: { ...clock, sleep },
        signal: stop.signal,
        onEntries: (news) => void entries.push(...news),
        onTrouble: (error) => troubles.push(error),
      });
      return { result, subjects: entries.map(({ subject }) => subject), troubles };
    },
  };
}

function numbers(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => String(from + index));
}

// Every size of pages is in test/prove/log-pages.test.ts.
describe('following a log of thousands of messages', () => {
  const MESSAGES = runs(10_000, 3_000);

  test.each([
    { pageSize: 1, logCursor: 'next' },
    { pageSize: 200, logCursor: 'last' },
  ] as const)(
    'pages of $pageSize, cursor $logCursor: each entry once, in order, within the limits',
    async (given) => {
      const { deliver, follow, core } = openScene({ logCursor: given.logCursor });
      deliver(25);
      let delivered = 25;
      const { result, subjects } = await follow({
        pageSize: given.pageSize,
        onPoll(poll) {
          const count = Math.min(MESSAGES + 25 - delivered, (poll * 997) % 700);
          deliver(count);
          delivered += count;
          return delivered === MESSAGES + 25 && count === 0 ? 'enough' : 'go-on';
        },
      });
      expect(result.ok).toBe(true);
      expect(subjects).toEqual(numbers(25, MESSAGES + 25));
      expect(core.journal.entries().filter(({ status }) => status !== 200)).toEqual([]);
    },
  );

  test.each(everyNth(2, [1, 50, 200]))('with a time it begins there; pages of %i', async (pageSize) => {
    const { deliver, follow } = openScene();
    deliver(500);
    const { subjects } = await follow({
      pageSize,
      query: { after: 0 },
      onPoll(poll) {
        if (poll === 1) deliver(100);
        return poll < 3 ? 'go-on' : 'enough';
      },
    });
    expect(subjects).toEqual(numbers(0, 600));
  });
});

describe('following a log', () => {
  test('an idle look is one request', async () => {
    const { deliver, follow, core } = openScene();
    deliver(300);
    await follow({ pageSize: 200, onPoll: (poll) => (poll < 11 ? 'go-on' : 'enough') });
    expect(core.journal.total()).toBe(11);
  });

  test('that is empty at first', async () => {
    const { deliver, follow } = openScene();
    const { subjects } = await follow({
      pageSize: 200,
      onPoll(poll) {
        if (poll % 2 === 0) deliver(1);
        return poll < 9 ? 'go-on' : 'enough';
      },
    });
    expect(subjects).toEqual(numbers(0, 4));
  });

  const LOST = (['refuse', 'first-page', 'empty'] as const).flatMap((unknownLogCursor) =>
    [1, 200].map((pageSize) => ({ unknownLogCursor, pageSize })),
  );

  test.each(everyNth(3, LOST))(
    'whose cursor is lost: $unknownLogCursor, pages of $pageSize',
    async ({ unknownLogCursor, pageSize }) => {
      const { deliver, follow, core } = openScene({ unknownLogCursor });
      deliver(250);
      const { subjects } = await follow({
        pageSize,
        onPoll(poll) {
          deliver(5);
          // All entries that it could look from are gone; older ones are still there.
          if (poll === 3) forgetLogs(core, 20, 250 + 5 * 2 - 1);
          return poll < 6 ? 'go-on' : 'enough';
        },
      });
      expect(subjects).toEqual(numbers(250, 250 + 5 * 5));
    },
  );

  test('goes on after a failure, and says so', async () => {
    const { deliver, follow, core } = openScene();
    deliver(3);
    const { result, subjects, troubles } = await follow({
      pageSize: 200,
      onPoll(poll) {
        deliver(1);
        if (poll === 2) core.faults.push({ match: { times: 3 }, do: { kind: 'status', code: 500 } });
        return poll < 6 ? 'go-on' : 'enough';
      },
    });
    expect(troubles).toMatchObject([{ kind: 'unknown-outcome', status: 500 }]);
    expect(subjects).toEqual(numbers(3, 8));
    expect(result.ok).toBe(true);
  });

  test('ends with an error that no further look would mend', async () => {
    const { follow, core } = openScene();
    const { result } = await follow({
      pageSize: 200,
      onPoll(poll) {
        if (poll === 2) core.faults.push({ match: { times: 'always' }, do: { kind: 'status', code: 401 } });
        return poll < 9 ? 'go-on' : 'enough';
      },
    });
    expect(result).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
  });
});

/** Takes entries away, as retention does. */
function forgetLogs({ store }: EmulatorCore, from: number, to: number): void {
  const dump = store.dump();
  store.replace({
    ...dump,
    domains: dump.domains.map((domain) => ({ ...domain, logs: domain.logs.toSpliced(from, to - from) })),
  });
}
