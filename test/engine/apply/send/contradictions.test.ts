import { describe, expect, test } from 'vitest';
import type { BatchLie, FailItemFault } from '../../../../src/emulator/faults/faults.ts';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import { runScene, type RunResult } from '../support/harness.ts';
import { everyNth } from '../../../support/share.ts';

type Verb = 'add' | 'update' | 'delete';
type Kind = 'alias' | 'rule';

const METHOD = { add: 'POST', update: 'PUT', delete: 'DELETE' } as const;
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Six items of one kind and verb in a domain, and one wrong answer. */
function lyingScene(kind: Kind, verb: Verb, lies: readonly BatchLie[], items: readonly FailItemFault[]) {
  const section = kind === 'alias' ? 'aliases' : 'rules';
  const entries = NAMES.map((name) =>
    kind === 'alias'
      ? `      ${name}: ${verb === 'delete' ? '{ state: absent }' : 'new@corp.example'}`
      : `      - { id: ${ruleId(name)}, ${verb === 'delete' ? 'state: absent' : `name: ${name}, alias: ${name}, forward: new@corp.example`} }`,
  );
  return {
    manifest: `domains:\n  acme.example:\n    ${section}:\n${entries.join('\n')}`,
    seed: { domains: [seeded(kind, verb)] },
    faults: [
      {
        match: { method: METHOD[verb], endpoint: `/domains/:domain/${section}/batch` },
        do: { kind: 'fail-items', items, lies },
      },
    ],
  } as const;
}

function seeded(kind: Kind, verb: Verb): SeedDomain {
  if (verb === 'add') return { domain: 'acme.example' };
  return kind === 'alias'
    ? { domain: 'acme.example', aliases: NAMES.map((alias) => ({ alias, forward: 'old@corp.example' })) }
    : {
        domain: 'acme.example',
        rules: NAMES.map((name, index) => ({
          id: ruleId(name),
          type: 'alias',
          config: { alias: name, forward: 'old@corp.example' },
          rank: 10 * (index + 1),
        })),
      };
}

function ruleId(name: string): string {
  return `00000000-0000-4000-8000-00000000000${name}`;
}

/** Number of items in each write request. */
function sizes({ writes }: RunResult): readonly number[] {
  return writes.map(({ body }) => {
    const [items] = Object.values((body ?? {}) as Record<string, unknown>).filter(Array.isArray);
    return items?.length ?? 1;
  });
}

const LIES: readonly { readonly lies: readonly BatchLie[]; readonly items: readonly FailItemFault[] }[] = [
  { lies: ['repeated-index'], items: [{ index: 2 }, { index: 4 }] },
  { lies: ['index-out-of-range'], items: [{ index: 2 }] },
  { lies: ['wrong-counts'], items: [{ index: 2 }] },
  { lies: ['wrong-counts'], items: [] },
  { lies: ['in-both'], items: [{ index: 2 }] },
  { lies: ['in-both'], items: [] },
  { lies: ['in-neither'], items: [{ index: 2 }] },
  { lies: ['in-neither'], items: [] },
];

const BATCHES = (['alias', 'rule'] as const).flatMap((kind) =>
  (['add', 'update', 'delete'] as const).map((verb) => ({ kind, verb })),
);

describe('answers that contradict themselves', () => {
  // Every seventh case covers each kind, each verb and nearly all wrong answers.
  const rows = BATCHES.flatMap((batch) => LIES.map((row) => ({ ...batch, ...row })));
  test.each(everyNth(7, rows))(
    '$kind, $verb: $lies of $items are not believed',
    async ({ kind, verb, lies, items }) => {
      const result = await runScene(lyingScene(kind, verb, lies, items));
      expect(result.report.outcome).toBe('converged');
      expect(result.report.applied.map(({ name }) => name).sort()).toEqual(
        verb === 'delete' && kind === 'rule' ? NAMES.map(ruleId) : NAMES,
      );
      // Only items that two reads show as not done are sent again.
      expect(sizes(result)).toEqual(items.length === 0 ? [6] : [6, items.length]);
    },
  );

  test.each(everyNth(5, BATCHES))(
    '$kind, $verb: indexes as strings are understood',
    async ({ kind, verb }) => {
      const lying = lyingScene(kind, verb, ['index-as-string'], [{ index: 2, message: 'no' }]);
      const { report, writes } = await runScene(lying);
      expect(report.failed.map(({ index, message }) => [index, message])).toEqual([[2, 'no']]);
      expect(report.outcome).toBe('partial');
      expect(writes).toHaveLength(1);
    },
  );

  test.each(everyNth(5, BATCHES))(
    '$kind, $verb: an item that is refused, and was carried out all the same, is no failure',
    async ({ kind, verb }) => {
      const lying = lyingScene(kind, verb, [], [{ index: 1, message: 'no', applied: true }]);
      const { report, writes } = await runScene(lying);
      expect(report.outcome).toBe('converged');
      expect(report.notes.join()).toContain('is in the desired state now');
      expect(writes).toHaveLength(1);
    },
  );
});

test('a service that never stops contradicting itself ends the attempts, not the honesty', async () => {
  const { faults, ...rest } = lyingScene('alias', 'add', ['wrong-counts'], [{ index: 3, message: 'no' }]);
  const always = faults.map((fault) => ({ ...fault, match: { ...fault.match, times: 'always' as const } }));
  const result = await runScene({ ...rest, faults: always });
  // The last item is sent alone, to an endpoint with correct answers.
  expect(result.report.outcome).toBe('converged');
  expect(sizes(result)).toEqual([6, 1]);
});
