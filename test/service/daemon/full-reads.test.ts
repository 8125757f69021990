import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { ObservedDomain } from '../../../src/core/model/observed.ts';
import type { Change } from '../../../src/core/model/plan.ts';
import { createFullReads, type FullReads } from '../../../src/service/daemon/full-reads.ts';

const MINUTE = 60_000;
const NOTHING = { changes: [], withheld: [] };

function namesOf(count: number): readonly DomainName[] {
  return Array.from({ length: count }, (_, index) => `d${index}.example` as DomainName);
}

/** Marks these domains as read at this time and in sync. */
function readAt(reads: FullReads, names: readonly DomainName[], now: number): void {
  const rows = names.map((domain): readonly [DomainName, ObservedDomain] => [
    domain,
    { domain, notification_email: null, whitelabel: null, createdAt: null, readAt: now },
  ]);
  reads.keep(names, new Map(rows), NOTHING);
}

function oldest(reads: FullReads): number {
  return Math.min(...[...reads.domains.values()].map((domain) => domain.readAt ?? Number.NaN));
}

test('no read gets older than the full interval, and each sweep reads no more than its share', () => {
  const times = fc.record({
    count: fc.integer({ min: 1, max: 300 }),
    interval: fc.integer({ min: 1, max: 30 }),
    full: fc.integer({ min: 1, max: 240 }),
  });
  fc.assert(
    fc.property(times, ({ count, interval, full }) => {
      const [intervalMs, fullIntervalMs] = [interval * MINUTE, full * MINUTE];
      const reads = createFullReads({ intervalMs, fullIntervalMs });
      readAt(reads, namesOf(count), 0);
      reads.sweepEnded({ startedAt: 0, endedAt: 0, extent: 'all' });
      const share = Math.ceil((count * interval) / Math.max(interval, full - interval));
      for (let now = intervalMs; now < 10 * (intervalMs + fullIntervalMs); now += intervalMs) {
        expect(now - oldest(reads)).toBeLessThanOrEqual(Math.max(intervalMs, fullIntervalMs));
        const due = reads.due(now);
        expect(due.length).toBeLessThanOrEqual(share);
        readAt(reads, due, now);
        reads.sweepEnded({ startedAt: now, endedAt: now, extent: 'some' });
      }
    }),
    { seed: 1 },
  );
});

test('a slow account is read less often: every twice the time of a full read', () => {
  const reads = createFullReads({ intervalMs: 5 * MINUTE, fullIntervalMs: 60 * MINUTE });
  readAt(reads, namesOf(1_000), 100 * MINUTE);
  reads.sweepEnded({ startedAt: 0, endedAt: 100 * MINUTE, extent: 'all' });
  // Five minutes of 200; reads in the last five would be too late.
  expect(reads.due(100 * MINUTE)).toHaveLength(Math.ceil((1_000 * 5) / 195));
});

test('the oldest come first', () => {
  const reads = createFullReads({ intervalMs: 5 * MINUTE, fullIntervalMs: 60 * MINUTE });
  const [a, b, c] = namesOf(3);
  readAt(reads, [b as DomainName], 3 * MINUTE);
  readAt(reads, [c as DomainName], 1 * MINUTE);
  readAt(reads, [a as DomainName], 2 * MINUTE);
  expect(reads.due(4 * MINUTE)).toEqual([c]);
});

describe('not kept is', () => {
  const [a, b] = namesOf(2) as [DomainName, DomainName];
  const reads = (): FullReads => {
    const made = createFullReads({ intervalMs: 5 * MINUTE, fullIntervalMs: 60 * MINUTE });
    readAt(made, [a, b], 1);
    return made;
  };
  const left = ({ domains }: FullReads): readonly string[] => [...domains.keys()];

  test('a domain with something to change, or that is withheld', () => {
    const made = reads();
    const rows = new Map(made.domains);
    made.keep([a], rows, { changes: [{ domain: a } as Change], withheld: [] });
    expect(left(made)).toEqual([b]);
    made.keep([b], rows, {
      changes: [],
      withheld: [{ domain: b, reason: '', part: 'domain', cause: 'unproven' }],
    });
    expect(left(made)).toEqual([]);
  });

  test('a domain that is gone', () => {
    const made = reads();
    made.keep([a, b], new Map([...made.domains].slice(1)), NOTHING);
    expect(left(made)).toEqual([b]);
  });

  test('a domain that a run is about', () => {
    const made = reads();
    made.forget([b]);
    expect(left(made)).toEqual([a]);
  });

  test('a read from before everything was forgotten', () => {
    const made = reads();
    made.clear(2);
    readAt(made, [a], 1);
    readAt(made, [b], 3);
    expect(left(made)).toEqual([b]);
  });
});
