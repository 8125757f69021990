import { expect, test } from 'vitest';
import type { DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import { planRoutes } from '../../../../src/core/plan/routes/routes.ts';
import {
  ACME,
  aliasSection,
  desired,
  live,
  liveAliases,
  liveRule,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const A = 'ana@corp.example';
const B = 'ben@corp.example';
const UNREAD = 'x@unread.example';

/** Returns the routes of a plan: the fate of each address, the matching entry, and its old name. */
function routes(wanted: readonly DesiredDomain[], rows: readonly ObservedDomain[]): readonly string[] {
  const account = observed(rows);
  const manifest = desired(wanted);
  return planRoutes({ ...plan(manifest, account), desired: manifest, observed: account }).map(
    ({ kind, address, was, by, otherwise }) =>
      [
        `${kind} ${address ?? 'others'} by ${by.before?.name ?? 'nobody'} -> ${by.after?.name ?? 'nobody'}`,
        ...(was === null ? [] : [`was ${was}`]),
        ...(otherwise === null ? [] : [`otherwise ${otherwise.kind}`]),
      ].join(', '),
  );
}

type Aliases = Readonly<Record<string, string>>;

function ofAliases(
  before: Aliases,
  after: Aliases,
  parts: Partial<ObservedDomain> = { routingEngine: 'alias' },
) {
  return routes(
    [present(ACME, { aliases: aliasSection(after, { prune: true }) }), present('unread.example')],
    [
      live(ACME, { ...parts, aliases: liveAliases(before) }),
      live('unread.example', { routingEngine: 'alias' }),
    ],
  );
}

const at = (local: string) => `${local}@${ACME}`;
const RENAMED = `renamed ${at('hello')} by Info -> hello, was ${at('Info')}`;
const LOST = `lost ${at('Info')} by Info -> nobody`;
const NEW = `new ${at('hello')} by nobody -> hello`;

test.each<[string, Aliases, Aliases, readonly string[]]>([
  ['one goes, one comes', { Info: A }, { hello: A }, [RENAMED]],
  ['with several destinations in any order', { Info: `${A},${B}` }, { hello: `${B},${A}` }, [RENAMED]],
  ['with other destinations: both', { Info: A }, { hello: B }, [NEW, LOST]],
  [
    'two pairs, each with its destinations',
    { Info: A, old: B },
    { hello: A, young: B },
    [RENAMED, `renamed ${at('young')} by old -> young, was ${at('old')}`],
  ],
  [
    'one goes and two come: it is not certain',
    { Info: A },
    { hello: A, hallo: A },
    [`new ${at('hallo')} by nobody -> hallo`, NEW, LOST],
  ],
  [
    'one goes, one comes, one goes there from elsewhere',
    { Info: A, other: B },
    { hello: A, other: A },
    [RENAMED, `reroute ${at('other')} by other -> other`],
  ],
  [
    'patterns: what they take is known by them alone',
    { '(a|b)': A },
    { '(c|d)': A },
    [`new ${at('(c|d)')} by nobody -> (c|d)`, `lost ${at('(a|b)')} by (a|b) -> nobody`],
  ],
  [
    'a catch-all has no name',
    { Info: A, '*': A, '(h).*': B },
    { hello: A, '(h).*': B },
    [`renamed ${at('hello')} by Info -> hello, was ${at('Info')}`, 'lost others by * -> nobody'],
  ],
  ['mail to the old name goes on', { Info: A, '(i|I).*': A }, { hello: A, '(i|I).*': A }, [NEW]],
  ['mail to the new name was there before', { Info: A, '(h).*': A }, { hello: A, '(h).*': A }, [LOST]],
  [
    'where mail to the old name goes is not known',
    { Info: A, '*': B },
    { hello: A, '*': UNREAD },
    [RENAMED, `reroute ${at('Info')} by Info -> *`, 'reroute others by * -> *'],
  ],
])('%s', (_, before, after, expected) => {
  expect(ofAliases(before, after)).toEqual(expected);
});

test('if the result differs by rules, lost mail stays a separate entry', () => {
  const rules = [liveRule('info', 1, B, { match: { type: 'alias', alias: 'info' } })];
  expect(ofAliases({ Info: A }, { hello: A }, { rules })).toEqual([
    `${RENAMED}, otherwise reroute`,
    `${LOST}, otherwise reroute`,
  ]);
});

test('if rules route, no alias is renamed', () => {
  const rules = [liveRule('info', 1, B, { match: { type: 'alias', alias: 'info' } })];
  expect(ofAliases({ Info: A }, { hello: A }, { rules, routingEngine: 'rules' })).toEqual([]);
});

test('if rules route, each names the mail that it matches', () => {
  const rules = (text: string) => [liveRule(text, 1, B, { match: { type: 'alias', alias: text } })];
  const wanted = rule('hello', B, { id: 'hello', idIsWritten: true });
  const found = routes(
    [
      present(ACME, {
        aliases: aliasSection({ hello: A }, { prune: true }),
        rules: ruleSection([wanted], { prune: true }),
      }),
    ],
    [live(ACME, { routingEngine: 'rules', aliases: liveAliases({ Info: A }), rules: rules('Info') })],
  );
  expect(found).toEqual([`new ${at('hello')} by nobody -> hello`, `lost ${at('Info')} by Info -> nobody`]);
});

test('a rule of that name is not the old name', () => {
  const found = routes(
    [
      present(ACME, {
        aliases: aliasSection({ info: B, hello: A }),
        rules: ruleSection([], { prune: true }),
      }),
    ],
    [
      live(ACME, {
        routingEngine: 'alias',
        aliases: liveAliases({ info: A }),
        rules: [liveRule('info', 1, A)],
      }),
    ],
  );
  expect(found).toEqual([NEW, `reroute ${at('info')} by info -> info`]);
});

test('an alias of another domain is not the old name', () => {
  const aliases = { info: A };
  const elsewhere = 'b.example';
  const found = routes(
    [
      present(ACME, { aliases: aliasSection({ info: B, hello: A }) }),
      present(elsewhere, { aliases: aliasSection({}, { prune: true }) }),
    ],
    [
      live(ACME, { routingEngine: 'alias', aliases: liveAliases(aliases) }),
      live(elsewhere, { routingEngine: 'alias', aliases: liveAliases(aliases) }),
    ],
  );
  expect(found).toEqual([
    NEW,
    `reroute ${at('info')} by info -> info`,
    `lost info@${elsewhere} by info -> nobody`,
  ]);
});
