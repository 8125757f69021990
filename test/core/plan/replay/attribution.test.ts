import { describe, expect, test } from 'vitest';
import type { Desired } from '../../../../src/core/model/desired.ts';
import type { Observed } from '../../../../src/core/model/observed.ts';
import type { Decider } from '../../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import { createAttribution } from '../../../../src/core/plan/replay/attribution.ts';
import { planRoutes } from '../../../../src/core/plan/routes/routes.ts';
import { readSides, type Sides } from '../../../../src/core/plan/routes/sides.ts';
import {
  ACME,
  aliasSection,
  derivedId,
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

type Attribute = (address: string, before: Decider | null, after?: Decider | null) => string | null;

/** Attributes mail to routes. Returns their addresses or rules. */
function attributing(wanted: Desired, account: Observed): Attribute {
  const input = { ...plan(wanted, account), desired: wanted, observed: account };
  const routes = planRoutes(input);
  const attribution = createAttribution(routes, readSides(input).listed as Sides);
  return (address, before, after = before) => {
    const position = attribution(`${address}@acme.example`, { before, after });
    if (position === null) return null;
    const { address: own = null, rule: conditional = null } = routes[position] ?? {};
    return own?.replace('@acme.example', '') ?? conditional?.name ?? 'others';
  };
}

const alias = (name: string): Decider => ({ kind: 'alias', name });
const PATTERN = '(help|sales)-(.*)';

describe('by aliases', () => {
  const was = {
    info: 'a@x.example',
    'help-info': 'a@x.example',
    old: 'o@x.example',
    [PATTERN]: 'a@x.example',
  };
  const will = {
    info: 'b@x.example',
    'help-info': 'b@x.example',
    old: false,
    fresh: 'o@x.example',
    [PATTERN]: 'b@x.example',
  } as const;
  const routesTo = (rows: Record<string, string>, entries: Record<string, string | false>): Attribute =>
    attributing(
      desired([present(ACME, { aliases: aliasSection(entries) })]),
      observed([live(ACME, { routingEngine: 'alias', aliases: liveAliases(rows) })]),
    );
  test.each<[string, string, Decider | null, Decider | null | undefined, string | null]>([
    ['the route of its address', 'INFO', alias('info'), undefined, 'info'],
    ['the route of its address without the label', 'info+x', alias('info'), undefined, 'info'],
    ['the route of a pattern that takes it', 'help-me', alias(PATTERN), undefined, PATTERN],
    ['the route of every other address', 'any', alias('*'), undefined, 'others'],
    ['the route of the new name', 'fresh', alias('old'), alias('fresh'), 'fresh'],
    ['the route of the old name', 'old', alias('old'), alias('*'), 'old'],
    ['what takes it before, if that is not as usual', 'info', alias(PATTERN), alias('info'), PATTERN],
    ['what takes it after, if that is not as usual', 'info', alias('info'), alias(PATTERN), PATTERN],
    ['the route of its address, if no pattern takes it', 'info', alias('other'), null, 'info'],
    [
      'the route of its address, though the pattern has one',
      'help-info',
      alias('help-info'),
      alias('help-info'),
      'help-info',
    ],
    ['the route of a pattern, if nothing took it before', 'sales-x', null, alias(PATTERN), PATTERN],
  ])('mail counts in %s', (_, address, before, after, expected) => {
    const attribute = routesTo({ ...was, '*': 'a@x.example' }, { ...will, '*': 'b@x.example' });
    expect(attribute(address, before, after)).toBe(expected);
  });

  test('mail counts in the route of a new alias, though the pattern that took it before has one', () => {
    const attribute = routesTo(
      { [PATTERN]: 'a@x.example' },
      { [PATTERN]: 'b@x.example', 'help-me': 'c@x.example' },
    );
    expect(attribute('help-me', alias(PATTERN), alias('help-me'))).toBe('help-me');
    expect(attribute('help-you', alias(PATTERN))).toBe(PATTERN);
  });

  test('mail to an old name counts in the route of the new one, if it has none of its own', () => {
    const renamed = routesTo(was, will);
    expect(renamed('OLD', alias('old'), null)).toBe('fresh');
    expect(renamed('any', null)).toBeNull();
  });
});

describe('by rules', () => {
  const SUBJECT: RuleMatch = { type: 'regex', regex: 'invoice', scopes: ['subject'] };
  const own = (name: string): Decider => ({ kind: 'rule', name });

  test('mail counts in the route of the rule that takes it, by its pattern or condition', () => {
    const attribute = attributing(
      desired([
        present(ACME, {
          rules: ruleSection([
            rule('invoices', 'b@x.example', { match: SUBJECT }),
            rule('sa*', 'b@x.example'),
            rule('info', 'b@x.example'),
          ]),
        }),
      ]),
      observed([
        live(ACME, {
          routingEngine: 'rules',
          rulesFallbackEmail: 'f@x.example',
          rules: [
            liveTwin('invoices', 1, 'a@x.example', { id: derivedId('invoices', 'regex'), match: SUBJECT }),
            liveTwin('sa*', 2, 'a@x.example'),
            liveTwin('info', 3, 'a@x.example'),
          ],
        }),
      ]),
    );
    expect(attribute('any', own('invoices'))).toBe('invoices');
    expect(attribute('info', own('invoices'))).toBe('invoices');
    expect(attribute('info', own('info'))).toBe('info');
    expect(attribute('sales', own('sa*'))).toBe('sa*');
    expect(attribute('any', { kind: 'fallback', name: null })).toBeNull();
  });

  test('a rule that takes everything before a pattern has no share in the route of the pattern', () => {
    const attribute = attributing(
      desired([
        present(ACME, { rules: ruleSection([rule('sa*', 'b@x.example'), rule('*', 'a@x.example')]) }),
      ]),
      observed([
        live(ACME, {
          routingEngine: 'rules',
          rulesFallbackEmail: null,
          rules: [liveTwin('*', 1, 'a@x.example'), liveTwin('sa*', 2, 'b@x.example')],
        }),
      ]),
    );
    expect(attribute('sales', own('*'), own(derivedId('sa*')))).toBe('sa*');
    expect(attribute('any', own('*'))).toBeNull();
  });
});
