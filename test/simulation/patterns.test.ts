import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { traceMail } from '../../src/cli/commands/route/trace.ts';
import type { Dump } from '../../src/emulator/account/dump.ts';
import { deliverMessage } from '../../src/emulator/delivery/delivery.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { routerOf } from '../../src/core/manifest/check/routing-table.ts';
import type { PresentDomain } from '../../src/core/model/desired.ts';
import { decodeForward, type Destination } from '../../src/core/model/destinations.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import type { PlannedRoute } from '../../src/core/model/plan.ts';
import { planRoutes } from '../../src/core/plan/routes/routes.ts';
import { endsOf } from '../../src/core/routing/follow.ts';
import { isOneWay } from '../../src/core/routing/route.ts';
import { IS_FULL, SEED } from './support/explore.ts';
import { endsDone } from './support/judge.ts';
import { KEY } from './support/world.ts';
import { scenarioOf, type Scenario } from './support/scenario.ts';
import { simulate } from './support/simulate.ts';

// Overlapping patterns, made in any order. The emulator matches them by creation or by name. Each destination that fwdsync claims must
// agree with the emulator's delivery, before and after each plan.

const DOMAIN = 'acme.example' as DomainName;
const WORDS = ['info', 'sales', 'hr', 'shop'];
/** Local parts of the probes; some are never written in an alias. */
const LOCALS = [...WORDS, 'desk', 'inbox', 'salesforce', 'x', 'info+vip'];
const RUNS = IS_FULL ? 3_000 : 7;
const count = { worlds: 0, claims: 0, undecided: 0, moved: 0 };
afterAll(() => console.info(`patterns: ${JSON.stringify(count)}, seed ${SEED}`));

const some = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 });
const name = fc.oneof(
  { weight: 5, arbitrary: some.map((words) => `(${words.join('|')})`) },
  { weight: 2, arbitrary: fc.constantFrom('(in.*)', '([a-z]+)', '(s.+)', '[hi].*', '(.*x)') },
  { weight: 1, arbitrary: fc.constantFrom('sal*', 'in.*', '*', 'info', 'hr') },
);
const forward = fc.constantFrom('a@corp.example', 'b@corp.example', 'c@corp.example', 'null');
const entry = fc.record({ name, forward });
/** In the order of their creation. */
const entries = fc.uniqueArray(entry, {
  minLength: 2,
  maxLength: 6,
  selector: (one) => one.name.toLowerCase(),
});
const randomWorld = fc.record({
  live: entries,
  wanted: entries,
  /** Number of live entries that the manifest keeps. */
  kept: fc.nat(4),
  desk: fc.constantFrom(...WORDS),
  version: fc.constantFrom('v3' as const, 'v4' as const),
  order: fc.constantFrom('created' as const, 'name' as const),
});
type RandomWorld = typeof randomWorld extends fc.Arbitrary<infer World> ? World : never;
interface Entry {
  readonly name: string;
  readonly forward: string;
}

function scenarioIn({ live, wanted, kept, desk, version, order }: RandomWorld): Scenario {
  // Mail to desk takes another hop.
  const through: Entry = { name: 'desk', forward: `${desk}@${DOMAIN}` };
  const all = new Map(
    [...wanted, ...live.slice(0, kept), through].map((one) => [one.name.toLowerCase(), one]),
  );
  const lines = [...all.values()].map(
    ({ name: key, forward: to }) => `      ${JSON.stringify(key)}: ${to === 'null' ? 'discard' : to}`,
  );
  const manifest = `domains:\n  ${DOMAIN}:\n    prune: { aliases: true }\n    aliases:\n${lines.join('\n')}`;
  const there: readonly Entry[] = [...live, through];
  const aliases = there.map((one) => ({ alias: one.name, forward: one.forward }));
  const domains = [{ domain: DOMAIN, routing_engine: 'alias' as const, aliases }];
  return scenarioOf(
    'patterns',
    manifest,
    { domains },
    {
      version,
      emulator: { state: { domains }, switches: { regexAliasOrder: order } },
      flags: { allowDeletes: 0 },
    },
  );
}

/** Routes of mail to each probe's address in the emulator, and their ends. */
function arrivals(dump: Dump, order: RandomWorld['order']) {
  const core = createEmulator({
    apiKey: KEY,
    plan: 'paid',
    state: dump,
    switches: { regexAliasOrder: order },
    now: () => 0,
    sleep: async () => {},
    randomId: () => 'id',
  });
  const hop = (to: string): readonly Destination[] => {
    const mail = { to, from: '', subject: '', body: '' };
    const delivered = deliverMessage(core.store.state, mail);
    if (!delivered.ok || delivered.value.route.kind === 'refused') return [];
    return decodeForward(delivered.value.route.forward);
  };
  const first = new Map(LOCALS.map((local) => [local, hop(`${local}@${DOMAIN}`)]));
  const end = new Map(
    LOCALS.map((local) => {
      const to = first.get(local) ?? [];
      return [local, to.flatMap((address) => (address.endsWith(`@${DOMAIN}`) ? hop(address) : [address]))];
    }),
  );
  return { first, end };
}

type Arrivals = ReturnType<typeof arrivals>;

/** Everything that the plan lists is true. If mail moves, the plan does not say that no mail changes. */
function checkRoutes(routes: readonly PlannedRoute[], before: Arrivals, after: Arrivals): void {
  let moved = 0;
  for (const local of LOCALS) {
    const [from, to] = [before.end.get(local), after.end.get(local)];
    const isMoved = JSON.stringify(from) !== JSON.stringify(to);
    // Plans do not list addresses with a label.
    moved += Number(isMoved && !local.includes('+'));
    const said = routes.find(({ address }) => address === `${local}@${DOMAIN}`);
    if (said === undefined) continue;
    count.claims += 1;
    if (said.undecided !== undefined) count.undecided += 1;
    // The former side of a `renamed` route shows another address.
    else
      expect({ local, from: said.was === null ? said.from : from, to: said.to }).toEqual({ local, from, to });
  }
  count.moved += moved;
  if (moved > 0) expect(routes).not.toEqual([]);
}

/** Checks `expect`, which `validate` and `test` use: the first hop if all aliases are from the manifest. */
function checkExpect(wanted: PresentDomain, { first }: Arrivals): void {
  const { routes } = routerOf(wanted);
  for (const local of LOCALS) {
    const found = routes({ to: `${local}@${DOMAIN}`, from: '', subject: '', body: '' });
    const forwards = found.map((route) => (route.kind === 'refused' ? [] : route.forward));
    count.claims += 1;
    if (isOneWay(found)) expect([local, forwards[0]]).toEqual([local, first.get(local)]);
    else expect(forwards, local).toContainEqual(first.get(local));
  }
}

/** Checks `route --live`: if it claims a destination, refused or dropped mail, the emulator must do the same. */
function checkTrace(dump: Dump, { end }: Arrivals): void {
  const live = dump.domains.find(({ domain }) => domain === DOMAIN);
  const aliases = (live?.aliases ?? [])
    .map(({ alias, forward: to }) => ({ name: alias, forward: decodeForward(to) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const local of LOCALS) {
    const mail = { to: `${local}@${DOMAIN}`, from: '', subject: '', body: '' };
    const { hops, doubts } = traceMail(mail, (domain) =>
      domain === DOMAIN ? { aliases, rules: [], engine: 'alias', fallback: null } : null,
    );
    const { to, unknown } = endsOf(hops);
    count.claims += 1;
    const ways = unknown.length === 0 ? [to] : doubts.map((doubt) => endsOf(doubt.hops).to);
    expect(ways, local).toContainEqual(end.get(local));
  }
}

test(
  'nothing is said to arrive that does not, in whatever order patterns were made',
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(randomWorld, async (world) => {
        count.worlds += 1;
        const scenario = scenarioIn(world);
        const whole = await simulate(scenario, { strokes: new Map(), seed: SEED });
        expect(endsDone(whole)).toBe(true);
        const [ending] = whole.endings;
        if (ending?.kind !== 'ended' || !('planned' in ending.once)) throw new Error('no plan was made');
        const { input, plan } = ending.once.planned;
        const [before, after] = [whole.start, whole.end].map((dump) => arrivals(dump, world.order)) as [
          Arrivals,
          Arrivals,
        ];
        checkRoutes(planRoutes({ ...input, ...plan }), before, after);
        checkExpect(scenario.desired.domains.get(DOMAIN) as PresentDomain, after);
        checkTrace(whole.start, before);
        checkTrace(whole.end, after);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
);
