import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Dump, DumpedRule } from '../../src/emulator/account/dump.ts';
import { live, runName, type Ending } from '../simulation/support/life.ts';
import { probesOf } from '../simulation/support/probes.ts';
import { accountOf, manifestOf, randomWorld } from '../simulation/support/random-accounts.ts';
import { lookAtRoutes, routingBreaches } from '../simulation/support/routing-oracle.ts';
import { scenarioOf, type Scenario } from '../simulation/support/scenario.ts';
import { openWorld, type World } from '../simulation/support/world.ts';
import type { Stroke } from '../simulation/support/wire.ts';
import { byHand } from '../support/by-hand.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

// Random manifests on random accounts: a run, edits by hand after it, and the undo of the run. Run and undo may be killed.

const KILL: Stroke = { kind: 'kill', moment: 'during' };
const LATE: Stroke = { kind: 'kill', moment: 'after' };
const count = { worlds: 0, changed: 0, edits: 0, undone: 0, kills: 0, moments: 0 };
afterAll(() => console.info(`undo: ${JSON.stringify(count)}`));

/** Routing state of the items: aliases by name, rules by id. */
type Items = ReadonlyMap<string, string>;

function itemsOf({ domains }: Dump): Items {
  return new Map(
    domains.flatMap(({ domain, aliases, rules }) => [
      ...aliases.map(({ alias, forward }) => [`${domain} alias ${alias}`, sorted(forward)] as const),
      ...rules.map(
        ({ id, type, config, active, rank }) =>
          [`${domain} rule ${id}`, JSON.stringify([type, configOf(config), active, rank])] as const,
      ),
    ]),
  );
}

/** Returns the config without empty scopes, because the seed writes them. */
function configOf({ forward, ...config }: DumpedRule['config']): unknown {
  const parts = Object.entries(config).filter(([name, value]) => name !== 'scopes' || value.length > 0);
  return [parts, sorted(String(forward))];
}

function sorted(forward: string): string {
  return forward
    .split(',')
    .map((part) => part.trim())
    .sort()
    .join();
}

interface Edit {
  readonly kind: 'change' | 'delete' | 'add';
  readonly pick: number;
}

const edits = fc.array(
  fc.record({
    kind: fc.constantFrom('change' as const, 'delete' as const, 'add' as const),
    pick: fc.nat(99),
  }),
  { maxLength: 4 },
);

async function edit(world: World, { kind, pick }: Edit, index: number): Promise<void> {
  const { domains } = world.core.store.dump();
  const rows = domains.flatMap(({ domain, aliases, rules }) => [
    ...aliases.map(({ id }) => ({ path: `/v4/domains/${domain}/aliases/${id}`, config: null })),
    ...rules.map(({ id, config }) => ({ path: `/v4/domains/${domain}/rules/${id}`, config })),
  ]);
  const row = rows[pick % Math.max(1, rows.length)];
  const forward = `hand${index}@elsewhere.example`;
  if (kind === 'add' || row === undefined) {
    const domain = domains[pick % domains.length]?.domain;
    return byHand(world.core, 'POST', `/v4/domains/${domain}/aliases`, { alias: `hand${index}`, forward });
  }
  if (kind === 'delete') return byHand(world.core, 'DELETE', row.path);
  return byHand(
    world.core,
    'PUT',
    row.path,
    row.config === null ? { forward } : { config: { ...row.config, forward } },
  );
}

/** Domains whose other items `remote-shrink` keeps, because a killed undo had deleted more than half of a section. */
function heldBack(once: Extract<Ending, { readonly kind: 'ended' }>['once']): readonly string[] {
  const guards = once.kind === 'applied' ? once.report.guards : [];
  return guards.filter(({ guard }) => guard === 'remote-shrink').map(({ scope }) => scope);
}

async function attempt(
  world: World,
  scenario: Scenario,
  kill: readonly [number, Stroke] | null,
): Promise<Ending> {
  const strokes = world.script.strokes as Map<number, Stroke>;
  strokes.clear();
  world.sent = 0;
  world.recording = true;
  if (kill !== null) strokes.set(...kill);
  const ending = await live(world, scenario, scenario.flags);
  strokes.clear();
  if (ending.kind === 'killed') count.kills += 1;
  return ending;
}

test(
  'only what a run did and nobody touched since is as before it; no mail goes astray on the way',
  { timeout: 3_600_000 },
  async () => {
    const moment = fc.option(fc.tuple(fc.integer({ min: 3, max: 14 }), fc.constantFrom(KILL, LATE)));
    const property = fc.asyncProperty(
      randomWorld,
      edits,
      moment,
      moment,
      async (random, byHands, first, second) => {
        count.worlds += 1;
        const scenario = scenarioOf(
          'a random world',
          manifestOf(random, 'as-made'),
          { domains: accountOf(random) },
          { flags: {} },
        );
        const world = openWorld(scenario, { strokes: new Map(), seed: PROVE_SEED });
        const start = itemsOf(world.core.store.dump());
        const applied = await attempt(world, scenario, first);
        if (applied.kind === 'ended' && applied.once.kind === 'not-run') return;
        const run = runName(world.processes);
        const after = itemsOf(world.core.store.dump());
        if (JSON.stringify([...after]) !== JSON.stringify([...start])) count.changed += 1;
        for (const [index, one] of byHands.entries()) await edit(world, one, index);
        count.edits += byHands.length;
        const before = itemsOf(world.core.store.dump());

        world.probes = probesOf(world.core.store.dump(), scenario.desired);
        world.moments.length = 0;
        world.moments.push(lookAtRoutes(world.core.store.state, world.probes, 'the start'));
        const undo = { ...scenario, desired: { ...scenario.desired, domains: new Map() }, undoes: run };
        const killed = await attempt(world, undo, second);
        const ending = killed.kind === 'killed' ? await attempt(world, undo, null) : killed;
        count.moments += world.moments.length;
        if (ending.kind !== 'ended') throw new Error(JSON.stringify(ending));
        expect(['applied', 'not-run']).toContain(ending.once.kind);
        if (ending.once.kind === 'applied') count.undone += 1;

        const end = itemsOf(world.core.store.dump());
        const held = killed.kind === 'killed' ? heldBack(ending.once) : [];
        const wrong: string[] = [];
        for (const key of new Set([...start.keys(), ...after.keys(), ...before.keys(), ...end.keys()])) {
          const touched = before.get(key) !== after.get(key);
          const wanted = touched ? before.get(key) : start.get(key);
          const isHeld =
            held.some((domain) => key.startsWith(`${domain} `)) && end.get(key) === before.get(key);
          if (end.get(key) !== wanted && !isHeld) {
            wrong.push(
              `${key}: ${start.get(key)} -> ${after.get(key)} -> ${before.get(key)} -> ${end.get(key)}`,
            );
          }
        }
        const why = ending.once.kind === 'not-run' ? ending.once.decision.kind : JSON.stringify(ending.once);
        if (ending.once.kind === 'applied') expect(wrong, why.slice(0, 3000)).toEqual([]);
        expect(routingBreaches(world.moments, world.probes)).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: runs(1_000, 5), seed: PROVE_SEED, endOnFailure: true });
  },
);
