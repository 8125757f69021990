import { describe, expect, test } from 'vitest';
import type { DomainName } from '../../../src/model/names.ts';
import type { AliasChange, Change, Plan } from '../../../src/model/plan.ts';
import { createAgenda } from '../../../src/reconcile/daemon/agenda.ts';
import { backoff } from '../../../src/reconcile/daemon/backoff.ts';
import { createContest, type Contest } from '../../../src/reconcile/daemon/contest.ts';
import { holdBack } from '../../../src/reconcile/daemon/hold.ts';

const ACME = 'acme.example' as DomainName;
const HOUR = 3_600_000;

function alias(name: string, options: Partial<AliasChange> = {}): AliasChange {
  return {
    kind: 'alias',
    action: 'update',
    domain: ACME,
    name,
    id: '1',
    observed: { forward: 'x@elsewhere.example' as never },
    desired: { forward: 'ana@corp.example' as never },
    fields: ['forward'],
    stage: 1,
    conditional: false,
    reason: 'manifest',
    source: null,
    ...options,
  };
}

/** One look after another, an hour apart, each with these changes; those that are not frozen are made. */
function looks(contest: Contest, rounds: readonly (readonly Change[])[], start = 0): readonly number[] {
  return rounds.map((changes, index) => {
    const now = (start + index) * HOUR;
    const frozen = contest.look({ domains: [ACME], changes, references: new Map(), now });
    contest.placed(changes.filter((change) => !frozen.has(change)));
    return frozen.size;
  });
}

describe('items that somebody else changes back', () => {
  const change = [alias('sales')];
  const drift = [alias('sales', { reason: 'drift' })];

  test('freeze at the third time', () => {
    expect(looks(createContest(), [change, change, change, change, change])).toEqual([0, 0, 0, 1, 1]);
  });

  test('drift counts from the first, for an earlier process put it there', () => {
    expect(looks(createContest(), [drift, drift, drift])).toEqual([0, 0, 1]);
  });

  test('three times in six looks, not in seven', () => {
    expect(looks(createContest(), [drift, [], [], drift, [], drift])).toEqual([0, 0, 0, 0, 0, 1]);
    expect(looks(createContest(), [drift, [], [], drift, [], [], drift])).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test('a delete that is undone each time counts like any other', () => {
    const stray = [alias('stray', { action: 'delete', desired: null, reason: 'prune', stage: 2 })];
    expect(looks(createContest(), [stray, stray, stray, stray])).toEqual([0, 0, 0, 1]);
  });

  test('a change that fails each time was not changed back', () => {
    const contest = createContest();
    for (let look = 0; look < 10; look += 1) {
      const frozen = contest.look({ domains: [ACME], changes: change, references: new Map(), now: look });
      expect(frozen.size).toBe(0);
    }
  });

  test('thaw when the entry changes, after a day, and on demand', () => {
    const contest = createContest();
    looks(contest, [drift, drift, drift]);
    expect(
      looks(contest, [[alias('sales', { desired: { forward: 'bob@corp.example' as never } })]], 4),
    ).toEqual([0]);
    looks(contest, [drift, drift, drift, drift], 5);
    expect(looks(contest, [drift], 30)).toEqual([1]);
    expect(looks(contest, [drift], 40)).toEqual([0]);
    contest.thaw();
    expect(looks(contest, [change], 41)).toEqual([0]);
  });
});

describe('what is held back takes along what depends on it', () => {
  const planOf = (changes: readonly Change[]): Plan => ({ changes }) as unknown as Plan;

  test('the stage 2 of the domain, but for credentials', () => {
    const frozen = alias('sales');
    const late = alias('*', { action: 'delete', desired: null, stage: 2 });
    const credential = { ...late, kind: 'credential', name: 'printer' } as unknown as Change;
    const elsewhere = alias('info', { domain: 'beta.example' as DomainName, stage: 2 });
    const { plan, heldBack } = holdBack(planOf([frozen, late, credential, elsewhere]), new Set([frozen]));
    expect(plan.changes).toEqual([credential, elsewhere]);
    expect(heldBack).toEqual([frozen, late]);
  });

  test('the other rules of the domain, which are one order', () => {
    const [first, second] = ['a', 'b'].map((name) => ({ ...alias(name), kind: 'rule' }) as unknown as Change);
    const plan = planOf([first as Change, second as Change, alias('info')]);
    expect(holdBack(plan, new Set([first as Change])).plan.changes).toEqual([alias('info')]);
  });

  test('a credential takes nothing along', () => {
    const credential = { ...alias('printer'), kind: 'credential' } as unknown as Change;
    const late = alias('old', { action: 'delete', desired: null, stage: 2 });
    expect(holdBack(planOf([credential, late]), new Set([credential])).plan.changes).toEqual([late]);
  });
});

test('pauses double up to the interval, a quarter of them left to chance', () => {
  const pauses = [1, 2, 3, 4, 10, 1_000].map((failures) => backoff(failures, 300_000, () => 0) / 1000);
  expect(pauses).toEqual([5, 10, 20, 40, 300, 300]);
  expect(backoff(3, 300_000, () => 0.999)).toBeGreaterThan(15_000);
  expect(backoff(1, 1, () => 0)).toBe(1_000);
});

describe('the agenda', () => {
  const start = (): ReturnType<typeof createAgenda> =>
    createAgenda({ intervalMs: 300_000, lookEveryMs: 30_000, random: () => 0, now: 0 });

  test('looks at the files first; without a manifest at nothing else', () => {
    const agenda = start();
    expect(agenda.next(0)).toEqual({ kind: 'look' });
    agenda.looked(0);
    expect(agenda.next(0)).toEqual({ kind: 'wait', milliseconds: 30_000 });
    agenda.noticed(1_000);
    agenda.noticed(1_400);
    expect(agenda.next(1_000)).toEqual({ kind: 'wait', milliseconds: 500 });
  });

  test('what changed goes before what failed and before the sweep', () => {
    const agenda = start();
    agenda.looked(0);
    agenda.manage(new Map([[ACME, null]]));
    expect(agenda.next(0)).toEqual({ kind: 'start-sweep' });
    agenda.changed([ACME]);
    expect(agenda.next(0)).toEqual({ kind: 'run', cause: 'manifest', domains: [ACME] });
    agenda.ended({ cause: 'manifest', domains: [ACME], failing: 'all' }, 0);
    agenda.sweeps.started(0);
    expect(agenda.next(0)).toEqual({ kind: 'wait', milliseconds: 5_000 });
    expect(agenda.next(5_000)).toEqual({ kind: 'run', cause: 'retry', domains: [ACME] });
    agenda.sweeps.read(5_000);
    expect(agenda.next(5_000)).toEqual({ kind: 'finish-sweep' });
    agenda.ended({ cause: 'sweep', domains: [ACME], failing: [] }, 5_000);
    expect(agenda.failures()).toBe(0);
    expect(agenda.sweeps.state()).toEqual({ kind: 'waiting', at: 300_000 });
  });

  test('never waits for less than a millisecond, nor longer than an hour', () => {
    const agenda = createAgenda({ intervalMs: 1e12, lookEveryMs: 1e12, random: () => 0, now: 0 });
    agenda.looked(0);
    expect(agenda.next(0)).toEqual({ kind: 'wait', milliseconds: 3_600_000 });
    expect(agenda.next(1e12 - 0.25)).toEqual({ kind: 'wait', milliseconds: 1 });
  });
});
