import { describe, expect, test } from 'vitest';
import { itemKey } from '../../../src/core/kinds/item-key.ts';
import type { Change, GuardFinding, Hold, Plan, WaitReason } from '../../../src/core/model/plan.ts';
import type { DomainPlan } from '../../../src/core/plan/diff/section.ts';
import {
  isRefused,
  neededElsewhere,
  withheldReason,
  withholdRefused,
} from '../../../src/core/plan/withhold.ts';
import {
  ACME,
  aliasSection,
  brief,
  desired,
  live,
  liveAliases,
  liveTwin,
  name,
  observed,
  plan,
  planRules,
  present,
  rule,
} from './support/build.ts';

const B = name('b.example');
const C = name('c.example');

function finding(holds: Hold, parts: Partial<GuardFinding> = {}): GuardFinding {
  return {
    guard: 'max-deletes',
    scope: 'run',
    limit: 0,
    planned: 1,
    message: 'too many',
    allowance: null,
    allow: null,
    allowed: false,
    holds,
    refuses: true,
    ...parts,
  };
}

/** One alias is added and one deleted in each of three domains. */
function base(): Plan {
  return plan(
    desired(
      [ACME, B, C].map((domain) =>
        present(domain, { aliases: aliasSection({ new: 'n@x.example', old: false }) }),
      ),
    ),
    observed(
      [ACME, B, C].map((domain) =>
        live(domain, {
          aliases: liveAliases({ old: 'o@x.example', kept: 'k@x.example', more: 'm@x.example' }),
        }),
      ),
    ),
  );
}

function kept(result: Pick<Plan, 'changes'>): readonly string[] {
  return result.changes.map(({ domain, name: text }) => `${domain} ${text}`);
}

const ALL = [ACME, B, C].flatMap((domain) => [`${domain} new`, `${domain} old`]);
const BUT = (...left: readonly string[]) => ALL.filter((line) => !left.includes(line));

describe('the parts that a guard withholds', () => {
  test.each<[string, readonly GuardFinding[], readonly string[], readonly string[]]>([
    ['nothing', [], ALL, []],
    ['what is allowed', [finding({ kind: 'run' }, { allowed: true })], ALL, []],
    [
      'the run',
      [finding({ kind: 'run' })],
      [],
      ['acme.example domain', 'b.example domain', 'c.example domain'],
    ],
    [
      'the deletes of the run',
      [finding({ kind: 'run-deletes' })],
      ['acme.example new', 'b.example new', 'c.example new'],
      ['acme.example deletes', 'b.example deletes', 'c.example deletes'],
    ],
    [
      'a domain',
      [finding({ kind: 'domain', domain: B })],
      BUT('b.example new', 'b.example old'),
      ['b.example domain'],
    ],
    [
      'some domains',
      [finding({ kind: 'domains', domains: [C, ACME] })],
      ['b.example new', 'b.example old'],
      ['acme.example domain', 'c.example domain'],
    ],
    [
      'the deletes of a domain',
      [finding({ kind: 'domain-deletes', domain: B })],
      BUT('b.example old'),
      ['b.example deletes'],
    ],
    [
      'the deletes of some domains',
      [finding({ kind: 'domains-deletes', domains: [C, ACME] })],
      BUT('acme.example old', 'c.example old'),
      ['acme.example deletes', 'c.example deletes'],
    ],
    ['a domain that has no changes', [finding({ kind: 'domain', domain: name('else.example') })], ALL, []],
    [
      'the deletes, then the domain: the domain',
      [finding({ kind: 'domain-deletes', domain: B }), finding({ kind: 'domain', domain: B })],
      BUT('b.example new', 'b.example old'),
      ['b.example domain'],
    ],
    [
      'the domain, then the deletes: the domain',
      [finding({ kind: 'domain', domain: B }), finding({ kind: 'domain-deletes', domain: B })],
      BUT('b.example new', 'b.example old'),
      ['b.example domain'],
    ],
  ])('%s', (_, guards, left, withheld) => {
    const result = withholdRefused({ ...base(), guards });
    expect(kept(result)).toEqual(left);
    expect(result.withheld.map(({ domain, part }) => `${domain} ${part}`)).toEqual(withheld);
    expect(result.summary).toMatchObject({
      add: left.filter((line) => line.endsWith('new')).length,
      delete: left.filter((line) => line.endsWith('old')).length,
      unchanged: base().summary.unchanged,
    });
  });

  test.each([finding({ kind: 'run-deletes' }), finding({ kind: 'domain-deletes', domain: ACME })])(
    '$holds.kind: a domain of which every change runs is not listed',
    (guard) => {
      const made = base();
      const changes = made.changes.filter(({ action, domain }) => action === 'add' || domain !== ACME);
      const { withheld } = withholdRefused({ ...made, changes, guards: [guard] });
      expect(withheld.map(({ domain }) => domain)).not.toContain(ACME);
    },
  );

  test('a plan of which nothing is held stays the very plan', () => {
    const made = base();
    expect(withholdRefused(made)).toBe(made);
  });

  test('is told with the guard that holds it, the first of each part, once, beside what was withheld before', () => {
    const before = { domain: B, part: 'domain', cause: 'unproven', reason: 'not read' } as const;
    const guards = [
      finding({ kind: 'domain-deletes', domain: C }, { guard: 'catch-all', message: 'first' }),
      finding({ kind: 'domain-deletes', domain: C }, { message: 'second' }),
      finding({ kind: 'domain', domain: ACME }, { guard: 'loop', message: 'a loop' }),
      finding({ kind: 'domain', domain: ACME }, { message: 'later' }),
    ];
    const { withheld } = withholdRefused({ ...base(), guards, withheld: [before, before] });
    expect(withheld).toEqual([
      { domain: ACME, part: 'domain', cause: 'guard', reason: 'loop: a loop' },
      before,
      { domain: C, part: 'deletes', cause: 'guard', reason: 'catch-all: first' },
    ]);
    expect(withheldReason({ guard: 'loop', message: 'a loop' })).toBe('loop: a loop');
  });
});

test.each([
  [true, false, true],
  [true, true, false],
  [false, false, false],
])('a finding that refuses: %s, allowed: %s; the plan is refused: %s', (refuses, allowed, expected) => {
  const harmless = finding({ kind: 'run' }, { allowed: true });
  expect(isRefused({ guards: [harmless, finding({ kind: 'run' }, { refuses, allowed })] })).toBe(expected);
});

test('the move of a rule that moves and narrows stays when the deletes of its domain are withheld', () => {
  const rows = ['a', 'b', 'c'].map((text, index) => liveTwin(text, 10 * (index + 1), 'x@x.example'));
  const narrowed = rule('c', 'y@x.example', { id: 'derived-alias-c', match: { type: 'alias', alias: 'z' } });
  const still = rule('b', 'x@x.example', { id: 'derived-alias-b', match: { type: 'alias', alias: 'y' } });
  const made = planRules([narrowed, rule('a', 'x@x.example'), still], rows);
  expect(brief(made)).toEqual(['~rule c 2 manifest', '~rule b 2 manifest']);
  const guards = [finding({ kind: 'domain-deletes', domain: ACME })];
  expect(withholdRefused({ ...made, guards }).changes).toEqual([
    {
      ...made.changes[0],
      action: 'move',
      fields: ['rank'],
      stage: 1,
      reason: 'reorder',
      desired: { match: { type: 'alias', alias: 'c' }, forward: ['x@x.example'], active: true, rank: 5 },
    },
  ]);
});

describe('a route to which another domain forwards until its own change', () => {
  const hub = name('hub.example');
  const made = () =>
    plan(
      desired([
        present(ACME, { aliases: aliasSection({ info: 'x@x.example' }) }),
        present(hub, { aliases: aliasSection({ desk: false, other: false }) }),
      ]),
      observed([
        live(ACME, { aliases: liveAliases({ info: 'desk@hub.example' }) }),
        live(hub, {
          aliases: liveAliases({
            desk: 'a@x.example',
            other: 'a@x.example',
            b: 'b@x.example',
            c: 'c@x.example',
          }),
        }),
      ]),
    );

  test('stays when that change is withheld', () => {
    const result = withholdRefused({ ...made(), guards: [finding({ kind: 'domain', domain: ACME })] });
    expect(kept(result)).toEqual(['hub.example other']);
    expect(result.withheld).toEqual([
      { domain: ACME, part: 'domain', cause: 'guard', reason: 'max-deletes: too many' },
      {
        domain: hub,
        part: 'deletes',
        cause: 'guard',
        reason: 'acme.example still forwards there, and its change is withheld',
      },
    ]);
  });

  test('goes when something else is withheld', () => {
    const result = withholdRefused({ ...made(), guards: [finding({ kind: 'domain', domain: C })] });
    expect(kept(result)).toEqual(['acme.example info', 'hub.example desk', 'hub.example other']);
  });
});

describe('changes that wait for a withheld change', () => {
  const hub = name('hub.example');
  const relay = name('relay.example');
  /** Mail to `info` of ACME is forwarded to the relay and from there to the hub. The hub's old `desk` is deleted. */
  const made = () =>
    plan(
      desired([
        present(ACME, { aliases: aliasSection({ info: 'any@relay.example', jobs: 'x@x.example' }) }),
        present(hub, { aliases: aliasSection({ desk: 'd@x.example', old: 'null' }) }),
      ]),
      observed([
        live(ACME, { aliases: liveAliases({ info: 'old@hub.example', jobs: 'y@x.example' }) }),
        live(hub, { aliases: liveAliases({ old: 'a@x.example' }) }),
        live(relay, { aliases: liveAliases({ '*': 'desk@hub.example' }) }),
      ]),
    );
  const holding = (domain: string) => [finding({ kind: 'domain', domain: name(domain) })];

  test('does not run either', () => {
    const result = withholdRefused({ ...made(), guards: holding(hub) });
    expect(kept(result)).toEqual(['acme.example jobs']);
    expect(result.withheld).toEqual([
      {
        domain: ACME,
        part: 'changes',
        cause: 'guard',
        reason: 'desk of hub.example, to which its mail goes then, is withheld',
      },
      { domain: hub, part: 'domain', cause: 'guard', reason: 'max-deletes: too many' },
    ]);
  });

  test.each([false, true])(
    'nor what waits for that, in the order of the plan or the other one (%s)',
    (isOther) => {
      const whole = made();
      const [info, jobs] = whole.changes.filter(({ domain }) => domain === ACME) as [Change, Change];
      const waits: Plan['waits'] = new Map([
        ...whole.waits,
        [itemKey(jobs), new Map<Change, WaitReason>([[info, 'beside']])],
      ]);
      const changes = isOther ? whole.changes.toReversed() : whole.changes;
      const result = withholdRefused({ ...whole, changes, waits, guards: holding(hub) });
      expect(kept(result)).toEqual([]);
      expect(result.withheld.map(({ reason }) => reason)).toContain(
        'info of acme.example, which matches some of the same mail, is withheld',
      );
    },
  );

  test('a route stays to which one still leads that is withheld', () => {
    const result = withholdRefused({ ...made(), guards: holding(ACME) });
    expect(kept(result)).toEqual(['hub.example desk']);
    expect(result.withheld.map(({ reason }) => reason)).toContain(
      'info of acme.example, from which mail comes here, is withheld',
    );
  });

  test('also where a problem of the manifest withholds that', () => {
    const whole = made();
    const desk = whole.changes.find(({ name: text }) => text === 'desk') as Change;
    const needed = { domain: hub, reason: 'needed', part: 'domain', cause: 'manifest' } as const;
    const result = withholdRefused({ ...whole, neededElsewhere: new Map([[desk, needed]]) });
    expect(kept(result)).toEqual(['acme.example jobs']);
  });
});

describe('a route to which a domain forwards that is withheld', () => {
  const hub = name('hub.example');
  const routes = () => liveAliases({ info: 'desk@hub.example' });
  const found = () =>
    observed([
      live(ACME, { aliases: routes() }),
      live(B, { aliases: routes() }),
      live(hub, { aliases: liveAliases({ desk: 'a@x.example', other: 'a@x.example' }) }),
    ]);
  const changes = () =>
    plan(desired([present(hub, { aliases: aliasSection({ desk: false, other: false }) })]), found()).changes;
  /** Domains that are withheld for these causes. */
  const held = (causes: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(causes).map(([domain, all]) => ({
      domain,
      changes: [],
      withheld: all.map((cause) => ({ domain, part: 'domain', reason: 'unclear', cause })),
    })) as unknown as readonly DomainPlan[];
  const needed = (causes: Readonly<Record<string, readonly string[]>>, own = changes()) => {
    const goes = { domain: hub, changes: own, withheld: [] } as unknown as DomainPlan;
    return [...neededElsewhere([...held(causes), goes], found())];
  };

  test.each<[string, Readonly<Record<string, readonly string[]>>, readonly string[]]>([
    ['stays while the manifest is unclear', { [ACME]: ['manifest'] }, ['desk acme.example']],
    [
      'stays for every such domain',
      { [ACME]: ['manifest'], [B]: ['manifest'] },
      ['desk acme.example, b.example'],
    ],
    ['stays if that is one reason of two', { [ACME]: ['unproven', 'manifest'] }, ['desk acme.example']],
    ['goes where the service is the reason', { [ACME]: ['unproven'] }, []],
    ['goes where nothing is withheld', { [ACME]: [] }, []],
    ['goes where the domain does not exist yet', { [C]: ['manifest'] }, []],
  ])('%s', (_, causes, expected) => {
    const said = needed(causes).map(([{ name: text }, { reason }]) => [text, reason]);
    expect(said).toEqual(
      expected.map((line) => {
        const [text, users] = [line.slice(0, 4), line.slice(5)];
        return [text, `${users} still forwards there, and is withheld`];
      }),
    );
  });

  test('is listed with its own domain, and stays beside what a guard holds', () => {
    const own = changes();
    const [first] = needed({ [ACME]: ['manifest'] }, own);
    expect(first?.[1]).toMatchObject({ domain: hub, part: 'deletes', cause: 'manifest' });
    const whole = { ...base(), changes: [...base().changes, ...own] };
    const guards = [finding({ kind: 'domain', domain: C })];
    const neededThere = new Map([first as [Change, Plan['withheld'][number]]]);
    const result = withholdRefused({ ...whole, guards, neededElsewhere: neededThere });
    expect(kept(result)).toEqual([...BUT('c.example new', 'c.example old'), 'hub.example other']);
  });
});
