import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createWorld, MINUTE, type StartOptions, type World } from '../engine/support/world.ts';
import { restorable } from '../golden/support/undo.ts';
import { IS_FULL, SEED } from './support/explore.ts';
import { MISHAPS } from './support/faults.ts';
import { accountOf, manifestOf, randomWorld, type RandomWorld } from './support/random-accounts.ts';
import type { FaultAction } from '../../src/emulator/faults/faults.ts';

// Another user edits random accounts while a daemon runs. Sweeps that read the list of v3, even with faults in that list, must end the
// same as sweeps that read everything.

const RUNS = IS_FULL ? 300 : 2;
const EDITED_FOR = 60;
const QUICK: StartOptions = { drift: 'quick', fullIntervalMs: 20 * MINUTE };
const count = { worlds: 0, edits: 0, faults: 0 };
afterAll(() =>
  console.info(
    `quick drift: ${count.worlds} worlds, ${count.edits} edits, ${count.faults} faults, seed ${SEED}`,
  ),
);

/** One item gets another value, or none. */
interface Edit {
  readonly minute: number;
  readonly domain: string;
  readonly item: keyof typeof ITEMS;
  readonly value: 'eve@x.example' | 'dan@x.example' | null;
}

interface Mishap {
  readonly minute: number;
  readonly kind: string;
  readonly times: number;
}

const ITEMS = {
  info: { alias: 'info' },
  sales: { alias: 'sales' },
  jobs: { alias: 'jobs' },
  stray: { alias: 'stray' },
  'rule of jobs': { type: 'alias', config: { alias: 'jobs' } },
  'rule of orders': { type: 'alias', config: { alias: 'or*' } },
  'rule of strays': { type: 'alias', config: { alias: 'stray' } },
  setting: {},
} as const;

const edits = fc.uniqueArray(
  fc.record({
    minute: fc.nat(EDITED_FOR - 1),
    domain: fc.constantFrom('acme.example', 'other.example'),
    item: fc.constantFrom(...(Object.keys(ITEMS) as readonly Edit['item'][])),
    value: fc.constantFrom('eve@x.example', 'dan@x.example', null),
  }),
  // Editing an item repeatedly would be a conflict, which the daemon stops correcting after the third time.
  { selector: ({ domain, item }) => `${domain} ${item}`, minLength: 1, maxLength: 6 },
);

/** Faults that the emulator can make of an answer. */
const LISTING_MISHAPS = Object.keys(MISHAPS).filter((kind) =>
  (MISHAPS[kind] ?? []).every(({ kind: action }) =>
    ['listing', 'body', 'status', 'drop', 'truncate'].includes(action),
  ),
);
const mishaps = fc.array(
  fc.record({
    minute: fc.nat(EDITED_FOR - 1),
    kind: fc.constantFrom(...LISTING_MISHAPS),
    times: fc.integer({ min: 1, max: 9 }),
  }),
  { maxLength: 3 },
);

interface Story {
  readonly world: RandomWorld;
  readonly edits: readonly Edit[];
  readonly mishaps: readonly Mishap[];
}

interface Ending {
  readonly account: unknown;
  readonly states: unknown;
  readonly unread: readonly string[];
}

async function live({ world, edits: made, mishaps: befall }: Story, start: StartOptions): Promise<Ending> {
  const manifest = manifestOf(world, 'as-made').replaceAll(
    /^ {2}\w+\.example:$/gm,
    '$&\n    notification_email: ops@corp.example',
  );
  const place = await createWorld({ seed: { domains: accountOf(world) }, manifest });
  const daemon = place.start({ pollMs: 1_000 * MINUTE, ...start });
  const byHand = new Set<number>();
  for (let minute = 0; minute < EDITED_FOR; minute += 1) {
    for (const edit of made.filter((one) => one.minute === minute)) {
      await makeEdit(place, edit);
      byHand.add(place.core.journal.total());
    }
    for (const { kind, times } of befall.filter((one) => one.minute === minute)) {
      const actions = (MISHAPS[kind] ?? []) as readonly FaultAction[];
      place.core.faults.push(
        ...actions.map((action) => ({ match: { version: 'v3', times } as const, do: action })),
      );
    }
    await place.clock.pass(MINUTE);
  }
  place.core.faults.clear();
  await place.clock.pass(EDITED_FOR * MINUTE);
  const ending = {
    account: restorable(place.core.store.dump(), []),
    states: daemon.states(),
    unread: unreadWrites(place, byHand),
  };
  await daemon.stop();
  return ending;
}

async function makeEdit(world: World, { domain, item, value }: Edit): Promise<void> {
  const live = world.core.store.dump().domains.find((entry) => entry.domain === domain);
  const what: { readonly alias?: string; readonly config?: object } = ITEMS[item];
  const path = `/domains/${domain}`;
  if (what.alias !== undefined) {
    const id = live?.aliases.find(({ alias }) => alias === what.alias)?.id;
    return setItem(world, `${path}/aliases`, { id, value, body: { alias: what.alias, forward: value } });
  }
  if (what.config === undefined) {
    return world.edit('PUT', path, { notification_email: value ?? 'ops@corp.example' });
  }
  const config = { ...what.config, forward: value ?? '' };
  const isIt = (rule: object): boolean =>
    JSON.stringify(rule).includes(JSON.stringify(what.config).slice(1, -1));
  const id = live?.rules.find(({ config: at }) => isIt(at))?.id;
  return setItem(world, `${path}/rules`, { id, value, body: { type: 'alias', config } });
}

async function setItem(
  world: World,
  path: string,
  {
    id,
    value,
    body,
  }: { readonly id: number | string | undefined; readonly value: string | null; readonly body: object },
): Promise<void> {
  if (value !== null)
    return world.edit(id === undefined ? 'POST' : 'PUT', id === undefined ? path : `${path}/${id}`, body);
  if (id !== undefined) return world.edit('DELETE', `${path}/${id}`);
}

/** Returns the writes to domains that were not read after the last list of v3. */
function unreadWrites({ core }: World, byHand: ReadonlySet<number>): readonly string[] {
  const read = new Set<string>();
  return core.journal.entries().flatMap(({ number, version, method, path }) => {
    const [, domain] = /^\/domains\/([^/?]+)/.exec(path) ?? [];
    if (version === 'v3' && domain === undefined) read.clear();
    if (version === 'v4' && domain !== undefined && method === 'GET') read.add(domain);
    const isOurs = method !== 'GET' && domain !== undefined && !byHand.has(number);
    return isOurs && !read.has(domain) ? [`${method} ${path}`] : [];
  });
}

test('the same end as with sweeps that read everything', { timeout: 3_600_000 }, async () => {
  const story = fc.record({ world: randomWorld, edits, mishaps });
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      count.worlds += 1;
      count.edits += told.edits.length;
      count.faults += told.mishaps.length;
      const whole = await live({ ...told, mishaps: [] }, {});
      const quick = await live(told, QUICK);
      expect(quick.account).toEqual(whole.account);
      expect(quick.states).toEqual(whole.states);
      expect(quick.unread).toEqual([]);
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: false },
  );
});
