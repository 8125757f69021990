import { describe, expect, test } from 'vitest';
import { decodeForward } from '../../../../src/core/model/destinations.ts';
import type { PresentDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Change } from '../../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import type { Forwarder } from '../../../../src/core/plan/routes/forwarders.ts';
import { readStages } from '../../../../src/core/plan/routes/staged-sides.ts';
import { openWays, type PassedChanges, type Ways } from '../../../../src/core/plan/waits/ways.ts';
import {
  ACME,
  aliasSection,
  at,
  derivedId,
  desired,
  live,
  liveAliases,
  liveRule,
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
const DESK = `desk@${HUB}`;
const MORE = `more@${HUB}`;
const OLD = `old@${HUB}`;

type Aliases = Readonly<Record<string, string>>;
type Wanted = Readonly<Record<string, string | false>>;
type Rows = ObservedDomain['rules'] & {};

interface Parts {
  readonly live: Partial<ObservedDomain>;
  readonly wanted: Partial<PresentDomain> | null;
}

function aliases(rows: Aliases, wanted: Wanted | null = null, parts: Partial<ObservedDomain> = {}): Parts {
  return {
    live: { routingEngine: 'alias', aliases: liveAliases(rows), ...parts },
    wanted: wanted === null ? null : { aliases: aliasSection(wanted) },
  };
}

/** Live rules that are not in the manifest are deleted. */
function rules(rows: Rows, wanted: Parameters<typeof ruleSection>[0], fallback = A): Parts {
  return {
    live: { routingEngine: 'rules', rulesFallbackEmail: fallback, rules: rows },
    wanted: { rules: ruleSection(wanted, { prune: true }) },
  };
}

/** A domain in which `old` delivers only before the run, `desk` and `more` only after it. */
function hub(): Parts {
  return aliases({ old: B, kept: B }, { old: false, desk: B, more: B });
}

interface Opened {
  readonly ways: Ways;
  readonly changes: readonly Change[];
}

function open(domains: Readonly<Record<string, Parts>>, email = 'ops@acme.example'): Opened {
  const all = Object.entries(domains);
  const wanted = desired(
    all.flatMap(([domain, parts]) => (parts.wanted === null ? [] : [present(domain, parts.wanted)])),
  );
  const found = observed(
    all.map(([domain, parts]) => live(domain, parts.live)),
    { account: { email } },
  );
  const { changes } = plan(wanted, found);
  const own = Map.groupBy(changes, ({ domain }) => domain);
  const reading = { engine: 'aliases', anchoring: 'anywhere', fallback: 'account' } as const;
  const sides = readStages({ desired: wanted, observed: found }, reading, {
    changesIn: (domain) => own.get(domain) ?? [],
    ignoredIn: () => new Set(),
  });
  return { ways: openWays(sides, own, found), changes };
}

/** Returns `name@domain`, each once. */
function names(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ name, domain }) => `${name}@${domain.split('.')[0]}`))].sort();
}

type Passed = { readonly [K in keyof PassedChanges]?: readonly string[] };

/** Changes that the mail of this change in ACME passes, without empty parts. */
function passed(name: string, { ways, changes }: Opened): Passed {
  const change = changes.find((one) => one.domain === ACME && one.name === name);
  if (change === undefined) throw new Error(`nothing changes ${name}`);
  const parts = Object.entries(ways.passedBy(change)).map(([part, found]) => [part, names(found)] as const);
  return Object.fromEntries(parts.filter(([, found]) => found.length > 0));
}

describe('an alias of one address', () => {
  test.each<[string, Aliases, Wanted, Passed]>([
    [
      'a destination that it has before and after is not ahead',
      { info: `kept@${HUB},${A}` },
      { info: `kept@${HUB},${B}` },
      {},
    ],
    ['a new destination is ahead', { info: A }, { info: `kept@${HUB}` }, { ahead: ['kept@hub'] }],
    ['a destination that ends is not ahead', { info: A }, { info: `${A},ends@${HUB}` }, {}],
  ])('%s', (_, rows, wanted, expected) => {
    const other = aliases({ kept: A, ends: A }, { kept: B, ends: 'null' });
    expect(passed('info', open({ [ACME]: aliases(rows, wanted), [HUB]: other }))).toEqual(expected);
  });

  test('a destination that does not deliver before is not followed, even if it leads back afterwards', () => {
    const opened = open({
      [ACME]: aliases({ info: `${A},x@${HUB}` }, { info: B }),
      [HUB]: aliases({ x: 'null', y: `z@${HUB}`, z: B }, { x: `y@${HUB}`, y: `info@${ACME}`, z: 'null' }),
    });
    expect(passed('info', opened)).toEqual({});
  });

  test('only what changes there is ready, not other changes of that domain or of its settings', () => {
    const { live: before, wanted } = hub();
    const settings = { notification_email: { value: B, source: at(2) } };
    const opened = open({
      [ACME]: aliases({ info: A }, { info: DESK }),
      [HUB]: { live: { ...before, notification_email: A }, wanted: { ...wanted, settings } },
    });
    expect(opened.changes.map(({ kind }) => kind)).toContain('domain');
    expect(passed('info', opened)).toEqual({ ready: ['desk@hub'], ahead: ['desk@hub'] });
  });

  test.each<[string, string | false, Passed]>([
    ['deleted', false, { needed: ['*@acme'] }],
    ['changed to discard', 'null', { needed: ['*@acme'] }],
    ['changed to deliver elsewhere', B, {}],
  ])('the entry that matches its mail while it is missing: %s', (_, all, expected) => {
    expect(passed('info', open({ [ACME]: aliases({ '*': A }, { '*': all, info: A }) }))).toEqual(expected);
  });
});

describe('an alias that is a pattern', () => {
  test.each<[string, Aliases, Wanted, Passed]>([
    [
      'others take its mail when it is deleted',
      { '(a|b)': A, '*': A },
      { '(a|b)': false, '*': DESK },
      { ready: ['desk@hub'], ahead: ['desk@hub'] },
    ],
    [
      'others that do not change take it, too',
      { '(a|b)': A, '*': DESK },
      { '(a|b)': false },
      { ready: ['desk@hub'], ahead: ['desk@hub'] },
    ],
    [
      'others take nothing when only its destinations change',
      { '(a|b)': A, '*': `${DESK},${OLD}` },
      { '(a|b)': B },
      {},
    ],
    ['it takes mail of others when it is added', { '*': OLD }, { '(a|b)': B }, { needed: ['old@hub'] }],
    [
      'it takes mail from where others lead before, and lets go nothing',
      { '*': OLD },
      { '(a|b)': B, '*': DESK },
      { needed: ['old@hub'] },
    ],
    ['it takes no mail of a name', { x: OLD }, { '(a|b)': B }, {}],
    ['a name takes none of its mail', { '(a|b)': A, x: DESK }, { '(a|b)': false }, {}],
  ])('%s', (_, rows, wanted, expected) => {
    expect(passed('(a|b)', open({ [ACME]: aliases(rows, wanted), [HUB]: hub() }))).toEqual(expected);
  });

  test('rules and the fallback take none of its mail where aliases route', () => {
    const byRule = { rules: [liveTwin('*', 10, OLD)] };
    const acme = aliases({ x: A }, { '(a|b)': B }, byRule);
    expect(passed('(a|b)', open({ [ACME]: acme, [HUB]: hub() }))).toEqual({});
    const { live: before, wanted } = aliases({ x: A }, { '(a|b)': B });
    const { routingEngine: _, ...unsaid } = before;
    expect(passed('(a|b)', open({ [ACME]: { live: unsaid, wanted }, [HUB]: hub() }, OLD))).toEqual({});
  });

  test('it takes no mail where rules route', () => {
    const byRules = { routingEngine: 'rules', rulesFallbackEmail: A, rules: [] } as const;
    const acme = aliases({ '*': A }, { '*': DESK }, byRules);
    expect(passed('*', open({ [ACME]: acme, [HUB]: hub() }))).toEqual({});
  });
});

describe('a rule', () => {
  const regex = (text: string): RuleMatch => ({ type: 'regex', regex: text, scopes: ['subject'] });
  const named = (alias: string): RuleMatch => ({ type: 'alias', alias });
  const liveRegex = (forward: string) =>
    liveRule(derivedId('r', 'regex'), 10, forward, { match: regex('invoice') });
  const desk = { ready: ['desk@hub'], ahead: ['desk@hub'] };

  test.each<[string, () => Parts, Passed]>([
    [
      'for a name leads its mail on, whatever the rule is called',
      () =>
        rules([liveTwin('r', 10, A, { match: named('info') })], [rule('r', DESK, { match: named('info') })]),
      desk,
    ],
    [
      'with a condition leads its mail on',
      () => rules([liveRegex(A)], [rule('r', DESK, { match: regex('invoice') })]),
      desk,
    ],
    [
      'leads nothing on from when it is inactive',
      () => rules([liveRegex(A)], [rule('r', DESK, { match: regex('invoice'), active: false })]),
      {},
    ],
    [
      'lets go mail to the fallback when it becomes inactive',
      () => rules([liveRegex(A)], [rule('r', A, { match: regex('invoice'), active: false })], DESK),
      { ready: ['desk@hub'] },
    ],
    [
      'lets go nothing when only its destinations change',
      () => rules([liveRegex(A)], [rule('r', B, { match: regex('invoice') })], DESK),
      {},
    ],
    [
      'takes mail of wide rules, and lets go mail to them, when its condition and destinations change',
      () =>
        rules(
          [liveRegex(A), liveTwin('h*', 20, OLD), liveTwin('*', 30, DESK)],
          [rule('r', B, { match: regex('bill') }), rule('h*', OLD), rule('*', DESK)],
        ),
      { ready: ['desk@hub'], needed: ['old@hub'] },
    ],
    [
      'that changes its name takes and lets go mail to several addresses',
      () =>
        rules(
          [liveTwin('r', 10, A, { match: named('info') }), liveTwin('h*', 20, OLD), liveTwin('z*', 30, MORE)],
          [rule('r', A, { match: named('help') }), rule('h*', OLD), rule('z*', MORE)],
        ),
      { ready: ['more@hub'], needed: ['old@hub'] },
    ],
    [
      'for a name is not needed before a rule for another name discards',
      () =>
        rules(
          [liveTwin('r', 10, A, { match: named('info') }), liveTwin('help', 20, A)],
          [rule('r', B, { match: named('info') }), rule('help', 'null')],
        ),
      {},
    ],
    [
      'that is there already is not needed before a rule in front of it becomes inactive',
      () =>
        rules(
          [liveTwin('*', 10, A), liveTwin('r', 20, A, { match: named('info') })],
          [rule('*', A, { active: false }), rule('r', B, { match: named('info') })],
        ),
      {},
    ],
    [
      'that is added takes mail of wide rules and lets go nothing',
      () =>
        rules(
          [liveTwin('h*', 10, OLD), liveTwin('z*', 20, DESK)],
          [rule('r', B, { match: regex('bill') }), rule('h*', OLD), rule('z*', DESK)],
        ),
      { needed: ['old@hub'] },
    ],
    [
      'for a condition takes no mail of a rule for a name',
      () => rules([liveTwin('x', 10, OLD)], [rule('r', B, { match: regex('bill') }), rule('x', OLD)]),
      {},
    ],
  ])('%s', (_, acme, expected) => {
    expect(passed('r', open({ [ACME]: acme(), [HUB]: hub() }))).toEqual(expected);
  });

  test('a rule that is deleted lets go its mail to the fallback, not to aliases', () => {
    const { live: before, wanted } = rules([liveRegex(A), liveTwin('k', 20, A)], [rule('k', A)]);
    const gone = derivedId('r', 'regex');
    const withAlias = { ...before, aliases: liveAliases({ '*': DESK }) };
    expect(passed(gone, open({ [ACME]: { live: withAlias, wanted }, [HUB]: hub() }))).toEqual({});
    const toFallback = { ...before, rulesFallbackEmail: DESK };
    expect(passed(gone, open({ [ACME]: { live: toFallback, wanted }, [HUB]: hub() }))).toEqual(desk);
  });

  test('a rule that becomes inactive ends mail that a new one takes', () => {
    const acme = rules(
      [liveTwin('*', 20, A)],
      [rule('r', A, { match: named('info') }), rule('*', A, { active: false })],
      'null',
    );
    expect(passed('r', open({ [ACME]: acme }))).toEqual({ needed: ['*@acme'] });
  });

  test('a rule behind it that delivers only from then on comes first', () => {
    const acme = rules(
      [liveTwin('r', 10, A, { match: named('info') }), liveTwin('in*', 20, DESK)],
      [rule('r', B, { match: named('info') }), rule('in*', `${DESK},${MORE}`)],
    );
    expect(passed('r', open({ [ACME]: acme, [HUB]: hub() }))).toEqual({ ready: ['in*@acme'] });
  });
});

describe('mail that ends at an address of another domain', () => {
  test.each(['rules', 'alias'] as const)(
    'rules that end it come later only where rules route: %s',
    (engine) => {
      const ending = rules(
        [liveTwin('*', 30, B)],
        [rule('help', 'null'), rule('he*', 'null'), rule('hel*', B), rule('jobs', 'null'), rule('*', B)],
      );
      const opened = open({
        [ACME]: aliases({ info: `help@${HUB}` }, { info: A }),
        [HUB]: {
          live: { ...ending.live, routingEngine: engine, aliases: liveAliases({ help: B, kept: B }) },
          wanted: { ...ending.wanted, aliases: aliasSection({ help: false }) },
        },
      });
      const needed = engine === 'rules' ? ['he*@hub', 'help@hub'] : ['help@hub'];
      expect(passed('info', opened)).toEqual({ needed });
    },
  );

  test('it is followed through rules of a domain that is not managed', () => {
    const opened = open({
      [ACME]: aliases({ info: `any@${RELAY}` }, { info: A }),
      [RELAY]: { ...rules([liveTwin('*', 10, OLD)], []), wanted: null },
      [HUB]: hub(),
    });
    expect(passed('info', opened)).toEqual({ needed: ['old@hub'] });
  });
});

describe('a forwarder that does not change', () => {
  const forwarder = (forward: string, item: string | null): Forwarder => ({
    subject: { kind: 'others', domain: ACME },
    item,
    forward: decodeForward(forward),
  });
  const exchanged = (forward: string, item: string | null = null) => {
    const opened = open({ [ACME]: aliases({ info: A }, { info: B }), [HUB]: hub() });
    const { come, go } = opened.ways.exchangedBy(forwarder(forward, item));
    return { come: names(come), go: names(go) };
  };

  test('it goes on delivering by what begins to deliver its mail', () => {
    expect(exchanged(`${DESK},${OLD}`)).toEqual({ come: ['desk@hub'], go: ['old@hub'] });
    expect(exchanged(`${DESK},${OLD}`, `${ACME} alias any`)).toEqual({ come: ['desk@hub'], go: ['old@hub'] });
  });

  test('it exchanges nothing if one of its destinations delivers before and after, or if it changes', () => {
    expect(exchanged(`${DESK},${OLD},${A}`)).toEqual({ come: [], go: [] });
    expect(exchanged(`${DESK},${OLD}`, `${ACME} alias info`)).toEqual({ come: [], go: [] });
  });
});
