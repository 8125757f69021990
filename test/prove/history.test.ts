import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptText } from '../../src/core/model/history/entries.ts';
import { accountEntryKey } from '../../src/core/kinds/item-key.ts';
import { blame } from '../../src/engine/state/history/blame.ts';
import { changedWorld, DOMAIN, type Aliases, type Lost } from './support/history/changed-world.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const FORWARDS = ['x@corp.example', 'y@corp.example', 'z@corp.example'];
/** Alias of every manifest, because an empty section is refused. */
const ALWAYS = { keep: 'k@corp.example' };

const forward = fc.constantFrom(...FORWARDS);
const aliases = fc.record(
  { a: forward, b: forward, c: forward, d: forward },
  { requiredKeys: [] },
) as fc.Arbitrary<Aliases>;
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('apply' as const),
      aliases,
      lost: fc.option(
        fc.record({
          method: fc.constantFrom('POST' as const, 'PUT' as const, 'DELETE' as const),
          when: fc.constantFrom('before' as const, 'after' as const),
        }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revert' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      name: fc.constantFrom(...NAMES),
      forward: fc.option(forward),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('observe' as const) }) },
);

/** One that ends with an open drift. */
const DRIFTED = [{ kind: 'edit', name: 'a', forward: 'z@corp.example' }, { kind: 'observe' }] as const;

type Change = readonly [action: string, from: string | null, to: string | null];
type Drift = readonly [from: string | null, to: string | null, seenAt: string];

/** Differences in the account before and after each run. */
class Model {
  readonly entries = new Map<string, Change[]>();
  readonly drift = new Map<string, Drift>();
  /** Names that an undo wrote since the manifest was applied. */
  readonly forgotten = new Set<string>();
  wanted: Aliases = {};
  before: Aliases = {};

  applied(wanted: Aliases, was: Aliases, is: Aliases): void {
    this.wrote(was, is);
    this.drift.clear();
    this.before = this.wanted;
    this.wanted = wanted;
    this.forgotten.clear();
  }

  /** Items that an undo wrote differ from the manifest, but are no drift. */
  undone(was: Aliases, is: Aliases): void {
    for (const name of this.wrote(was, is)) {
      this.drift.delete(name);
      this.forgotten.add(name);
    }
  }

  private wrote(was: Aliases, is: Aliases): readonly string[] {
    const changed = NAMES.filter((name) => was[name] !== is[name]);
    for (const name of changed) {
      const [from, to] = [was[name] ?? null, is[name] ?? null];
      const action = from === null ? 'add' : to === null ? 'delete' : 'update';
      this.entries.set(name, [[action, from, to], ...(this.entries.get(name) ?? [])]);
    }
    return changed;
  }

  observed(live: Aliases, at: string): void {
    for (const name of NAMES) {
      const [from, to] = [this.wanted[name] ?? null, live[name] ?? null];
      if (from === to || from === null || this.forgotten.has(name)) this.drift.delete(name);
      else this.drift.set(name, [from, to, this.drift.get(name)?.[2] ?? at]);
    }
  }
}

test(
  'blame is what the account shows, after any sequence of runs, undos, drift and reverts',
  { timeout: 3_600_000 },
  async () => {
    const totals = { runs: 0, undos: 0, drift: 0, entries: 0 };
    const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      const world = changedWorld([...NAMES, 'keep']);
      const model = new Model();
      const apply = async (wanted: Aliases, lost: Lost | null): Promise<void> => {
        const was = world.live();
        const outcome = await world.apply({ ...wanted, ...ALWAYS }, lost);
        expect(['converged', 'unchanged']).toContain(outcome);
        model.applied(wanted, was, world.live());
        totals.runs += 1;
      };
      const undo = async (): Promise<void> => {
        const was = world.live();
        const outcome = await world.undo();
        // Every change of the run may have been changed again since.
        expect(['converged', 'unchanged', 'partial', 'refused']).toContain(outcome);
        model.undone(was, world.live());
        totals.undos += 1;
      };
      await apply({ a: 'x@corp.example', b: 'y@corp.example' }, null);
      for (const one of steps) {
        if (one.kind === 'apply') await apply(one.aliases, one.lost);
        if (one.kind === 'revert') await apply(model.before, null);
        if (one.kind === 'undo') await undo();
        if (one.kind === 'edit' && world.live()[one.name] !== undefined)
          await world.edit(one.name, one.forward);
        if (one.kind === 'observe')
          model.observed(world.live(), await world.observe({ ...model.wanted, ...ALWAYS }));
      }
      for (const name of NAMES) {
        const found = await blame(world.history(), {
          domain: DOMAIN,
          keys: [accountEntryKey(DOMAIN, 'alias', name)],
        });
        const entries = found.entries.map(({ entry }) => [
          entry.action,
          forwardOf(entry.from),
          forwardOf(entry.to),
        ]);
        expect([name, entries]).toEqual([name, model.entries.get(name) ?? []]);
        const drift = found.drift
          .filter(({ endedAt }) => endedAt === null)
          .map(({ entry }) => [forwardOf(entry.from), forwardOf(entry.to), entry.seenAt]);
        expect([name, drift]).toEqual([name, model.drift.has(name) ? [model.drift.get(name)] : []]);
        totals.entries += entries.length;
        totals.drift += drift.length;
      }
    });
    const numRuns = runs(1_000, 7);
    await fc.assert(property, { numRuns, seed: PROVE_SEED, examples: [[[...DRIFTED]]] });
    expect(totals.drift).toBeGreaterThan(0);
    console.info(
      `blame, ${numRuns} sequences: ${totals.runs} runs, ${totals.undos} undos, ${totals.entries} entries, ${totals.drift} open drifts`,
    );
  },
);

function forwardOf(state: object | null): string | null {
  if (state === null || !('forward' in state)) return null;
  return (state.forward as Parameters<typeof keptText>[0][]).map(keptText).join(', ');
}
