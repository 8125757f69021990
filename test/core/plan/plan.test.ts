import { fromEnvironment } from '../../support/references.ts';
import { describe, expect, test } from 'vitest';
import type { DesiredDomain } from '../../../src/core/model/desired.ts';
import { decodeForward } from '../../../src/core/model/destinations.ts';
import { signature } from '../../../src/core/kinds/items.ts';
import { NO_PRIOR, type PriorDomain } from '../../../src/core/model/prior.ts';
import { lossesByChanges } from '../../../src/core/plan/plan.ts';
import { manifestSize } from '../../../src/core/plan/size.ts';
import {
  absent,
  ACME,
  aliasSection,
  at,
  brief,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveRule,
  name,
  NOW,
  observed,
  plan,
  POLICY,
  present,
  prior,
  rule,
  ruleSection,
  sizeOf,
} from './support/build.ts';

test('a plan, whole', () => {
  const wanted = desired(
    [
      present('b.example'),
      present(ACME, { aliases: aliasSection({ info: 'a@x.example', same: 's@x.example' }) }),
    ],
    { files: ['one.yaml', 'two.yaml'], digest: 'sha256:both' },
  );
  const rows = [
    live('b.example'),
    live(ACME, { aliases: liveAliases({ same: 's@x.example', other: 'o@x.example' }) }),
  ];
  const allowances = [
    { kind: 'reroutes', count: 2 },
    { kind: 'deletes', count: 1 },
    { kind: 'deletes', count: 1 },
  ] as const;
  const result = plan(wanted, observed(rows), { with: { allowances } });
  expect(result).toEqual({
    api: { url: 'https://api.example/v4', version: 'v4', account: 'ops@acme.example' },
    manifest: { files: ['one.yaml', 'two.yaml'], digest: 'sha256:both' },
    summary: {
      add: 1,
      update: 0,
      move: 0,
      delete: 0,
      conditional: 0,
      unchanged: 3,
      unmanaged: 1,
      notices: 0,
      silenced: 0,
    },
    limits: {
      domains: { live: 2, limit: null },
      aliases: { live: 2, limit: null },
      rules: { live: 0, limit: null },
    },
    unchanged: new Map([
      [ACME, 2],
      [name('b.example'), 1],
    ]),
    changes: [
      {
        kind: 'alias',
        action: 'add',
        domain: ACME,
        name: 'info',
        id: null,
        observed: null,
        desired: { forward: ['a@x.example'] },
        fields: ['forward'],
        stage: 1,
        conditional: false,
        reason: 'manifest',
        source: at(10),
      },
    ],
    guards: [],
    allowances: ['--allow-deletes 1', '--allow-reroutes 2'],
    withheld: [],
    neededElsewhere: new Map(),
    waits: new Map(),
    warnings: [],
    problems: [],
    adoptions: [],
  });
});

test('counts of each action, conditional changes also by themselves', () => {
  const rows = ['a', 'b', 'c'].map((text, index) =>
    liveRule(`derived-alias-${text}`, 10 * (index + 1), 'x@x.example', {
      match: { type: 'alias', alias: text },
    }),
  );
  const order = ['c', 'a', 'b'].map((text) => rule(text, text === 'a' ? 'y@x.example' : 'x@x.example'));
  const wanted = desired([
    present(ACME, { rules: ruleSection(order), credentials: credentialSection({ p: 'absent' }) }),
    present('new.example', { aliases: aliasSection({ '*': 'a@x.example' }) }),
    present('bare.example', { aliases: aliasSection({}, { prune: true }) }),
  ]);
  const result = plan(
    wanted,
    observed([live(ACME, { rules: rows, credentials: [{ name: 'p' }, { name: 'q' }] })]),
  );
  expect(result.summary).toEqual({
    add: 3,
    update: 1,
    move: 1,
    delete: 2,
    conditional: 2,
    unchanged: 2,
    unmanaged: 1,
    notices: 0,
    silenced: 0,
  });
});

describe('a domain in which nothing can be planned', () => {
  const entry = present(ACME, {
    aliases: aliasSection({ a: 'a@x.example' }),
    rules: ruleSection([rule('r', 'a@x.example')]),
    credentials: credentialSection({ p: 'bare' }),
  });
  const whole = { aliases: [], rules: [], credentials: [{ name: 'p' }] };

  test.each<['aliases' | 'rules' | 'credentials']>([['aliases'], ['rules'], ['credentials']])(
    'its %s were not read',
    (section) => {
      const { [section]: _, ...rest } = whole;
      const result = plan(desired([entry]), observed([live(ACME, rest)]));
      expect([result.changes, result.problems, result.summary.unchanged]).toEqual([[], [], 0]);
      expect(result.withheld).toEqual([
        { domain: ACME, part: 'domain', cause: 'unproven', reason: `its ${section} were not read` },
      ]);
    },
  );

  test.each<[string, DesiredDomain]>([
    ['to be changed', entry],
    ['to be deleted', absent(ACME)],
  ])('%s: its reading failed', (_, wanted) => {
    const unproven = new Map([[ACME, { reason: 'GET /domains/:domain/aliases: 500' }]]);
    const result = plan(desired([wanted]), observed([live(ACME, whole)], { unproven }));
    expect([result.changes, result.warnings, result.unchanged.get(ACME)]).toEqual([[], [], 0]);
    expect(result.withheld).toEqual([
      { domain: ACME, part: 'domain', cause: 'unproven', reason: 'GET /domains/:domain/aliases: 500' },
    ]);
  });

  test('sections that the manifest does not state may have been left unread', () => {
    const result = plan(desired([present(ACME)]), observed([live(ACME)]));
    expect([result.withheld, result.summary.unchanged]).toEqual([[], 1]);
  });
});

test('problems come in the order of the manifest, then by their text; adoptions by domain', () => {
  const bare = (text: string, line: number) =>
    present(text, {
      credentials: {
        ...credentialSection({}),
        entries: new Map(
          [...credentialSection({ q: 'bare', p: 'bare' }).entries].map(([key, entry]) => [
            key,
            { ...entry, source: at(line) },
          ]),
        ),
      },
      rules: ruleSection([rule('r', 'x@x.example')]),
    });
  const row = (text: string) =>
    live(text, {
      credentials: [],
      rules: [liveRule(`id-${text}`, 1, 'x@x.example', { match: { type: 'alias', alias: 'r' } })],
    });
  const result = plan(
    desired([bare('a.example', 9), bare('b.example', 3)]),
    observed([row('a.example'), row('b.example')]),
  );
  expect(result.problems.map(({ message, source }) => `${source?.line} ${message.slice(0, 29)}`)).toEqual(
    [
      '3 credential "p" of b.example: ',
      '3 credential "q" of b.example: ',
      '9 credential "p" of a.example: ',
      '9 credential "q" of a.example: ',
    ].map((line) => line.slice(0, 31)),
  );
  expect(result.adoptions).toEqual([
    { domain: 'a.example', name: 'r', id: 'id-a.example' },
    { domain: 'b.example', name: 'r', id: 'id-b.example' },
  ]);
});

test('how much a manifest manages: domains and entries, tombstones aside', () => {
  const wanted = desired([
    present(ACME, {
      aliases: aliasSection({ a: 'a@x.example', b: false }),
      rules: ruleSection([rule('r', 'a@x.example')]),
      credentials: credentialSection({ p: 'bare', q: 'bare', s: 'bare', t: 'bare' }),
    }),
    present('bare.example'),
    absent('old.example'),
  ]);
  expect(manifestSize(wanted)).toEqual({ domains: new Set([ACME, 'bare.example']), entries: 7 });
});

test('the size of the whole manifest counts where only a part of it is planned', () => {
  const part = desired([present(ACME, { aliases: aliasSection({ a: 'a@x.example' }, { prune: true }) })]);
  const rows = observed([
    live(ACME, {
      aliases: liveAliases({ a: 'a@x.example', b: 'b@x.example', c: 'c@x.example', d: 'd@x.example' }),
    }),
  ]);
  const before = { prior: { ...NO_PRIOR, manifests: [sizeOf(1, 40)] } };
  const guards = (options: object) =>
    plan(part, rows, { ...before, ...options }).guards.map(({ guard }) => guard);
  expect(guards({})).toContain('manifest-shrink');
  expect(guards({ manifestSize: sizeOf(1, 40) })).not.toContain('manifest-shrink');
});

test('digits that the service keeps of a rank bound those that are planned', () => {
  const rows = [1, 2].map((rank) =>
    liveRule(`derived-alias-r${rank}`, rank, 'x@x.example', { match: { type: 'alias', alias: `r${rank}` } }),
  );
  const order = ['r1', 'new', 'r2'].map((text) => rule(text, 'x@x.example'));
  const wanted = desired([present(ACME, { rules: ruleSection(order) })]);
  const ranks = (options: object) =>
    plan(wanted, observed([live(ACME, { rules: rows })]), options).changes.map((change) =>
      change.kind === 'rule' ? [change.name, change.desired?.rank] : [],
    );
  expect(ranks({})).toEqual([['new', 1.5]]);
  expect(ranks({ rankDigits: 1 })).toEqual([['new', 1.5]]);
  const close = rows.map((row, index) => ({ ...row, rank: 1 + index / 10 }));
  const between = (options: object) =>
    plan(wanted, observed([live(ACME, { rules: close })]), options).changes.map(({ name: text }) => text);
  expect([between({}), between({ rankDigits: 1 })]).toEqual([['new'], ['new', 'r2']]);
  expect(ranks({ rankDigits: 0 })).toEqual([
    ['new', 10],
    ['r2', 20],
  ]);
});

describe('an alias of a name that is the id of another', () => {
  test.each<[string, Record<string, string>, Record<string, string | false>, readonly (true | undefined)[]]>([
    ['live', { '2': 'a@x.example', x: 'a@x.example' }, { x: 'b@x.example' }, [true]],
    [
      'to be made',
      { a: 'a@x.example', x: 'a@x.example' },
      { '2': 'n@x.example', x: 'b@x.example' },
      [undefined, true],
    ],
    ['none', { a: 'a@x.example', x: 'a@x.example' }, { x: 'b@x.example' }, [undefined]],
    ['live, to be deleted', { '2': 'a@x.example', x: 'a@x.example', y: 'y@x.example' }, { x: false }, [true]],
  ])('%s', (_, rows, entries, expected) => {
    const wanted = desired([present(ACME, { aliases: aliasSection(entries) })]);
    const { changes } = plan(wanted, observed([live(ACME, { aliases: liveAliases(rows) })]));
    expect(changes.map((change) => (change.kind === 'alias' ? change.idIsName : null))).toEqual(expected);
  });
});

describe('the service’s own catch-all', () => {
  const REST = { r1: 'r@x.example', r2: 'r@x.example' };
  const found = (
    rows: Record<string, string>,
    entries: Record<string, string | false>,
    memory: Partial<PriorDomain>,
  ) => {
    const wanted = desired([present(ACME, { aliases: aliasSection(entries) })], {
      references: fromEnvironment({ 'boss@x.example': 'BOSS' }),
    });
    const account = observed([live(ACME, { aliases: liveAliases(rows) })]);
    return plan(wanted, account, { prior: prior(ACME, memory) }).guards.map(({ guard }) => guard);
  };

  test.each<[string, string, string | undefined, readonly string[]]>([
    ['has what the service gave it', 'owner@x.example', 'owner@x.example', []],
    ['has it in other spelling', ' owner@X.example', 'owner@x.example', []],
    ['has several, in another order', 'b@x.example, a@x.example', 'a@x.example,b@x.example', []],
    ['has what the service gave it, which is a reference now', 'boss@x.example', '{ env: BOSS }', []],
    ['was edited since', 'eve@x.example', 'owner@x.example', ['catch-all']],
    ['was edited since: one more', 'owner@x.example,eve@x.example', 'owner@x.example', ['catch-all']],
    ['is of a domain of which nothing is known', 'owner@x.example', undefined, ['catch-all']],
  ])('%s', (_, forward, given, guards) => {
    const memory =
      given === undefined
        ? {}
        : {
            givenCatchAll: signature({ kind: 'alias', state: { forward: decodeForward(given) } }, new Map()),
          };
    expect(found({ ...REST, '*': forward }, { '*': false }, memory)).toEqual(guards);
    expect(found({ ...REST, '*': forward }, { '*': 'null' }, memory)).toEqual(guards);
  });

  test('is an alias like any other without a memory, however young it is', () => {
    const aliases = [...liveAliases(REST), { id: '9', name: '*', forward: decodeForward('a@x.example') }];
    const wanted = desired([present(ACME, { aliases: aliasSection({ '*': false }) })]);
    const { guards } = plan(wanted, observed([live(ACME, { createdAt: 1000, aliases })]));
    expect(guards.map(({ guard }) => guard)).toEqual(['catch-all']);
  });

  test('is no other alias', () => {
    const rows = { ...REST, a: 'owner@x.example' };
    expect(found(rows, { a: false, r1: false, r2: false }, { givenCatchAll: 'owner@x.example' })).toEqual([
      'max-deletes',
      'empty-section',
    ]);
    expect(
      found({ ...REST, '*': 'owner@x.example' }, { '*': false }, { givenCatchAll: 'owner@x.example' }),
    ).toEqual([]);
  });
});

test('drift is told by what was applied in this domain', () => {
  const wanted = desired([present(ACME, { aliases: aliasSection({ a: 'a@x.example' }) })]);
  const elsewhere = prior('b.example', { applied: new Map([['alias:a', 'a@x.example']]) });
  const here = prior(ACME, { applied: new Map([['alias:a', 'a@x.example']]) });
  const rows = observed([live(ACME, { aliases: [] })]);
  expect(brief(plan(wanted, rows, { prior: elsewhere }))).toEqual(['+alias a 1 manifest']);
  expect(brief(plan(wanted, rows, { prior: here }))).toEqual(['+alias a 1 drift']);
});

describe('an undo', () => {
  const UNDO = { with: { purpose: 'undo' } } as const;
  const patterns = aliasSection({ '(sales|info)': 'a@x.example', '(info|hr)': 'b@x.example' });

  test('is the reason of its changes, and neither they nor its warnings have a place in a manifest', () => {
    const wanted = desired([present(ACME, { aliases: patterns })]);
    const rows = observed([live(ACME, { routingEngine: 'alias', aliases: [] })]);
    const said = ({ changes, warnings, summary }: ReturnType<typeof plan>) => ({
      changes: changes.map(({ reason, source }) => [reason, source]),
      warnings: warnings.map(({ code, source }) => [code, source]),
      notices: summary.notices,
    });
    expect(said(plan(wanted, rows))).toEqual({
      changes: [
        ['manifest', at(11)],
        ['manifest', at(10)],
      ],
      warnings: [['overlapping-patterns', at(11)]],
      notices: 0,
    });
    expect(said(plan(wanted, rows, UNDO))).toEqual({
      changes: [
        ['undo', null],
        ['undo', null],
      ],
      warnings: [['overlapping-patterns', null]],
      notices: 0,
    });
  });

  test('does not say that domains are left behind: it names only those that it changes', () => {
    const memory = prior('gone.example', { applied: new Map([['domain:gone.example', '{}']]) });
    const rows = observed([live(ACME), live('gone.example')]);
    const warnings = (options: object) =>
      plan(desired([present(ACME)]), rows, { prior: memory, ...options }).warnings.map(({ code }) => code);
    expect([warnings({}), warnings(UNDO)]).toEqual([['no-longer-managed'], []]);
  });

  test('deletes the service’s own catch-all like any run', () => {
    const forward = decodeForward('owner@x.example');
    const memory = prior(ACME, {
      givenCatchAll: signature({ kind: 'alias', state: { forward } }, new Map()),
    });
    const guards = (options: object) =>
      plan(
        desired([present(ACME, { aliases: aliasSection({ '*': false }) })]),
        observed([
          live(ACME, {
            aliases: liveAliases({ '*': 'owner@x.example', r: 'r@x.example', s: 's@x.example' }),
          }),
        ]),
        options,
      ).guards.map(({ guard }) => guard);
    expect([guards({ ...UNDO, prior: memory }), guards(UNDO)]).toEqual([[], ['catch-all']]);
  });
});

test('losses by changes count mail that the manifest itself takes away, for the changes that are selected', () => {
  const aliases = liveAliases({ info: 'a@x.example', more: 'a@x.example', rest: 'a@x.example' });
  const input = {
    desired: desired([present(ACME, { aliases: aliasSection({ info: false, more: false }) })]),
    observed: observed([live(ACME, { routingEngine: 'alias', aliases })]),
    policy: POLICY,
    prior: NO_PRIOR,
    now: NOW,
    api: { url: 'https://api.example/v4', version: 'v4' },
  } as const;
  const lost = (...names: readonly string[]) =>
    lossesByChanges(input, {
      changesOf: (_, planned) => planned.filter((change) => names.includes(change.name)),
    }).map(({ address }) => address);
  expect([lost(), lost('info'), lost('info', 'more')]).toEqual([
    [],
    [`info@${ACME}`],
    [`info@${ACME}`, `more@${ACME}`],
  ]);
});
