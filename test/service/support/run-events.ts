import { decodeForward } from '../../../src/core/model/destinations.ts';
import type { DaemonEvent, RunResult } from '../../../src/core/model/status/daemon.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { Change, Plan } from '../../../src/core/model/plan.ts';

export const DRIFT = {
  kind: 'alias',
  action: 'update',
  domain: 'acme.example' as DomainName,
  name: 'sales',
  id: '7',
  fields: ['forward'],
  observed: { forward: decodeForward('mallory@elsewhere.example') },
  desired: { forward: decodeForward('carol@corp.example') },
  conditional: false,
  reason: 'drift',
  source: { file: 'fwdsync.yaml', line: 5, column: 7 },
} as unknown as Change;

export const PLAN = {
  summary: { add: 0, update: 0, move: 0, delete: 3, conditional: 0, unchanged: 0, unmanaged: 0 },
  changes: [],
  guards: [],
  withheld: [],
  warnings: [],
  problems: [],
  neededElsewhere: new Map(),
  waits: new Map(),
} as unknown as Plan;

export const REFUSED = {
  ...PLAN,
  guards: [
    {
      guard: 'max-deletes',
      scope: 'acme.example/aliases',
      message: '3 of 4 deleted',
      holds: { kind: 'run-deletes' },
      allow: '--allow-deletes 3',
      allowed: false,
    },
  ],
} as unknown as Plan;

export function finished(
  result: Partial<Extract<RunResult, { kind: 'completed' }>>,
  account = 'acme',
): DaemonEvent {
  const looked = {
    kind: 'completed',
    plan: PLAN,
    references: new Map(),
    report: null,
    frozen: [],
    unset: [],
    drift: [],
    ...result,
  } as const;
  return { account, kind: 'run-finished', run: 'r1', cause: 'sweep', seconds: 1, result: looked };
}

export function failed(message: string): DaemonEvent {
  const result = { kind: 'failed', what: 'read', message } as const;
  return { account: 'acme', kind: 'run-finished', run: 'r1', cause: 'sweep', seconds: 1, result };
}
