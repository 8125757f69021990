import { describe, expect, test } from 'vitest';
import type { PresentDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
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

const HUB = 'hub.example';
const A = 'a@x.example';
/** Entries that keep sections from being empty, and the share of deletes small. */
const REST = { r1: A, r2: A, r3: A, r4: A };

interface Domain {
  readonly live: Partial<ObservedDomain>;
  readonly wanted: Partial<PresentDomain>;
}

/** The requested changes, and the result of each guard. */
function unrouted(acme: Domain, hub: Domain = { live: { aliases: [] }, wanted: {} }) {
  const { guards } = plan(
    desired([present(ACME, acme.wanted), present(HUB, hub.wanted)]),
    observed([live(ACME, acme.live), live(HUB, hub.live)]),
  );
  return guards
    .filter(({ guard }) => guard === 'unrouted')
    .map(({ allow, message, holds }) => ({
      address: allow?.replace('--allow-unrouted ', '').replaceAll("'", ''),
      message,
      holds,
    }));
}

const addressesOf = (found: ReturnType<typeof unrouted>) => found.map(({ address }) => address);

const byAliases = (rows: Readonly<Record<string, string>>): Partial<ObservedDomain> => ({
  routingEngine: 'alias',
  aliases: liveAliases(rows),
});
const byRules = (rules: ObservedDomain['rules'] & {}): Partial<ObservedDomain> => ({
  routingEngine: 'rules',
  rulesFallbackEmail: A,
  rules,
});

describe('mail that only the run delivers', () => {
  const hub = { live: byAliases({ ...REST, desk: A }), wanted: { aliases: aliasSection({ desk: false }) } };
  const leading = aliasSection({ info: `desk@${HUB}` });

  test('a new alias leads to what is deleted: the next run would ask for it if this one ended in the middle', () => {
    expect(unrouted({ live: byAliases({}), wanted: { aliases: leading } }, hub)).toEqual([
      {
        address: `info@${ACME}`,
        message: `mail to info@${ACME} would be delivered during the run through desk@${HUB} and would not be afterwards: the entry that delivers it is removed or narrowed, or a discard comes before it`,
        holds: { kind: 'domains-deletes', domains: [ACME, HUB] },
      },
    ]);
  });

  test('an alias that leads there already', () => {
    const acme = { live: byAliases({ info: `desk@${HUB}` }), wanted: { aliases: leading } };
    expect(unrouted(acme, hub).map(({ message }) => message)).toEqual([
      `mail to info@${ACME} is delivered now through desk@${HUB} and would not be: the entry that delivers it is removed or narrowed, or a discard comes before it`,
    ]);
  });

  test('its destination changes before it', () => {
    const dead = { ...hub, wanted: { aliases: aliasSection({ desk: 'null' }) } };
    expect(addressesOf(unrouted({ live: byAliases({}), wanted: { aliases: leading } }, dead))).toEqual([
      `info@${ACME}`,
    ]);
  });

  test('a new pattern leads to nothing, in front of a catch-all that the run makes deliver', () => {
    const hubDelivers = { live: byAliases({}), wanted: { aliases: aliasSection({ desk: A }) } };
    const acme = {
      live: byAliases({ '*': `desk@${HUB}` }),
      wanted: { aliases: aliasSection({ '(a|b)': `nothing@${HUB}` }) },
    };
    expect(addressesOf(unrouted(acme, hubDelivers))).toEqual([`(a|b)@${ACME}`]);
    const kept = { ...acme, wanted: { aliases: aliasSection({ '(a|b)': `desk@${HUB}` }) } };
    expect(unrouted(kept, hubDelivers)).toEqual([]);
  });

  test.each([
    ['nothing', 'nothing@hub.example'],
    ['what stays', 'r1@hub.example'],
    ['another place', A],
  ])('a new alias leads to %s', (_, forward) => {
    const acme = { live: byAliases({}), wanted: { aliases: aliasSection({ info: forward }) } };
    expect(unrouted(acme, hub)).toEqual([]);
  });

  test('a new rule', () => {
    const match: RuleMatch = { type: 'regex', regex: 'x', scopes: ['subject'] };
    const leads = ruleSection([rule('x', `desk@${HUB}`, { match })]);
    expect(addressesOf(unrouted({ live: byRules([]), wanted: { rules: leads } }, hub))).toEqual([
      `*@${ACME}`,
    ]);
    const kept = ruleSection([rule('x', `r1@${HUB}`, { match })]);
    expect(unrouted({ live: byRules([]), wanted: { rules: kept } }, hub)).toEqual([]);
  });
});

describe('an alias that goes is no reason where rules route', () => {
  const aliases = aliasSection({ info: false });
  const match: RuleMatch = { type: 'alias', alias: 'info' };
  const discards = ruleSection([rule('r', 'null', { match })]);

  test('mail that a rule discards', () => {
    const acme = {
      live: { ...byRules([]), aliases: liveAliases({ ...REST, info: A }) },
      wanted: { aliases, rules: discards },
    };
    expect(addressesOf(unrouted(acme))).toEqual([`info@${ACME}`]);
  });

  test('and is one where aliases do', () => {
    const acme = {
      live: { ...byAliases({ ...REST, info: A }), rules: [] },
      wanted: { aliases, rules: discards },
    };
    expect(unrouted(acme)).toEqual([]);
  });
});

describe('mail of a condition', () => {
  const cel = (expression: string): RuleMatch => ({ type: 'cel', expression });
  const old = liveRule('old', 10, A, { match: cel('a') });

  test.each([
    ['whose rule is deleted', 'a', []],
    ['of another rule', 'b', [`*@${ACME}`]],
  ])('%s', (_, expression, expected) => {
    const acme = {
      live: byRules([
        old,
        liveRule('twin', 20, 'null', { match: cel('a') }),
        liveRule('b', 30, A, { match: cel('b') }),
      ]),
      wanted: {
        rules: ruleSection(
          [
            ...(expression === 'b' ? [rule('all', 'null', { match: { type: 'alias', alias: '*' } })] : []),
            rule('twin', 'null', { id: 'twin', idIsWritten: true, match: cel('a') }),
            rule('b', A, { id: 'b', idIsWritten: true, match: cel('b') }),
          ],
          { prune: true },
        ),
      },
    };
    expect(addressesOf(unrouted(acme))).toEqual(expected);
  });

  test('whose rule is replaced by one that forwards to a deleted entry', () => {
    const match: RuleMatch = { type: 'alias', alias: 'h*' };
    const hub = { live: byAliases({ ...REST, desk: A }), wanted: { aliases: aliasSection({ desk: false }) } };
    const acme = (isActive: boolean): Domain => ({
      live: {
        ...byRules([{ ...liveRule('old', 10, 'null', { match }), active: false }]),
        rulesFallbackEmail: null,
      },
      wanted: {
        rules: ruleSection([rule('new', `desk@${HUB}`, { match, active: isActive })], { prune: true }),
      },
    });
    expect(addressesOf(unrouted(acme(true), hub))).toEqual([`h*@${ACME}`]);
    expect(unrouted(acme(false), hub)).toEqual([]);
  });

  test('that matches nothing counts as mail to every other address', () => {
    const rows = [liveRule('h', 10, A, { match: { type: 'alias', alias: 'h*' } })];
    const acme = {
      live: { ...byAliases({ ...REST, '(.*)': A }), rules: rows },
      wanted: { aliases: aliasSection({ '(.*)': false }), rules: ruleSection([]) },
    };
    expect(addressesOf(unrouted(acme))).toEqual([`*@${ACME}`]);
  });
});
