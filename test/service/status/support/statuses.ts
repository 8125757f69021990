import type { AccountStatus, DomainStatus } from '../../../../src/core/model/status/daemon.ts';

/** Time of the full read, in epoch milliseconds. */
export const READ_AT = 1_795_000_000_000;

export function domainStatus(more: Partial<DomainStatus> = {}): DomainStatus {
  return {
    state: 'in-sync',
    pending: { add: 0, update: 0, move: 0, delete: 0 },
    changes: [],
    reason: null,
    line: { file: 'acme.yaml', line: 4, column: 3 },
    source: null,
    resolve: null,
    readAt: READ_AT,
    engine: null,
    receiving: null,
    ...more,
  };
}

/** An account that is in sync. */
export function accountStatus(more: Partial<AccountStatus> = {}): AccountStatus {
  return {
    name: 'acme',
    manifest: { state: 'accepted', inForce: true, message: null, problems: [] },
    read: { at: READ_AT, ok: true, message: null, goodAt: READ_AT },
    run: { id: 'r1', cause: 'sweep', at: READ_AT, seconds: 1.5, outcome: 'unchanged' },
    fullReadAt: READ_AT,
    failures: 0,
    mode: 'apply',
    intervalMs: 300_000,
    nextSweepAt: READ_AT + 300_000,
    domains: new Map([['acme.example', domainStatus()]]),
    budgets: new Map(),
    ...more,
  };
}
