import { describe, expect, test } from 'vitest';
import {
  absent,
  ACME,
  aliasSection,
  desired,
  live,
  liveAliases,
  observed,
  plan,
  present,
} from '../support/build.ts';
import { A, B, HUB, partsIn, planOf, reasonsIn, RELAY, waitsIn, type Pair } from './waiting.ts';

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
      'an address that is delivered, and by another alias from then on',
      {
        [ACME]: { live: { info: A }, wanted: { info: `desk@${HUB}` } },
        [HUB]: { live: { desk: A, '*': B, more: B }, wanted: { desk: false } },
      },
      [],
    ],
    [
      'two catch-alls of one another that both discarded before',
      {
        [ACME]: { live: { '*': 'null' }, wanted: { '*': `new@${ACME},more@${HUB}`, new: A } },
        [HUB]: { live: { '*': 'null' }, wanted: { '*': `new@${HUB}`, new: A } },
      },
      ['*@acme 1 <- *@hub 1, new@acme 1, new@hub 1', '*@hub 1 <- new@hub 1'],
    ],
    [
      'an address outside of the account: what takes the mail of a deleted alias may change later',
      {
        [ACME]: { live: { '*': A, info: A, r1: A, r2: A }, wanted: { '*': B, info: false } },
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

test('changes that wait for a late change, even through others, are late too', () => {
  const made = planOf({
    [ACME]: { live: { jobs: A, k: `jobs@${ACME}` }, wanted: { jobs: 'null', k: B } },
    [HUB]: { live: { help: `jobs@${ACME}` }, wanted: { help: `desk@${RELAY}` } },
    [RELAY]: { live: { desk: 'null', '*': B, more: B }, wanted: { desk: false } },
  });
  expect(waitsIn(made)).toEqual(['help@hub 2 <- desk@relay 2', 'jobs@acme 2 <- help@hub 2, k@acme 1']);
});

describe('an address of an alias that does not change ends only when another one delivers', () => {
  test.each<[string, Pair, Pair, readonly string[]]>([
    [
      'if all that changes is deleted',
      { live: { info: 'null', '*': A, r1: A }, wanted: { info: false } },
      { live: { desk: B, r1: A, r2: A }, wanted: { desk: false } },
      ['desk@hub 2 <- info@acme 2'],
    ],
    [
      'if other aliases change beside those that are deleted',
      { live: { info: 'null', '*': A, r1: A }, wanted: { info: false, more: A } },
      { live: { desk: B, r1: A, r2: A }, wanted: { desk: false, more: A } },
      ['desk@hub 2 <- info@acme 2'],
    ],
    [
      'if it discards from then on',
      { live: { r1: A }, wanted: { info: A } },
      { live: { desk: B }, wanted: { desk: 'null' } },
      ['desk@hub 1 <- info@acme 1'],
    ],
  ])('%s', (_, acme, hub, expected) => {
    const relay = { live: { any: `info@${ACME},desk@${HUB}` } };
    expect(waitsIn(planOf({ [ACME]: acme, [HUB]: hub, [RELAY]: relay }))).toEqual(expected);
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

test('a change waits for one that waits for another in a circle', () => {
  const made = planOf({
    [ACME]: { live: { '*': A }, wanted: { '*': `info@${RELAY}`, jobs: `${A},info@${ACME}` } },
    [HUB]: { live: { info: A }, wanted: { info: `jobs@${ACME}` } },
    [RELAY]: { live: { info: `info@${ACME},jobs@${ACME}` } },
  });
  expect(waitsIn(made)).toEqual(['*@acme 1 <- jobs@acme 1', 'info@hub 1 <- *@acme 1, jobs@acme 1']);
});

describe('an alias that another one takes over is deleted without waiting for', () => {
  test.each<[string, Pair]>([
    [
      'a catch-all that goes on delivering elsewhere, where others wait',
      {
        live: { '(i.*)': A, '*': A, info: A, desk: A },
        wanted: { info: false, '*': B, desk: `new@${HUB}` },
      },
    ],
    [
      'a catch-all that delivers outside and inside of the account',
      {
        live: { '(i.*)': A, '*': A, info: A, desk: A },
        wanted: { info: false, '*': `${B},any@${RELAY}`, desk: `new@${HUB}` },
      },
    ],
    [
      'a new catch-all that discards, where no others wait',
      { live: { '(i.*)': A, info: A, desk: A }, wanted: { info: false, '*': 'null' } },
    ],
  ])('%s', (_, acme) => {
    const made = planOf({
      [ACME]: acme,
      [HUB]: { live: {}, wanted: { new: B } },
      [RELAY]: { live: { any: A } },
    });
    expect(waitsIn(made).filter((line) => line.startsWith('info'))).toEqual([]);
  });
});

describe('the plan says why a change waits', () => {
  test.each<[string, Record<string, Pair>, readonly string[]]>([
    [
      'its mail goes there from then on',
      {
        [ACME]: { live: { info: A, more: A }, wanted: { info: `desk@${HUB}`, more: `old@${HUB}` } },
        [HUB]: { live: { old: B }, wanted: { desk: B, old: A } },
      },
      ['info@acme <- desk@hub: leads-there', 'more@acme <- old@hub: leads-there'],
    ],
    [
      'mail of an unchanged alias goes there from then on',
      {
        [ACME]: { live: {}, wanted: { info: A } },
        [HUB]: { live: { desk: B }, wanted: { desk: 'null' } },
        [RELAY]: { live: { any: `info@${ACME},desk@${HUB}` } },
      },
      ['desk@hub <- info@acme: leads-there'],
    ],
    [
      'mail comes from there before',
      {
        [ACME]: { live: { help: `info@${HUB}` }, wanted: { help: B } },
        [HUB]: { live: { info: A }, wanted: { info: 'null' } },
      },
      ['info@hub <- help@acme: led-away'],
    ],
    [
      'it matches some of the same mail, unless there is another reason, too',
      {
        [ACME]: {
          live: { '(a|b)': `info@${HUB}`, info: A, r1: A, r2: A },
          wanted: { '(a|b)': false, info: false, '*': `desk@${HUB}` },
        },
        [HUB]: { live: { info: A, desk: 'null', r1: A, '*': A }, wanted: { desk: false } },
      },
      [
        '(a|b)@acme <- *@acme: beside',
        '*@acme <- desk@hub: leads-there',
        'info@acme <- *@acme: leads-there',
        'info@acme <- desk@hub: leads-there',
      ],
    ],
  ])('%s', (_, domains, expected) => {
    expect(reasonsIn(planOf(domains))).toEqual(expected);
  });
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

  test('in stage 2, changes come after the changes that they wait for', () => {
    const made = planOf({
      [ACME]: { live: { info: A, '*': A }, wanted: { info: `desk@${HUB}`, jobs: 'null' } },
      [HUB]: { live: { desk: 'null', '*': B, help: `jobs@${ACME}` }, wanted: { desk: false, help: false } },
    });
    expect(partsIn(made)).toEqual(['2: desk@hub help@hub', '2: jobs@acme info@acme']);
  });

  test('an entry that matches the mail of an alias is deleted before it if both are deleted', () => {
    const made = planOf({
      [ACME]: { live: { '*': A, info: 'null', r1: A, r2: A, r3: A }, wanted: { '*': false, info: false } },
      [HUB]: { live: { help: `desk@${ACME}`, r1: A, r2: A }, wanted: { help: false } },
    });
    expect(partsIn(made)).toEqual(['2: help@hub', '2: *@acme info@acme']);
  });
});
