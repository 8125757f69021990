import type {
  AccountStatus,
  DeliveryStatus,
  DomainHealth,
} from '../../../../src/core/model/status/daemon.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import { decodeForward } from '../../../../src/core/model/destinations.ts';
import type { Change } from '../../../../src/core/model/plan.ts';
import { accountStatus, domainStatus, READ_AT } from './statuses.ts';

/** A change of an alias; null means that it does not exist. */
export function aliasChange(name: string, from: string | null, to: string | null, line = 12): Change {
  const forward = (text: string | null) => (text === null ? null : { forward: decodeForward(text) });
  return {
    kind: 'alias',
    action: from === null ? 'add' : to === null ? 'delete' : 'update',
    domain: 'acme.example',
    name,
    id: null,
    fields: from === null || to === null ? [] : ['forward'],
    observed: forward(from),
    desired: forward(to),
    stage: 1,
    conditional: false,
    reason: to === null ? 'prune' : 'manifest',
    source: to === null ? null : { file: 'acme.yaml', line, column: 7 },
  } as unknown as Change;
}

/** A rule that changes its rank. */
export function ruleMove(name: string, from: number, to: number, line = 13): Change {
  const state = { match: { type: 'regex', regex: 'invoice', scopes: ['subject'] }, active: true };
  const forward = decodeForward('ana@corp.example, ben@corp.example');
  return {
    kind: 'rule',
    action: 'move',
    domain: 'events.example',
    name,
    id: name,
    fields: ['rank'],
    observed: { ...state, forward, rank: from },
    desired: { ...state, forward, rank: to },
    stage: 1,
    conditional: false,
    reason: 'reorder',
    source: { file: 'acme.yaml', line, column: 9 },
    after: 'vip',
  } as unknown as Change;
}

/** One account with a domain in each state, and one account that is not ready. */
export function everyState(): readonly AccountStatus[] {
  const shop = domainStatus({
    state: 'withheld',
    pending: { add: 0, update: 0, move: 0, delete: 3 },
    changes: ['old', 'sales', 'team'].map((name) => aliasChange(name, `${name}@corp.example`, null)),
    reason: 'max-deletes: 3 of 4 aliases would be deleted',
    resolve:
      'if it is intended: fwdsync apply --allow-deletes 3, or in the manifest, below guards.allow: - { deletes: 3, until: 2026-11-25 }',
    line: { file: 'acme.yaml', line: 31, column: 3 },
  });
  const domains = new Map([
    ['acme.example', domainStatus()],
    ['blog.example', domainStatus({ line: { file: 'acme.yaml', line: 9, column: 3 } })],
    [
      'contest.example',
      domainStatus({
        state: 'frozen',
        pending: { add: 0, update: 1, move: 0, delete: 0 },
        changes: [aliasChange('press', 'mallory@elsewhere.example', 'ana@corp.example', 22)],
        reason: 'alias press keeps being changed back by others',
        resolve: 'find out who changes it; then change the entry, or send SIGHUP to try again',
        source: { file: 'acme.yaml', line: 22, column: 7 },
      }),
    ],
    [
      'events.example',
      domainStatus({
        state: 'drifted',
        pending: { add: 1, update: 1, move: 0, delete: 1 },
        changes: [
          aliasChange('info', null, 'ana@corp.example', 26),
          aliasChange('jobs', 'dan@corp.example', 'bob@corp.example', 27),
          aliasChange('stray', 'mallory@elsewhere.example', null),
        ],
        line: { file: 'acme.yaml', line: 25, column: 3 },
      }),
    ],
    [
      'mail.example',
      domainStatus({
        state: 'failing',
        reason: 'PUT /domains/:domain/aliases/:id: 400: this forward is not allowed',
        resolve: 'change the entry, or wait: fwdsync retries',
        source: { file: 'acme.yaml', line: 29, column: 7 },
        pending: { add: 0, update: 1, move: 0, delete: 0 },
        changes: [aliasChange('all', 'dan@corp.example', 'all@corp.example', 29)],
      }),
    ],
    ['new.example', domainStatus({ state: 'unknown', readAt: null })],
    ['shop.example', shop],
  ]);
  const limit = 200;
  return [
    accountStatus({
      domains,
      delivery: failingMail(),
      budgets: new Map([
        ['GET /domains/:domain/aliases', { limit, remaining: 143 }],
        ['PUT /domains/:domain/aliases/:id', { limit, remaining: 198 }],
      ]),
    }),
    accountStatus({
      name: 'beta',
      manifest: {
        state: 'refused',
        inForce: true,
        message: 'the manifest is invalid: 1 error',
        problems: [
          {
            severity: 'error',
            code: 'unknown-destination',
            message: '"anna" is not a destination of this document',
            hint: 'did you mean "ana"?',
            source: { file: 'beta.yaml', line: 14, column: 16 },
          },
        ],
      },
      read: { at: READ_AT, ok: false, message: 'GET /account: 503', goodAt: READ_AT - 7_200_000 },
      run: { id: 'r9', cause: 'retry', at: READ_AT, seconds: 2, outcome: 'failed' },
      failures: 4,
      domains: new Map([['beta.example', domainStatus({ line: { file: 'beta.yaml', line: 4, column: 3 } })]]),
    }),
  ];
}

/** Mail to one destination bounces. */
function failingMail(): DeliveryStatus {
  const trouble = {
    domain: 'acme.example' as DomainName,
    alias: 'sales',
    rule: null,
    destination: 'bob@corp.example',
    since: READ_AT - 7_200_000,
    count: 14,
    lastError: { at: READ_AT, code: 550, message: '5.1.1 no such mailbox' },
    source: { file: 'acme.yaml', line: 6, column: 7 },
  };
  const counts = { delivered: 210, refused: 0, soft: 0, hard: 14, unknownNames: 0 };
  const followed = { counts, open: 0, readAt: READ_AT, gap: null, failure: null, troubles: [trouble] };
  return { isRead: true, reasons: [], domains: new Map([['acme.example', followed]]) };
}

/** Accounts in which everything is in sync. */
export function allInSync(): readonly AccountStatus[] {
  const names = ['acme', 'blog', 'shop'].map((name) => `${name}.example`);
  return [accountStatus({ domains: new Map(names.map((name) => [name, domainStatus()])) })];
}

/** Many domains; a share of them has problems. */
export function manyDomains(count: number): readonly AccountStatus[] {
  const stateOf = (index: number): DomainHealth => (index % 100 === 7 ? 'drifted' : 'in-sync');
  const domains = Array.from({ length: count }, (_, index) => {
    const state = stateOf(index);
    const changes =
      state === 'in-sync'
        ? []
        : Array.from({ length: 20 }, (_entry, at) =>
            aliasChange(`name${at}`, 'dan@corp.example', 'bob@corp.example'),
          );
    const pending = { add: 0, update: changes.length, move: 0, delete: 0 };
    return [`d${String(index).padStart(5, '0')}.example`, domainStatus({ state, changes, pending })] as const;
  });
  return [accountStatus({ domains: new Map(domains) })];
}
