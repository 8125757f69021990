import { describe, expect, test } from 'vitest';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { AliasChange, Change, Plan, WaitReason } from '../../../src/core/model/plan.ts';
import { itemKey } from '../../../src/core/kinds/item-key.ts';
import { withholdChanges } from '../../../src/service/daemon/account-run.ts';
import {
  createFlapDetector,
  type FlapDetector,
  type FlapMemory,
} from '../../../src/service/daemon/flap-detector.ts';

const ACME = 'acme.example' as DomainName;
const HOUR = 3_600_000;

function alias(name: string, options: Partial<AliasChange> = {}): AliasChange {
  return {
    kind: 'alias',
    action: 'update',
    domain: ACME,
    name,
    id: '1',
    observed: { forward: ['x@elsewhere.example'] as never },
    desired: { forward: ['ana@corp.example'] as never },
    fields: ['forward'],
    stage: 1,
    conditional: false,
    reason: 'manifest',
    source: null,
    ...options,
  };
}

/** Reads an hour apart, each with these changes. Changes that are not frozen are made. */
function reads(flaps: FlapDetector, rounds: readonly (readonly Change[])[], start = 0): readonly number[] {
  return rounds.map((changes, index) => {
    const now = (start + index) * HOUR;
    const frozen = flaps.record({ domains: [ACME], changes, references: new Map(), now });
    flaps.applied(changes.filter((change) => !frozen.has(change)));
    return frozen.size;
  });
}

describe('items that another user changes back', () => {
  const change = [alias('sales')];
  const drift = [alias('sales', { reason: 'drift' })];

  test('freeze at the third time', () => {
    expect(reads(createFlapDetector(), [change, change, change, change, change])).toEqual([0, 0, 0, 1, 1]);
  });

  test('drift counts from the first, for an earlier process put it there', () => {
    expect(reads(createFlapDetector(), [drift, drift, drift])).toEqual([0, 0, 1]);
  });

  test('three times in six reads, not in seven', () => {
    expect(reads(createFlapDetector(), [drift, [], [], drift, [], drift])).toEqual([0, 0, 0, 0, 0, 1]);
    expect(reads(createFlapDetector(), [drift, [], [], drift, [], [], drift])).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test('a delete that is undone each time counts like any other', () => {
    const stray = [alias('stray', { action: 'delete', desired: null, reason: 'prune', stage: 2 })];
    expect(reads(createFlapDetector(), [stray, stray, stray, stray])).toEqual([0, 0, 0, 1]);
  });

  test('a change that fails each time was not changed back', () => {
    const flaps = createFlapDetector();
    for (let read = 0; read < 10; read += 1) {
      const frozen = flaps.record({ domains: [ACME], changes: change, references: new Map(), now: read });
      expect(frozen.size).toBe(0);
    }
  });

  test('thaw when the entry changes, after a day, and on demand', () => {
    const flaps = createFlapDetector();
    reads(flaps, [drift, drift, drift]);
    expect(
      reads(flaps, [[alias('sales', { desired: { forward: ['bob@corp.example'] as never } })]], 4),
    ).toEqual([0]);
    reads(flaps, [drift, drift, drift, drift], 5);
    expect(reads(flaps, [drift], 30)).toEqual([1]);
    expect(reads(flaps, [drift], 40)).toEqual([0]);
    flaps.reset();
    expect(reads(flaps, [change], 41)).toEqual([0]);
  });
});

test('a second process continues with the knowledge of the first', () => {
  const drift = alias('sales', { reason: 'drift' });
  let memory = createFlapDetector().memory();
  const frozen = [0, 1, 2, 3].map((read) => {
    const flaps = createFlapDetector(JSON.parse(JSON.stringify(memory)) as FlapMemory);
    const [count] = reads(flaps, [[drift]], read);
    memory = flaps.memory();
    return count;
  });
  expect(frozen).toEqual([0, 0, 1, 1]);
  const flaps = createFlapDetector(memory);
  reads(
    flaps,
    Array.from({ length: 7 }, () => []),
    4,
  );
  expect(flaps.memory()).toEqual([]);
});

describe('withheld items also withhold dependent items', () => {
  const planOf = (changes: readonly Change[], waits: Plan['waits'] = new Map()): Plan =>
    ({ changes, waits }) as unknown as Plan;

  test('the stage 2 of the domain, but for credentials', () => {
    const frozen = alias('sales');
    const late = alias('*', { action: 'delete', desired: null, stage: 2 });
    const credential = { ...late, kind: 'credential', name: 'printer' } as unknown as Change;
    const elsewhere = alias('info', { domain: 'beta.example' as DomainName, stage: 2 });
    const { plan, heldBack } = withholdChanges(
      planOf([frozen, late, credential, elsewhere]),
      new Set([frozen]),
    );
    expect(plan.changes).toEqual([credential, elsewhere]);
    expect(heldBack).toEqual([frozen, late]);
  });

  test('the other rules of the domain, which are one order', () => {
    const [first, second] = ['a', 'b'].map((name) => ({ ...alias(name), kind: 'rule' }) as unknown as Change);
    const plan = planOf([first as Change, second as Change, alias('info')]);
    expect(withholdChanges(plan, new Set([first as Change])).plan.changes).toEqual([alias('info')]);
  });

  test('changes that wait for it, and changes that wait for those', () => {
    const frozen = alias('sales');
    const [next, last] = ['b.example', 'c.example'].map((domain) =>
      alias('info', { domain: domain as DomainName }),
    ) as [Change, Change];
    const waits: Plan['waits'] = new Map<string, ReadonlyMap<Change, WaitReason>>([
      [itemKey(last), new Map([[next, 'leads-there']])],
      [itemKey(next), new Map([[frozen, 'led-away']])],
    ]);
    const { plan, heldBack } = withholdChanges(planOf([frozen, last, next], waits), new Set([frozen]));
    expect([plan.changes, heldBack]).toEqual([[], [frozen, last, next]]);
  });

  test('a credential takes nothing along', () => {
    const credential = { ...alias('printer'), kind: 'credential' } as unknown as Change;
    const late = alias('old', { action: 'delete', desired: null, stage: 2 });
    expect(withholdChanges(planOf([credential, late]), new Set([credential])).plan.changes).toEqual([late]);
  });
});
