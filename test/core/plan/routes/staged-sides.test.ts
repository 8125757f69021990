import { describe, expect, test } from 'vitest';
import { decodeForward } from '../../../../src/core/model/destinations.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Change } from '../../../../src/core/model/plan.ts';
import type { RuleMatch, Scope } from '../../../../src/core/model/resources.ts';
import type { DomainSide } from '../../../../src/core/plan/routes/sides.ts';
import { readStages, type StagedSides } from '../../../../src/core/plan/routes/staged-sides.ts';
import type { Reading } from '../../../../src/core/plan/routes/tables.ts';
import { ACME, change, desired, live, liveAliases, liveRule, observed, present } from '../support/build.ts';

const A = 'ana@corp.example';
const B = 'ben@corp.example';
const C = 'cleo@corp.example';
const INVOICE: RuleMatch = { type: 'regex', regex: '.*invoice.*', scopes: ['subject'] };
const BY_ALIASES = { routingEngine: 'alias' } as const;

interface Options {
  readonly changes?: readonly Change[];
  readonly ignored?: readonly string[];
  readonly isPlanned?: boolean;
  readonly reading?: Partial<Reading>;
}

/** ACME in all stages; null means that the account does not have it. */
function stages(row: Partial<ObservedDomain> | null, options: Options = {}): StagedSides {
  const { changes = [], ignored = [], isPlanned = true, reading = {} } = options;
  return readStages(
    {
      desired: desired(isPlanned ? [present(ACME)] : []),
      observed: observed(row === null ? [] : [live(ACME, row)]),
    },
    { engine: 'aliases', anchoring: 'anywhere', fallback: 'account', ...reading },
    { changesIn: () => changes, ignoredIn: () => new Set(ignored) },
  );
}

/** An alias `info` that is added, changed or deleted. */
function infoChange(action: Change['action'], forward: string | null, stage: 1 | 2 = 1): Change {
  const state = forward === null ? null : { forward: decodeForward(forward) };
  return change(ACME, 'info', { action, stage, desired: state } as Partial<Change>);
}

/** Returns the destinations of mail to `info`, or the reason for having none. */
function fate({ routing }: DomainSide): readonly string[] | string {
  if (typeof routing === 'string') return routing;
  const routes = routing({ to: `info@${ACME}`, from: '', subject: '', body: '' });
  if (routes === 'unknown') return routes;
  const [route] = routes;
  return route.kind === 'refused' ? 'refused' : route.forward;
}

function fates({ before, between, after }: StagedSides): readonly unknown[] {
  return [before, between, after].map((side) => fate(side(ACME)));
}

describe('while a run is under way, mail has all destinations of before and after', () => {
  test.each<[string, Record<string, string>, Change[], readonly string[] | string, readonly string[] | null]>(
    [
      ['nothing takes it', {}, [], 'refused', null],
      ['nothing changes', { info: A }, [], [A], [A]],
      ['its alias changes', { info: A }, [infoChange('update', `${B},${A}`, 2)], [A, B], [A, B]],
      ['its alias comes', {}, [infoChange('add', A)], [A], [A]],
      ['its alias goes', { info: A }, [infoChange('delete', null, 2)], [A], [A]],
      ['its alias comes, where it fell to another', { '*': B }, [infoChange('add', A)], [B, A], [B, A]],
      [
        'its alias goes and it falls to another',
        { info: A, '*': B },
        [infoChange('delete', null, 2)],
        [A, B],
        [A, B],
      ],
    ],
  )('%s', (_, aliases, changes, expected, ofAlias) => {
    const { meanwhile } = stages({ ...BY_ALIASES, aliases: liveAliases(aliases) }, { changes });
    const side = meanwhile(ACME);
    expect([side.engine, fate(side), side.aliasOf('info')?.forward ?? null]).toEqual([
      'aliases',
      expected,
      ofAlias,
    ]);
  });

  test.each<[Scope, string]>([
    ['recipient', B],
    ['sender', C],
    ['subject', C],
    ['body', C],
  ])(
    'a rule comes: its mail goes as mail to any address without content, with a rule for the %s',
    (scope, to) => {
      const other = liveRule('other', 1, B, { match: { type: 'regex', regex: '.+', scopes: [scope] } });
      const added = change(ACME, 'bills', {
        kind: 'rule',
        action: 'add',
        desired: { match: INVOICE, forward: decodeForward(A), active: true, rank: 2 },
      } as Partial<Change>);
      const row = { routingEngine: 'rules', rulesFallbackEmail: C, rules: [other] } as const;
      const side = stages(row, { changes: [added] }).meanwhile(ACME);
      expect([side.engine, side.takerOf(INVOICE)?.forward]).toEqual(['rules', [to, A]]);
    },
  );
});

test('after stage 1, only the changes of stage 1 are made', () => {
  const row = { ...BY_ALIASES, aliases: liveAliases({ info: A }) };
  expect(fates(stages(row, { changes: [infoChange('update', B, 1)] }))).toEqual([[A], [B], [B]]);
  expect(fates(stages(row, { changes: [infoChange('update', B, 2)] }))).toEqual([[A], [A], [B]]);
});

test('an alias that does not count is missing until all changes are made', () => {
  const row = { ...BY_ALIASES, aliases: liveAliases({ other: A, info: A, '*': B }) };
  expect(fates(stages(row, { ignored: ['info'] }))).toEqual([[B], [B], [A]]);
});

test('a new domain refuses mail before it is made, and has the aliases of the changes', () => {
  const made = change(ACME, ACME, { kind: 'domain', action: 'add' } as Partial<Change>);
  const changes = [made, infoChange('add', A)];
  expect(fates(stages(null, { changes, ignored: ['*'] }))).toEqual(['refused', [A], [A]]);
});

test.each<[string, Partial<ObservedDomain> | null, Options, string]>([
  ['the account does not have', null, { isPlanned: false }, 'outside'],
  ['has no aliases that were read', BY_ALIASES, {}, 'unknown'],
  [
    'is assumed to refuse mail as long as it is not read',
    BY_ALIASES,
    { reading: { refusesUnread: true } },
    'refused',
  ],
])('in a domain that %s, nothing matches mail by name', (_, row, options, expected) => {
  const sides = stages(row, options);
  expect(fates(sides)).toEqual([expected, expected, expected]);
  const { engine, aliasOf, takerOf, ...meanwhile } = sides.meanwhile(ACME);
  expect([
    fate({ engine, aliasOf, takerOf, ...meanwhile }),
    engine,
    aliasOf('info'),
    takerOf(INVOICE),
  ]).toEqual([expected, null, null, null]);
});
