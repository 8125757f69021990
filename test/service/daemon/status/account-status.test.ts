import { expect, test } from 'vitest';
import type { RunResult } from '../../../../src/core/model/status/daemon.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import type { Plan } from '../../../../src/core/model/plan.ts';
import { createStatusTracker } from '../../../../src/service/daemon/status/account-status.ts';
import { aliasChange } from '../../status/support/scenery.ts';

const names = ['a.example', 'b.example', 'c.example'] as DomainName[];

/** A run that found this many changes in each of these domains and applied none. */
function observed(domains: readonly DomainName[], count: number): RunResult {
  const changes = domains.flatMap((domain) =>
    Array.from({ length: count }, (_, index) => ({
      ...aliasChange(`n${index}`, null, 'x@x.example'),
      domain,
    })),
  );
  const plan = {
    changes,
    guards: [],
    withheld: [],
    neededElsewhere: new Map(),
    waits: new Map(),
    problems: [],
  } as unknown as Plan;
  const nothing = { references: new Map(), report: null, frozen: [], unset: [], drift: [] };
  return { kind: 'completed', plan, ...nothing };
}

test('a limited number of many pending changes is kept, and all are counted', () => {
  const tracker = createStatusTracker({ name: 'acme', now: () => 0, emit: () => undefined });
  const desired = {
    domains: new Map(names.map((name) => [name, { source: { file: 'f', line: 1, column: 1 } }])),
  };
  const read = { kind: 'good', desired, size: { domains: new Set(names), entries: 0 }, problems: [] };
  tracker.manifestAccepted(read as never, names);
  const finish = (domains: readonly DomainName[], count: number): readonly (readonly [number, number])[] => {
    const result = observed(domains, count);
    tracker.runFinished({ run: 'r', cause: 'sweep', names: domains, seconds: 1, result, readAt: new Map() });
    const all = tracker.status().domains;
    return names.map((name) => [all.get(name)?.pending.add ?? 0, all.get(name)?.changes.length ?? 0]);
  };
  expect(finish(names, 900)).toEqual([
    [900, 900],
    [900, 900],
    [900, 200],
  ]);
  expect(finish(names.slice(0, 1), 0)).toEqual([
    [0, 0],
    [900, 900],
    [900, 200],
  ]);
  expect(finish(names.slice(2), 5_000)).toEqual([
    [0, 0],
    [900, 900],
    [5_000, 1_100],
  ]);
});
