import { describe, expect, test } from 'vitest';
import { changeName } from '../../../../src/core/model/report.ts';
import type { PresentDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Change, Plan } from '../../../../src/core/model/plan.ts';
import { requestsOf } from '../../../../src/core/plan/requests/requests.ts';
import {
  absent,
  ACME,
  aliasSection,
  desired,
  live,
  liveAliases,
  liveTwin,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const HUB = 'hub.example';
const RELAY = 'relay.example';
const A = 'a@x.example';
const B = 'b@x.example';

type Aliases = Readonly<Record<string, string>>;
type Wanted = Readonly<Record<string, string | false>>;

interface Pair {
  readonly live: Aliases;
  readonly wanted?: Wanted;
}

/** A plan of domains whose aliases route; what has nothing wanted is not managed. */
function planOf(domains: Readonly<Record<string, Pair>>): Plan {
  const managed = Object.entries(domains).flatMap(([domain, { wanted }]) =>
    wanted === undefined ? [] : [present(domain, { aliases: aliasSection(wanted) })],
  );
  const rows = Object.entries(domains).map(([domain, pair]) =>
    live(domain, { routingEngine: 'alias', aliases: liveAliases(pair.live) }),
  );
  return plan(desired(managed), observed(rows));
}

/** `name@domain <- name@domain`, one for each change that waits, with what the changes of stage 2 were moved to. */
function waitsIn({ changes, waits }: Plan): readonly string[] {
  const text = ({ name, domain, stage }: Change): string => `${name}@${domain.split('.')[0]} ${stage}`;
  const byItem = new Map(
    changes.map((change) => {
      const { kind, domain, name } = changeName(change);
      return [`${domain}\n${kind}\n${change.kind === 'rule' ? change.id : name}`, change];
    }),
  );
  return [...waits]
    .flatMap(([item, firsts]) => {
      const change = byItem.get(item);
      return change === undefined
        ? []
        : [`${text(change)} <- ${[...firsts.keys()].map(text).sort().join(', ')}`];
    })
    .sort();
}

/** What goes in each part. */
function partsIn(made: Plan): readonly string[] {
  return requestsOf(made, { version: 'v4', batches: 'allowed' }).map(({ stage, domains }) => {
    const sent = domains.flatMap(({ domain, requests }) =>
      requests.flatMap(({ items }) => items.map(({ change }) => `${change.name}@${domain.split('.')[0]}`)),
    );
    return `${stage}: ${sent.join(' ')}`;
  });
}

describe('mail is led to an address only when that delivers it', () => {
  test.each<[string, Record<string, Pair>, readonly string[]]>([
    [
      'an address that is added',
      {
        [ACME]: { live: { info: A }, wanted: { info: `desk@${HUB}` } },
        [HUB]: { live: {}, wanted: { desk: B } },
      },
      ['info@acme 1 <- desk@hub 1'],
    ],
    [
      'through a domain that is not managed',
      {
        [ACME]: { live: { info: A }, wanted: { info: `any@${RELAY}` } },
        [HUB]: { live: {}, wanted: { desk: B } },
        [RELAY]: { live: { '*': `desk+x@${HUB}` } },
      },
      ['info@acme 1 <- desk@hub 1'],
    ],
    [
      'an address that discards until an alias is deleted',
      {
        [ACME]: { live: { info: A }, wanted: { info: `desk@${HUB}` } },
        [HUB]: { live: { desk: 'null', '*': B, more: B }, wanted: { desk: false } },
      },
      ['info@acme 2 <- desk@hub 2'],
    ],
    [
      'an address that is delivered, and goes elsewhere from then on',
      {
        [ACME]: { live: { info: A }, wanted: { info: `desk@${HUB}` } },
        [HUB]: { live: { desk: A }, wanted: { desk: B } },
      },
      ['info@acme 1 <- desk@hub 1'],
    ],
    [
      'in its own domain',
      { [ACME]: { live: { info: A, desk: 'null' }, wanted: { info: `desk@${ACME}`, desk: B } } },
      ['info@acme 1 <- desk@acme 1'],
    ],
    [
      'a pattern that takes mail to others',
      {
        [ACME]: { live: { '*': A }, wanted: { '(a|b)': `desk@${HUB}` } },
        [HUB]: { live: {}, wanted: { desk: B } },
      },
      ['(a|b)@acme 1 <- desk@hub 1'],
    ],
    [
      'an alias whose mail nothing delivered before: it does not wait',
      { [ACME]: { live: {}, wanted: { info: `desk@${HUB}` } }, [HUB]: { live: {}, wanted: { desk: B } } },
      [],
    ],
    [
      'an address that does not change',
      {
        [ACME]: { live: { info: A }, wanted: { info: `desk@${HUB}` } },
        [HUB]: { live: { desk: B }, wanted: { more: B } },
      },
      [],
    ],
    [
      'a webhook, and what a capture fills in',
      {
        [ACME]: { live: { '(.*)': A }, wanted: { '(.*)': `https://h.example/desk@${HUB},$1@${HUB}` } },
        [HUB]: { live: {}, wanted: { desk: B } },
      },
      [],
    ],
  ])('%s', (_, domains, expected) => {
    expect(waitsIn(planOf(domains))).toEqual(expected);
  });

  test('a domain that is added', () => {
    const made = plan(
      desired([
        present(ACME, { aliases: aliasSection({ info: `desk@${HUB}` }) }),
        present(HUB, { aliases: aliasSection({ desk: B }) }),
      ]),
      observed([live(ACME, { routingEngine: 'alias', aliases: liveAliases({ info: A }) })]),
    );
    expect(waitsIn(made)).toEqual([`info@acme 1 <- desk@hub 1, ${HUB}@hub 1`]);
  });
});

describe('an address delivers until all is led away that goes on being delivered', () => {
  const discards = { live: { '*': A }, wanted: { info: 'null' } };
  const relay = { live: { info: `help@${HUB}` } };
  test.each<[string, Record<string, Pair>, readonly string[]]>([
    [
      'a discard that is added',
      {
        [ACME]: discards,
        [HUB]: { live: { '*': `info@${ACME}` }, wanted: { '(desk|help)': `any@${ACME}` } },
        [RELAY]: relay,
      },
      ['info@acme 1 <- (desk|help)@hub 1'],
    ],
    [
      'a discard, until an alias is deleted',
      {
        [ACME]: discards,
        [HUB]: { live: { help: `info@${ACME}`, '*': B, more: B }, wanted: { help: false } },
        [RELAY]: relay,
      },
      ['info@acme 2 <- help@hub 2'],
    ],
    [
      'an alias that leads to nothing from then on',
      {
        [ACME]: { live: { info: A }, wanted: { info: `any@${RELAY}` } },
        [HUB]: { live: { help: `info@${ACME}` }, wanted: { help: B } },
        [RELAY]: relay,
      },
      ['info@acme 1 <- help@hub 1'],
    ],
    [
      'an alias that is deleted',
      {
        [ACME]: { live: { info: A, r1: A, r2: A }, wanted: { info: false } },
        [HUB]: { live: { help: `info@${ACME}` }, wanted: { help: B } },
      },
      ['info@acme 2 <- help@hub 1'],
    ],
    [
      'mail that is lost in the end, too: nothing waits',
      {
        [ACME]: discards,
        [HUB]: { live: { help: `info@${ACME}` }, wanted: { help: 'null' } },
      },
      [],
    ],
    [
      'a domain',
      {
        [HUB]: { live: { help: 'info@old.example' }, wanted: { help: B } },
        'old.example': { live: { info: A } },
      },
      ['old.example@old 2 <- help@hub 1'],
    ],
  ])('%s', (title, domains, expected) => {
    if (title !== 'a domain') return expect(waitsIn(planOf(domains))).toEqual(expected);
    const gone = live('old.example', { aliases: liveAliases({ info: A }), rules: [], credentials: [] });
    const hub = live(HUB, { routingEngine: 'alias', aliases: liveAliases({ help: 'info@old.example' }) });
    const wanted = desired([present(HUB, { aliases: aliasSection({ help: B }) }), absent('old.example')]);
    expect(waitsIn(plan(wanted, observed([hub, gone])))).toEqual(expected);
    return undefined;
  });
});

test('an address of an alias that does not change ends only when another one of it delivers', () => {
  const relay = (forward: string) =>
    planOf({
      [ACME]: { live: {}, wanted: { info: A } },
      [HUB]: { live: { desk: B, r1: A, r2: A }, wanted: { desk: false } },
      [RELAY]: { live: { any: forward } },
    });
  expect(waitsIn(relay(`info@${ACME},desk@${HUB}`))).toEqual(['desk@hub 2 <- info@acme 1']);
  expect(waitsIn(relay(`info@${ACME},desk@${HUB},r1@${HUB}`))).toEqual([]);
  expect(waitsIn(relay(`info@${ACME},desk@${HUB},${A}`))).toEqual([]);
  const changed = planOf({
    [ACME]: { live: {}, wanted: { info: A } },
    [HUB]: {
      live: { desk: B, any: `info@${ACME},desk@${HUB}` },
      wanted: { desk: 'null', any: `info@${ACME}` },
    },
  });
  expect(waitsIn(changed)).toEqual(['any@hub 1 <- info@acme 1', 'desk@hub 1 <- any@hub 1']);
});

test('mail for which captures make new addresses for ever is followed to an end', () => {
  const made = planOf({
    [ACME]: { live: { '(.*)': A, '*': A }, wanted: { '(.*)': `$1x@${HUB}`, z: `more@${HUB}` } },
    [HUB]: { live: { '(.*)': `$1x@${ACME}` }, wanted: { more: A } },
  });
  expect(waitsIn(made).length).toBeGreaterThan(0);
});

test('mail that would go round: what leads back comes first', () => {
  const made = planOf({
    [ACME]: { live: { jobs: `info@${HUB}`, r1: A, r2: A }, wanted: { '*': A, jobs: false } },
    [HUB]: { live: { info: A }, wanted: { info: `jobs@${ACME}` } },
  });
  expect(waitsIn(made)).toEqual(['info@hub 2 <- *@acme 1, jobs@acme 2', 'jobs@acme 2 <- *@acme 1']);
});

test('mail that would go round: what makes another branch deliver comes first, and what ends it comes last', () => {
  const branches = { [RELAY]: { live: { info: `jobs@${HUB},info@${ACME}` } } };
  const led = planOf({
    [ACME]: { live: { info: `info@${HUB}` }, wanted: { info: `info@${RELAY}` } },
    [HUB]: { live: { info: A }, wanted: { '*': A } },
    ...branches,
  });
  expect(waitsIn(led)).toEqual(['info@acme 1 <- *@hub 1']);
  const ledAway = planOf({
    [ACME]: { live: { info: `info@${RELAY}` }, wanted: { info: `info@${HUB}` } },
    [HUB]: { live: { info: A, '*': A }, wanted: { '*': 'null' } },
    ...branches,
  });
  expect(waitsIn(ledAway)).toEqual(['*@hub 1 <- info@acme 1']);
});

test('mail that is led to a domain that was not read may be lost there: what leads away from it comes first', () => {
  const managed = desired([
    present(ACME, { aliases: aliasSection({ '*': A, info: `info@${RELAY}` }) }),
    present(HUB, { aliases: aliasSection({ '*': B, info: false }) }),
  ]);
  const aliases = { [ACME]: { '*': A }, [HUB]: { '*': B, info: `info@${ACME}` } };
  const rows = Object.entries(aliases).map(([domain, named]) =>
    live(domain, { routingEngine: 'alias', aliases: liveAliases(named) }),
  );
  const made = plan(managed, observed([...rows, live(RELAY, { routingEngine: 'alias' })]));
  expect(waitsIn(made)).toEqual(['info@acme 2 <- info@hub 2']);
});

test('an alias beside one that waits keeps its order, and where it cannot, it does not wait', () => {
  const made = planOf({
    [ACME]: { live: { '*': A, desk: B }, wanted: { '*': `desk@${ACME}`, info: `new@${HUB}` } },
    [HUB]: { live: {}, wanted: { new: B } },
  });
  expect(waitsIn(made)).toEqual(['*@acme 1 <- info@acme 1', 'info@acme 1 <- new@hub 1']);
  expect(partsIn(made)).toEqual(['1: new@hub', '1: info@acme *@acme']);
  const circle = planOf({
    [ACME]: { live: { '*': A }, wanted: { '*': `info@${ACME}`, info: `new@${HUB}` } },
    [HUB]: { live: {}, wanted: { new: B } },
  });
  expect(waitsIn(circle)).toEqual(['*@acme 1 <- info@acme 1', 'info@acme 1 <- new@hub 1']);
});

test('a catch-all waits for an alias that is added beside it and leads to it, not the other way round', () => {
  const made = planOf({
    [ACME]: { live: { '*': A }, wanted: { '*': `info@${RELAY}`, jobs: `${A},info@${ACME}` } },
    [RELAY]: { live: { info: `info@${ACME},jobs@${ACME}` } },
  });
  expect(waitsIn(made)).toEqual(['*@acme 1 <- jobs@acme 1']);
});

test('a pattern is deleted only when the catch-all is there that takes its mail and waits', () => {
  const made = planOf({
    [ACME]: {
      live: { '(a|b)': `info@${HUB}`, r1: A, r2: A },
      wanted: { '(a|b)': false, '*': `desk@${HUB}` },
    },
    [HUB]: { live: { info: A, desk: 'null', r1: A, '*': A }, wanted: { desk: false } },
  });
  expect(waitsIn(made)).toEqual(['(a|b)@acme 2 <- *@acme 2', '*@acme 2 <- desk@hub 2']);
});

test('an alias is deleted only when what would match its mail then is deleted', () => {
  const made = planOf({
    [ACME]: {
      live: { '*': A, '(.*)': A, '(s|t)': A, '(n|l)': 'null', info: A, 'info+x': A, desk: A },
      wanted: { '*': false, '(.*)': false, '(s|t)': false, '(n|l)': false, info: false, desk: A },
    },
  });
  expect(waitsIn(made)).toEqual([
    '(n|l)@acme 2 <- (.*)@acme 2, (s|t)@acme 2, *@acme 2',
    'info@acme 2 <- (.*)@acme 2, *@acme 2',
  ]);
  expect(partsIn(made)).toEqual(['2: *@acme (.*)@acme (s|t)@acme info@acme', '2: (n|l)@acme']);
  const changed = planOf({
    [ACME]: {
      live: { '*': A, '(.*)': A, info: A, desk: A, '(s|t)': B },
      wanted: { '*': B, '(.*)': 'null', info: false, desk: A, '(s|t)': 'null' },
    },
  });
  expect(waitsIn(changed)).toEqual(['info@acme 2 <- (.*)@acme 1']);
});

test('an address with a label is deleted only when the alias without it, which would take its mail, discards too', () => {
  const made = planOf({
    [ACME]: {
      live: { '*': B, lead: 'info@acme.example', 'info+x': 'null', info: A, r1: A, r2: A, r3: A },
      wanted: { 'info+x': false, info: 'null', lead: false },
    },
  });
  expect(waitsIn(made)).toEqual(['info+x@acme 2 <- info@acme 2', 'info@acme 2 <- lead@acme 2']);
  expect(partsIn(made)).toEqual(['2: lead@acme', '2: info@acme info+x@acme']);
});

test.each(['(a|b)', '*'])(
  'a pattern that discards could take mail of one that goes and of %s, which stays',
  (name) => {
    const made = planOf({
      [ACME]: {
        live: { '(a.*)': A, '(.*)': 'null', info: A, desk: A, [name]: A },
        wanted: { '(a.*)': false, '(.*)': false, info: A, desk: A, [name]: A },
      },
    });
    expect(waitsIn(made)).toEqual([]);
  },
);

describe('parts', () => {
  test('domains wait as a whole, and where they wait for each other, change by change', () => {
    const one = { [HUB]: { live: {}, wanted: { desk: B, other: B } } };
    const whole = planOf({
      [ACME]: { live: { info: A, more: A }, wanted: { info: `desk@${HUB}`, more: B } },
      ...one,
    });
    expect(partsIn(whole)).toEqual(['1: desk@hub other@hub', '1: info@acme more@acme']);
    const circle = planOf({
      [ACME]: { live: { info: A, more: A }, wanted: { info: `desk@${HUB}`, back: B, more: B } },
      [HUB]: { live: { leads: A }, wanted: { desk: B, leads: `back@${ACME}` } },
    });
    expect(partsIn(circle)).toEqual(['1: back@acme more@acme desk@hub', '1: info@acme leads@hub']);
  });

  test('of stage 2 those that wait go after those that they wait for', () => {
    const made = planOf({
      [ACME]: { live: { info: A, '*': A }, wanted: { info: `desk@${HUB}`, jobs: 'null' } },
      [HUB]: { live: { desk: 'null', '*': B, help: `jobs@${ACME}` }, wanted: { desk: false, help: false } },
    });
    expect(partsIn(made)).toEqual(['2: desk@hub help@hub', '2: jobs@acme info@acme']);
  });

  test('what matches the mail of an alias that is deleted too is deleted before it', () => {
    const made = planOf({
      [ACME]: { live: { '*': A, info: 'null', r1: A, r2: A, r3: A }, wanted: { '*': false, info: false } },
      [HUB]: { live: { help: `desk@${ACME}`, r1: A, r2: A }, wanted: { help: false } },
    });
    expect(partsIn(made)).toEqual(['2: help@hub', '2: *@acme info@acme']);
  });
});

describe('rules', () => {
  const rules = (
    domain: string,
    rows: ObservedDomain['rules'] & {},
    wanted: PresentDomain['rules'] & {},
  ): Plan =>
    plan(
      desired([present(domain, { rules: wanted })]),
      observed([live(domain, { routingEngine: 'rules', rulesFallbackEmail: A, rules: rows })]),
    );

  test('one that discards goes before one that lets its mail go past it', () => {
    const made = rules(
      ACME,
      [liveTwin('info', 10, B), liveTwin('*', 20, 'null'), liveTwin('z', 30, B)],
      ruleSection([rule('info', B, { active: false }), rule('z', B)], { prune: true }),
    );
    expect(waitsIn(made)).toEqual(['info@acme 2 <- derived-alias-*@acme 2']);
    expect(partsIn(made)).toEqual(['2: derived-alias-*@acme', '2: info@acme']);
  });

  test('one that discards comes in front only when mail is taken past it', () => {
    const made = rules(
      ACME,
      [liveTwin('info', 10, B), liveTwin('*', 20, 'null')],
      ruleSection([
        rule('new', A, { match: { type: 'alias', alias: 'info' } }),
        rule('*', 'null'),
        rule('info', B),
      ]),
    );
    expect(partsIn(made)).toEqual(['1: new@acme', '1: info@acme']);
  });

  test('those that match other mail, deliver, or stand behind do not wait', () => {
    const made = rules(
      ACME,
      [
        liveTwin('desk', 5, 'null'),
        liveTwin('info', 10, B),
        liveTwin('jobs', 20, 'null'),
        liveTwin('z*', 30, B),
      ],
      ruleSection([rule('info', B, { active: false })], { prune: true }),
    );
    expect(waitsIn(made)).toEqual([]);
  });

  test('one that discards is deleted only after those behind it that are deleted and may match its mail', () => {
    const made = rules(
      ACME,
      [
        liveTwin('info', 5, B),
        liveTwin('h*', 10, 'null'),
        liveTwin('help', 20, B),
        liveTwin('*', 30, B),
        liveTwin('desk', 40, B),
        { ...liveTwin('new', 50, B), match: { type: 'cel', expression: 'true' } },
      ],
      ruleSection([], { prune: true }),
    );
    expect(waitsIn(made)).toEqual([
      'derived-alias-h*@acme 2 <- derived-alias-*@acme 2, derived-alias-help@acme 2, derived-alias-new@acme 2',
    ]);
  });

  test('one that discards gives up mail after a rule behind it, even if an earlier step is its own', () => {
    const made = rules(
      ACME,
      [liveTwin('*', 10, 'null'), liveTwin('jobs', 20, B), liveTwin('z', 30, B)],
      ruleSection([rule('*', 'null', { active: false }), rule('z', B)], { prune: true }),
    );
    expect(partsIn(made)).toEqual(['2: derived-alias-jobs@acme', '2: *@acme']);
  });

  test('a new one waits for new ones in front of it that may match its mail, where one of the domain waits', () => {
    const wanted = [
      rule('*', `desk@${HUB}`),
      rule('h*', A),
      rule('x', A, { match: { type: 'alias', alias: 'x' } }),
    ];
    const made = plan(
      desired([
        present(ACME, { rules: ruleSection(wanted) }),
        present(HUB, { aliases: aliasSection({ desk: B }) }),
      ]),
      observed([
        live(ACME, { routingEngine: 'rules', rulesFallbackEmail: A, rules: [] }),
        live(HUB, { routingEngine: 'alias', aliases: [] }),
      ]),
    );
    expect(waitsIn(made)).toEqual([
      '*@acme 1 <- desk@hub 1',
      'h*@acme 1 <- *@acme 1',
      'x@acme 1 <- *@acme 1, desk@hub 1',
    ]);
  });

  test('a rule of another engine takes no mail', () => {
    const made = plan(
      desired([
        present(ACME, { rules: ruleSection([rule('info', `desk@${HUB}`)]) }),
        present(HUB, { aliases: aliasSection({ desk: B }) }),
      ]),
      observed([
        live(ACME, { routingEngine: 'alias', aliases: liveAliases({ info: A }), rules: [] }),
        live(HUB, { routingEngine: 'alias', aliases: [] }),
      ]),
    );
    expect(waitsIn(made)).toEqual([]);
  });
});
