import { expect, test } from 'vitest';
import type { Destination } from '../../../src/core/model/destinations.ts';
import type { RuleMatch } from '../../../src/core/model/resources.ts';
import { createRouter, type RoutingTable } from '../../../src/core/routing/route.ts';
import { triedBefore } from '../../../src/core/routing/tried.ts';

const forward = ['a@x.example' as Destination];
const alias = (name: string) => ({ name, forward });
const rule = (id: string, match: RuleMatch, active = true) => ({ id, match, forward, active });

const ALIASES = [alias('info'), alias('(sales|shop)'), alias('team-.*|crew'), alias('ticket?'), alias('*')];
const RULES = [
  rule('off', { type: 'alias', alias: 'info' }, false),
  rule('one', { type: 'alias', alias: 'jobs' }),
  rule('two', { type: 'alias', alias: 'team-*' }),
];

type Table = RoutingTable<(typeof ALIASES)[number], (typeof RULES)[number]>;
const BY_ALIASES: Table = { aliases: ALIASES, rules: RULES, mode: 'aliases', fallback: null };
const BY_RULES: Table = { ...BY_ALIASES, mode: 'rules' };
const BOTH: Table = { ...BY_ALIASES, mode: 'rules-then-aliases' };
const CLOSED: Table = { ...BY_ALIASES, aliases: ALIASES.slice(0, -1) };

test.each<[string, Table, string, readonly string[]]>([
  ['a name: nothing before it', BY_ALIASES, 'info', []],
  ['a name with a label: the whole of it', BY_ALIASES, 'info+x', ['name info+x absent']],
  ['the first pattern: the name', BY_ALIASES, 'shop', ['name shop absent']],
  [
    'a later pattern: those before it',
    BY_ALIASES,
    'crew',
    ['name crew absent', 'alias (sales|shop) no-match'],
  ],
  [
    'the catch-all: every pattern, and the name with and without its label',
    BY_ALIASES,
    'bob+x',
    ['name bob+x absent', 'name bob absent', 'alias (sales|shop) no-match', 'alias team-.*|crew no-match'],
  ],
  [
    'a plus in front is no label',
    CLOSED,
    '+x',
    ['name +x absent', 'alias (sales|shop) no-match', 'alias team-.*|crew no-match'],
  ],
  ['the first active rule: those before it', BY_RULES, 'jobs', ['rule off inactive']],
  ['a later rule', BY_RULES, 'team-a', ['rule off inactive', 'rule one no-match']],
  ['no rule: all of them', BY_RULES, 'bob', ['rule off inactive', 'rule one no-match', 'rule two no-match']],
  [
    'rules before aliases: an alias',
    BOTH,
    'info',
    ['rule off inactive', 'rule one no-match', 'rule two no-match'],
  ],
  ['rules before aliases: a rule', BOTH, 'jobs', ['rule off inactive']],
])('%s', (_, table, local, expected) => {
  const to = `${local}@acme.example`;
  const route = createRouter(table).route({ to, from: '', subject: '', body: '' });
  const tried = triedBefore(table, to, route).map((entry) => {
    const what =
      entry.kind === 'rule' ? entry.rule.id : entry.kind === 'alias' ? entry.alias.name : entry.name;
    return `${entry.kind} ${what} ${entry.outcome}`;
  });
  expect(tried).toEqual(expected);
});
