import { decodeForward } from '../../../../src/core/model/destinations.ts';
import type { Desired } from '../../../../src/core/model/desired.ts';
import type { ObservedRule } from '../../../../src/core/kinds/rule/fields.ts';
import type { AccountStatus, DeliveryStatus } from '../../../../src/core/model/status/daemon.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import { desiredOf } from '../../../core/manifest/support/loading.ts';
import { aliasChange, ruleMove } from './scenery.ts';
import { accountStatus, domainStatus, READ_AT } from './statuses.ts';

const MANIFEST = `version: 1
destinations:
  team: [ana@corp.example, ben@corp.example]
domains:
  events.example:
    aliases:
      sales: team
      info: ana@corp.example
      jobs: bob@corp.example
      "*": ben@corp.example
    rules:
      - { name: vip, alias: vip, forward: ana@corp.example }
      - { name: invoices, regex: invoice, scopes: [subject], forward: team }
      - { name: off, alias: off, forward: team, active: false }
`;

export const EVENTS: Desired = desiredOf({ 'acme.yaml': MANIFEST });

/** A domain with pending changes, failing mail, and live items that the manifest does not name. */
export function eventsAccount(more: Partial<AccountStatus> = {}): AccountStatus {
  const forward = decodeForward('mallory@elsewhere.example');
  const handMade: ObservedRule = {
    id: 'd3b0',
    match: { type: 'cel', expression: 'size(subject) > 100' },
    forward,
    rank: 1.5,
    active: true,
  };
  const events = domainStatus({
    state: 'drifted',
    pending: { add: 1, update: 1, move: 1, delete: 1 },
    changes: [
      aliasChange('info', null, 'ana@corp.example', 8),
      aliasChange('jobs', 'dan@corp.example', 'bob@corp.example', 9),
      aliasChange('stray', 'mallory@elsewhere.example', null),
      ruleMove('invoices', 3, 2),
    ],
    line: { file: 'acme.yaml', line: 5, column: 3 },
    engine: 'rules',
    unnamed: {
      aliases: [{ id: 'a9', name: 'hand-made', forward }],
      rules: [handMade],
      ruleOrder: ['vip', 'd3b0', 'off', 'invoices'],
      more: 0,
    },
  });
  return accountStatus({ domains: new Map([['events.example', events]]), delivery: bouncing(), ...more });
}

function bouncing(): DeliveryStatus {
  const trouble = {
    domain: 'events.example' as DomainName,
    alias: 'sales',
    rule: null,
    destination: 'ben@corp.example',
    since: READ_AT - 7_200_000,
    count: 3,
    lastError: { at: READ_AT, code: 550, message: '5.1.1 no such mailbox' },
    source: { file: 'acme.yaml', line: 7, column: 7 },
  };
  const counts = { delivered: 21, refused: 0, soft: 0, hard: 3, unknownNames: 0 };
  const followed = { counts, open: 0, readAt: READ_AT, gap: null, failure: null, troubles: [trouble] };
  return { isRead: true, reasons: [], domains: new Map([['events.example', followed]]) };
}

/** One domain with this many aliases. */
export function wideDomain(count: number): {
  readonly desired: Desired;
  readonly status: AccountStatus;
} {
  const names = Array.from({ length: count }, (_, index) => `name${String(index).padStart(5, '0')}`);
  const lines = names.map((name) => `      ${name}: [ana@corp.example, ${name}@corp.example]`);
  const text = ['version: 1', 'domains:', '  wide.example:', '    aliases:', ...lines, ''].join('\n');
  return {
    desired: desiredOf({ 'wide.yaml': text }),
    status: accountStatus({ domains: new Map([['wide.example', domainStatus({ engine: 'alias' })]]) }),
  };
}
