import { describe, expect, test } from 'vitest';
import type { PresentDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Plan } from '../../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import {
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
import { A, B, HUB, partsIn, waitsIn } from './waiting.ts';

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

  test('rules that match other mail, deliver, or come later do not wait', () => {
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

  test('one that discards from then on waits for a new one in front of it that delivers its mail', () => {
    const named: RuleMatch = { type: 'alias', alias: 'info' };
    const made = rules(
      ACME,
      [liveTwin('*', 10, B)],
      ruleSection([rule('new', A, { match: named }), rule('*', 'null')]),
    );
    expect(waitsIn(made)).toEqual(['*@acme 1 <- new@acme 1']);
  });

  test('an alias does not wait for a rule to which it leads and that only moves', () => {
    const made = plan(
      desired([
        present(ACME, { aliases: aliasSection({ info: `desk@${HUB}` }) }),
        present(HUB, { rules: ruleSection([rule('z', B), rule('desk', B)]) }),
      ]),
      observed([
        live(ACME, { routingEngine: 'alias', aliases: liveAliases({ info: A }) }),
        live(HUB, {
          routingEngine: 'rules',
          rulesFallbackEmail: A,
          rules: [liveTwin('desk', 10, B), liveTwin('z', 20, B)],
        }),
      ]),
    );
    expect(made.changes.map(({ name, action }) => `${action} ${name}`)).toEqual(['update info', 'move desk']);
    expect(waitsIn(made)).toEqual([]);
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
