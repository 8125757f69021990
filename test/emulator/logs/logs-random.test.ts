import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsOf, LOG_STATUSES, LOG_TRANSPORTS } from '../../../src/emulator/logs/logs-events.ts';
import {
  aliasTest,
  personTest,
  statusTest,
  textTest,
  transportTest,
} from '../../../src/emulator/logs/logs-filter.ts';
import { countLogs, insertLog, listLogs, type LogTest } from '../../../src/emulator/logs/logs.ts';
import type { MailLog, Mailbox } from '../../../src/emulator/account/model.ts';
import { newAccount } from '../../../src/emulator/account/seed.ts';
import { createState, type DomainRecord, type State } from '../../../src/emulator/account/state.ts';
import { addDomain } from '../../../src/emulator/account/resources/stored-domains.ts';
import { START } from '../support/target.ts';

/** Change the seed for other logs. A failure prints it with the shortest steps that fail. */
const SEED = 20_260_121;
const RUNS = 100;
const DAY = 86_400_000;
const PEOPLE = ['a@corp.example', 'B@corp.example', 'c@corp.example'];
const TIMES = {
  later: (at: number) => at,
  scattered: (at: number) => -((at * 997) % 1013),
  'at-once': () => 0,
};

/** A test of the store, and its meaning. */
interface Meant {
  readonly test: LogTest;
  readonly passes: (entry: MailLog) => boolean;
}

const person = fc.constantFrom(...PEOPLE, ...PEOPLE, 'nobody@corp.example');
/** At most one test of a kind, because two rarely pass together. */
const meant = fc.tuple(
  ...(['sender', 'recipient', 'forward'] as const).map((field) =>
    perhaps(person, (address) => ({
      test: personTest(field, address, 'exact'),
      passes: (entry) => entry[field]?.email === address,
    })),
  ),
  perhaps(fc.constantFrom('a', 'rare', 'rare', 'none'), (name) => ({
    test: aliasTest(name),
    passes: (entry) => entry.alias === name,
  })),
  perhaps(fc.constantFrom(...LOG_TRANSPORTS), (transport) => ({
    test: transportTest(transport),
    passes: (entry) => entry.transport === transport,
  })),
  perhaps(fc.subarray([...LOG_STATUSES], { minLength: 1 }), (statuses) => ({
    test: statusTest(statuses),
    passes: (entry) => entry.events.some(({ status }) => statuses.includes(status)),
  })),
  perhaps(fc.constantFrom('number 7', 'corp'), (text) => ({
    test: textTest(text),
    passes: ({ subject, sender }) => `${subject} ${sender.email}`.toLowerCase().includes(text),
  })),
);

function perhaps<T>(values: fc.Arbitrary<T>, meaning: (value: T) => Meant): fc.Arbitrary<readonly Meant[]> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: values.map((value) => [meaning(value)]) },
  );
}

/** Position among the entries, as a number from 0 to 1. */
const place = fc.double({ min: 0, max: 1, noNaN: true });
const insertion = fc.record({
  kind: fc.constant('insert' as const),
  count: fc.oneof(fc.nat(5), fc.nat(300)),
  order: fc.constantFrom('later', 'scattered', 'at-once'),
  salt: fc.nat(1000),
});
const question = fc.record({
  kind: fc.constant('ask' as const),
  meant: meant.map((tests) => tests.flat()),
  from: fc.option(fc.double({ min: 0, max: 0.5, noNaN: true }), { freq: 2 }),
  until: fc.option(fc.double({ min: 0.5, max: 1, noNaN: true }), { freq: 2 }),
  order: fc.constantFrom('created_asc', 'created_desc'),
  limit: fc.constantFrom(1, 5, 200, Infinity),
  cursor: fc.option(fc.record({ at: place, place: fc.constantFrom('at', 'after') }), { freq: 2 }),
  shift: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -5, max: 5 })),
});
const step = fc.oneof(
  { weight: 2, arbitrary: insertion },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('age' as const),
      past: fc.double({ min: 0, max: 0.4, noNaN: true }),
    }),
  },
  { weight: 12, arbitrary: question },
);
const steps = fc
  .tuple(insertion, insertion, fc.array(step, { maxLength: 40, size: 'max' }))
  .map(([first, second, rest]): readonly Step[] => [first, second, ...rest]);
type Step = ValueOf<typeof step>;
type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never;

interface Account {
  readonly state: State;
  readonly domain: DomainRecord;
  now: number;
  /** Entries that are not too old, in order. */
  entries: readonly MailLog[];
}

test('pages and counts are those of a scan of everything', () => {
  fc.assert(
    fc.property(fc.noBias(steps), (taken) => {
      const account = createAccount();
      for (const each of taken) take(account, each);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

function createAccount(): Account {
  const environment = { now: () => account.now, randomId: () => `log-${account.state.nextSequence}` };
  const state = createState({ tier: 'paid', account: newAccount('paid', START), environment });
  const account: Account = { state, domain: {} as DomainRecord, now: START, entries: [] };
  const added = addDomain(state, 'v4', { domain: 'acme.example' });
  if (!added.ok) throw new Error(added.error.message);
  return Object.assign(account, { domain: added.value });
}

function take(account: Account, each: Step): void {
  const keptFor = account.state.account.email_log_retention_days * DAY;
  if (each.kind === 'age') account.now = Math.max(account.now, timeOf(account, each.past) + keptFor);
  account.entries = account.entries.filter(({ created_at }) => created_at >= account.now - keptFor);
  if (each.kind === 'insert') insert(account, each);
  if (each.kind === 'ask') ask(account, each);
}

function insert(account: Account, { count, order, salt }: ValueOf<typeof insertion>): void {
  const { state, domain } = account;
  const inserted = Array.from({ length: count }, (_, at) => {
    const choose = <T>(items: readonly T[], by: number): T =>
      items[(Math.imul(at + salt, by * 0x9e37_79b1) >>> 8) % items.length] as T;
    const mailbox = (by: number): Mailbox => ({ email: choose(PEOPLE, by), name: null });
    return insertLog(state, domain, {
      created_at: account.now + TIMES[order](at),
      sender: mailbox(1),
      // Half of the time some pairs do not occur at all.
      recipient: mailbox(salt % 2 === 0 ? 1 : 3),
      forward: at % 5 === 0 ? null : mailbox(5),
      subject: `Number ${at}`,
      hostname: 'mx.example',
      transport: choose(LOG_TRANSPORTS, 7),
      events: eventsOf(LOG_STATUSES.filter((_status, position) => ((at * 31 + salt) >> position) % 3 === 0)),
      alias: at % 19 === 0 ? 'rare' : choose(['a', 'b'], 9),
    });
  });
  account.now += order === 'later' ? count : 1;
  account.entries = [...account.entries, ...inserted].sort(compare);
}

function ask(
  account: Account,
  { meant, cursor: sought, from, until, ...asked }: ValueOf<typeof question>,
): void {
  const { state, domain, entries } = account;
  const cursor = sought === null ? undefined : entryAt(entries, sought.at);
  const filter = {
    from: from === null ? -Infinity : timeOf(account, from),
    until: until === null ? Infinity : timeOf(account, until),
    tests: meant.map(({ test }) => test),
  };
  const passing = entries.filter(
    (entry) =>
      entry.created_at >= filter.from &&
      entry.created_at < filter.until &&
      meant.every(({ passes }) => passes(entry)),
  );
  const sign = asked.order === 'created_asc' ? 1 : -1;
  const all = sign === 1 ? passing : passing.toReversed();
  const passed = all.filter(
    (entry) => cursor !== undefined && sign * compare(entry, cursor) < (sought?.place === 'after' ? 1 : 0),
  );
  const start = Math.max(0, passed.length + asked.shift);
  const page = listLogs(state, domain, {
    ...asked,
    filter,
    cursor: cursor && { id: cursor.id, place: sought?.place ?? 'at' },
  });
  expect(idsOf(page?.entries ?? [])).toEqual(idsOf(all.slice(start, start + asked.limit)));
  expect(page?.next?.id).toBe(all[start + asked.limit]?.id);
  expect(countLogs(state, domain, filter)).toBe(passing.length);
}

function timeOf({ entries, now }: Account, place: number): number {
  return entryAt(entries, place)?.created_at ?? now;
}

function entryAt(entries: readonly MailLog[], place: number): MailLog | undefined {
  return entries[Math.floor(place * (entries.length - 1))];
}

function compare(a: MailLog, b: MailLog): number {
  return a.created_at - b.created_at || a.sequence - b.sequence;
}

function idsOf(entries: readonly MailLog[]): readonly string[] {
  return entries.map(({ id }) => id);
}
