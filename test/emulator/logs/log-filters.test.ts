import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import type { SeedLog } from '../../../src/emulator/logs/logs-seed.ts';
import type { MailStatus } from '../../../src/emulator/account/model.ts';
import { authorization, type Body } from '../support/target.ts';

/** More entries than one block of an index holds, so that pages and filters cross the borders of blocks. */
const COUNT = 2500;
const NOW = Date.parse('2026-03-01T00:00:00Z');
const COURSES: readonly (readonly MailStatus[])[] = [
  ['QUEUED'],
  ['QUEUED', 'DELIVERED'],
  ['REFUSED'],
  ['QUEUED', 'SOFT-BOUNCE', 'SOFT-BOUNCE', 'DELIVERED'],
  ['QUEUED', 'SOFT-BOUNCE', 'HARD-BOUNCE'],
  ['QUEUED', 'BOUNCED'],
  [],
];
const LOGS = '/domains/acme.example/logs';

/** Times that are in another order than the entries; some are equal. */
const logs = Array.from({ length: COUNT }, (_, index) => ({
  id: `log${index}`,
  created_at: NOW - ((index * 997) % 1999) * 1000,
  sender: `Sender${index % 70}@corp.example`,
  recipient: `name${index % 50}@acme.example`,
  subject: index % 3 === 0 ? `Order\nnumber ${index}` : `Größe ${index}`,
  transport: (['mx', 'smtp', 'api'] as const)[index % 3] ?? 'mx',
  events: COURSES[(index * 31) % COURSES.length] ?? [],
})) satisfies readonly SeedLog[];
const byTime = logs.toSorted((a, b) => a.created_at - b.created_at);

const core = createEmulator({
  apiKey: 'key',
  plan: 'paid',
  rateLimit: 1e6,
  now: () => NOW,
  sleep: () => Promise.resolve(),
  randomId: randomUUID,
  state: { domains: [{ domain: 'acme.example', logs }] },
});

async function get(target: string): Promise<Body> {
  const headers = { authorization: authorization('key') };
  const outcome = await core.dispatch({ method: 'GET', target, headers, body: undefined });
  if (outcome.kind === 'dropped') throw new Error('dropped');
  return JSON.parse(outcome.answer.body);
}

function idsOf(entries: readonly { readonly id: string }[]): readonly string[] {
  return entries.map(({ id }) => id);
}

describe.each([
  [['BOUNCED', 'REFUSED']],
  [['SOFT-BOUNCE', 'HARD-BOUNCE', 'BOUNCED']],
  [['DELIVERED', 'SOFT-BOUNCE']],
  [['QUEUED']],
] as const)('of the statuses %j', (statuses: readonly MailStatus[]) => {
  const wanted = byTime.filter(({ events }) => events.some((status) => statuses.includes(status)));

  test.each([
    ['created_asc', wanted],
    ['created_desc', wanted.toReversed()],
  ])('pages in the order %s hold each entry once', async (order, entries) => {
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const page = await get(`/v4${LOGS}?status=${statuses.join()}&order=${order}&limit=200${cursor}`);
      found.push(...idsOf(page.logs));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(found).toEqual(idsOf(entries));
  });

  test('the count is theirs, within a time and with another filter too', async () => {
    const count = `/v4${LOGS}/count?status=${statuses.join()}`;
    const after = NOW - 500_000;
    const recent = wanted.filter((log) => log.created_at > after);
    const byMx = wanted.filter(({ transport }) => transport === 'mx');
    const ofOne = wanted.filter(({ sender }) => sender === 'Sender7@corp.example');
    expect([
      (await get(count)).total,
      (await get(`${count}&after=${new Date(after).toISOString()}`)).total,
      (await get(`${count}&transport=mx`)).total,
      (await get(`${count}&sender=sender7@corp.example`)).total,
    ]).toEqual([wanted.length, recent.length, byMx.length, ofOne.length]);
  });

  test('a scripted shift moves the page over all of them', async () => {
    core.faults.push({ match: { endpoint: '/domains/:domain/logs' }, do: { kind: 'listing', shift: 3 } });
    const page = await get(`/v4${LOGS}?status=${statuses.join()}&order=created_asc&limit=10`);
    core.faults.clear();
    expect(idsOf(page.logs)).toEqual(idsOf(wanted.slice(3, 13)));
  });
});

describe('the search of v3', () => {
  test.each([
    ['number 12', ['number 12']],
    ['GRÖSSE', []],
    ['größe 1', ['größe 1']],
    ['sender1', ['sender1']],
    // Parts of two adjacent fields together do not match.
    ['\nsender', []],
    ['order\nnumber', ['order\nnumber']],
    ['\0', []],
  ])('finds the text %j in the fields that have it', async (text, parts) => {
    const query = `after=0&before=99999999999&order=asc&text=${encodeURIComponent(text)}`;
    for (const failures of [false, true]) {
      const { logs: found } = await get(`/v3${LOGS}/search?${query}&filter=${failures ? 'failure' : 'all'}`);
      const wanted = byTime
        .filter(({ events }) => !failures || events.some((status) => status.includes('BOUNCE')))
        .filter(({ subject, sender, recipient }) =>
          [subject, sender, recipient].some((field) =>
            parts.some((part) => field.toLowerCase().includes(part)),
          ),
        );
      expect(idsOf(found)).toEqual(idsOf(wanted));
    }
  });

  test('only times that are asked for', async () => {
    const from = NOW / 1000 - 900;
    const { logs: found } = await get(
      `/v3${LOGS}/search?after=${from}&before=${from + 90}&text=order&order=asc`,
    );
    const wanted = byTime.filter(
      ({ subject, created_at: at }) =>
        subject.startsWith('Order') && at >= from * 1000 && at < (from + 91) * 1000,
    );
    expect(idsOf(found)).toEqual(idsOf(wanted));
  });
});
