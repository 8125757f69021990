import { describe, expect, test } from 'vitest';
import type { Change } from '../../../../src/core/model/plan.ts';
import type { Desired, PresentDomain } from '../../../../src/core/model/desired.ts';
import type { Observed, ObservedDomain } from '../../../../src/core/model/observed.ts';
import { requestsOf, type PlannedWork } from '../../../../src/core/plan/requests/requests.ts';
import { workOf, type RunWork } from '../../../../src/core/plan/requests/work.ts';
import type { Pace } from '../../../../src/core/rate-limit/estimate.ts';
import {
  ACME,
  aliasSection,
  change,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveRule,
  liveTwin,
  MONOTONIC,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const PACE: Pace = { budgets: new Map(), assumedLimit: 10_000, latency: 100 };
const ALIASES = '/domains/:domain/aliases';
const CREDENTIALS = '/domains/:domain/credentials';

/** Creates this many domains, ordered by name. */
const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `d${String(index).padStart(2, '0')}.example`);

const adding = (domain: string, text = 'a'): Change => change(domain, text, { action: 'add' });

/** The work of a run in which each domain has only aliases, unless `sections` says otherwise. */
function workOfChanges(
  changes: readonly Change[],
  pace: Partial<Pace> = {},
  sections: (domain: string) => Partial<PresentDomain> = () => ({ aliases: aliasSection({}) }),
): RunWork {
  const domains = [...new Set(changes.map(({ domain }) => domain))];
  return workOfPlan(
    { changes },
    desired(domains.map((domain) => present(domain, sections(domain)))),
    observed(domains.map((domain) => live(domain))),
    pace,
  );
}

function workOfPlan(
  planned: PlannedWork,
  wanted: Desired,
  found: Observed,
  pace: Partial<Pace> = {},
): RunWork {
  const stages = requestsOf(planned, { version: 'v4', batches: 'allowed' });
  return workOf(stages, {
    desired: wanted,
    observed: found,
    version: 'v4',
    pace: { ...PACE, ...pace },
    monotonic: MONOTONIC,
    verifications: [],
  });
}

/** Returns for each leg its round trips, the requests of its steps, and the requests that nothing waits for. */
const legsOf = ({ legs }: RunWork) =>
  legs.map(({ trips, steps, meanwhile = new Map() }) => [
    trips,
    ...steps.map((counts) => Object.fromEntries(counts)),
    ...(meanwhile.size === 0 ? [] : [{ meanwhile: Object.fromEntries(meanwhile) }]),
  ]);

/** Returns the requests of a whole run to one endpoint. */
const totalTo = ({ legs }: RunWork, endpoint: string): number =>
  legs
    .flatMap(({ steps, meanwhile }) => [...steps, meanwhile ?? new Map<string, number>()])
    .reduce((sum, counts) => sum + (counts.get(endpoint) ?? 0), 0);

describe('domains side by side', () => {
  test('one domain: what it writes, then what verifies it', () => {
    const work = workOfChanges([adding(ACME)]);
    expect(legsOf(work)).toEqual([
      [1, { [`POST ${ALIASES}`]: 1 }],
      [1, { [`GET ${ALIASES}`]: 1 }],
    ]);
    expect(work.written).toEqual({ requests: 1, moment: MONOTONIC + 100 });
    expect(work.ended).toEqual({ requests: 2, moment: MONOTONIC + 200 });
  });

  test('sixteen at a time: the last sixteen end last, the others are verified meanwhile', () => {
    const work = workOfChanges(names(48).map((domain) => adding(domain)));
    expect(legsOf(work)).toEqual([
      [2, { [`POST ${ALIASES}`]: 32 }],
      [1, { [`POST ${ALIASES}`]: 16 }],
      [0, { meanwhile: { [`GET ${ALIASES}`]: 32 } }],
      [1, { [`GET ${ALIASES}`]: 16 }],
    ]);
    expect([work.written.requests, work.ended.requests]).toEqual([80, 96]);
  });

  test('the ones with the most requests end last', () => {
    const [first = '', ...others] = names(17);
    const changes = others.flatMap((domain) => [adding(domain), change(domain, 'b')]);
    expect(legsOf(workOfChanges([adding(first), ...changes])).slice(0, 2)).toEqual([
      [1 / 16, { [`POST ${ALIASES}`]: 1 }],
      [2, { [`POST ${ALIASES}`]: 16 }, { [`PUT ${ALIASES}/:id`]: 16 }],
    ]);
  });

  test('no more end in the last window than it has requests', () => {
    const work = workOfChanges(
      names(5).map((domain) => adding(domain)),
      { assumedLimit: 3 },
    );
    expect(legsOf(work).slice(0, 2)).toEqual([
      [2 / 16, { [`POST ${ALIASES}`]: 2 }],
      [1, { [`POST ${ALIASES}`]: 3 }],
    ]);
  });
});

describe('reads of who forwards to a route that goes', () => {
  const HUB = 'hub.example';
  const forwarding = (domain: string): ObservedDomain =>
    live(domain, { aliases: liveAliases({ info: `desk@${HUB}` }) });
  const leaving = (domain: string): PresentDomain =>
    present(domain, { aliases: aliasSection({ info: 'x@x.example' }) });

  test('right before it goes, sixteen domains at a time, and not again', () => {
    const domains = names(32);
    const wanted = desired([
      ...domains.map(leaving),
      present(HUB, { aliases: aliasSection({ desk: false }) }),
    ]);
    const found = observed([
      ...domains.map(forwarding),
      live(HUB, { aliases: liveAliases({ desk: 'd@x.example', n1: 'd@x.example', n2: 'd@x.example' }) }),
    ]);
    expect(legsOf(workOfPlan(plan(wanted, found), wanted, found))).toEqual([
      [1, { [`PUT ${ALIASES}/:id`]: 16 }],
      [1, { [`PUT ${ALIASES}/:id`]: 16 }],
      [2, { [`GET ${ALIASES}`]: 32 }],
      [2, { [`GET ${ALIASES}`]: 1 }, { [`DELETE ${ALIASES}/:id`]: 1 }],
      [1, { [`GET ${ALIASES}`]: 1 }],
    ]);
  });

  test('not before a rule moves that changes its condition only later', () => {
    const rows = ['k', 'l', 'm'].map((text, index) => liveTwin(text, 10 * (index + 1), 'x@x.example'));
    const moving = rule('m', 'x@x.example', { id: 'derived-alias-m', match: { type: 'alias', alias: 'z' } });
    const others = ['k', 'l'].map((text) => rule(text, 'x@x.example'));
    const wanted = desired([leaving(ACME), present(HUB, { rules: ruleSection([moving, ...others]) })]);
    const found = observed([forwarding(ACME), live(HUB, { rules: rows })]);
    expect(legsOf(workOfPlan(plan(wanted, found), wanted, found))).toEqual([
      [1, { [`PUT ${ALIASES}/:id`]: 1 }, { 'PUT /domains/:domain/rules/:rule': 1 }],
      [1, { [`GET ${ALIASES}`]: 1 }],
      [2, { 'GET /domains/:domain/rules': 1 }, { 'PUT /domains/:domain/rules/:rule': 1 }],
      [1, { 'GET /domains/:domain/rules': 1 }],
    ]);
  });
});

describe('credentials are read again if their listing is over two minutes old by the turn of their domain', () => {
  const gone = { action: 'delete', stage: 2 } as const;
  const deleting = (domain: string): Change => change(domain, 'p', { kind: 'credential', ...gone });

  test('because the domains before it wait for their windows', () => {
    const work = workOfChanges(
      names(20).map((domain) => deleting(domain)),
      { assumedLimit: 1 },
      () => ({ credentials: credentialSection({}) }),
    );
    // Two verifications after the third and fourth delete, because there is one per minute; all domains are verified at the end.
    expect(totalTo(work, `GET ${CREDENTIALS}`)).toBe(2 + 20);
  });

  test('because the requests of the domains before it take long', () => {
    const domains = names(24);
    const mixed = new Set(domains.slice(0, 8));
    const routes = (domain: string): readonly Change[] => [
      change(domain, 'r', { kind: 'rule', ...gone, observed: liveRule('r', 10, 'x@x.example') }),
      change(domain, 'a', gone),
    ];
    const work = workOfChanges(
      domains.flatMap((domain) => [...(mixed.has(domain) ? routes(domain) : []), deleting(domain)]),
      { latency: 100_000 },
      (domain) => ({
        ...(mixed.has(domain) ? { aliases: aliasSection({}), rules: ruleSection([]) } : {}),
        credentials: credentialSection({}),
      }),
    );
    // The eight domains whose mail may lose its route are always verified. Each delays the others by a quarter of 100 s, so the
    // last four are verified too.
    expect(totalTo(work, `GET ${ALIASES}`)).toBe(8 + 8);
    expect(totalTo(work, `GET ${CREDENTIALS}`)).toBe(8 + 4 + 24);
  });
});
