import { expect, test } from 'vitest';
import { createRanAccounts, type RanAccount } from '../../../src/service/fleet/ran-accounts.ts';
import { accountStatus } from '../status/support/statuses.ts';

function ran(name: string, entries: number): RanAccount {
  return {
    status: { ...accountStatus(), name },
    desired: { domains: new Map() } as never,
    entries,
    history: null,
  };
}

test('the latest accounts are kept, of 100,000 entries together at most', () => {
  const accounts = createRanAccounts();
  const names = (): readonly string[] => accounts.list().map(({ status }) => status.name);
  accounts.add(ran('a', 40_000));
  accounts.add(ran('b', 60_000));
  expect(names()).toEqual(['a', 'b']);
  accounts.add(ran('a', 40_000));
  expect(names()).toEqual(['b', 'a']);
  accounts.add(ran('c', 1));
  expect(names()).toEqual(['a', 'c']);
  accounts.add(ran('huge', 100_001));
  expect(names()).toEqual([]);
});
