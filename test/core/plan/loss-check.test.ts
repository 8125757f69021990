import { describe, expect, test } from 'vitest';
import type { PresentDomain } from '../../../src/core/model/desired.ts';
import type { Change } from '../../../src/core/model/plan.ts';
import { NO_PRIOR } from '../../../src/core/model/prior.ts';
import { createLossCheck } from '../../../src/core/plan/loss-check.ts';
import { makePlan, type PlanInput } from '../../../src/core/plan/plan.ts';
import {
  ACME,
  aliasSection,
  desired,
  live,
  liveAliases,
  name,
  NOW,
  observed,
  POLICY,
  present,
} from './support/build.ts';

const HUB = 'hub.example';
const A = 'a@x.example';
const DESK = `desk@${HUB}`;

/** The live aliases of both domains. */
interface Rows {
  readonly acme: Readonly<Record<string, string>>;
  readonly hub: Readonly<Record<string, string>>;
}

interface Run {
  readonly acme?: PresentDomain['aliases'];
  readonly hub: PresentDomain['aliases'];
  readonly first: Rows;
  readonly latest?: Partial<Rows>;
  /** Changes of the hub to check; by default all. */
  readonly going?: (change: Change) => boolean;
  /** True if the changes of ACME are in place. */
  readonly made?: boolean;
}

/** Returns the addresses that lose their mail by the changes of the hub. */
function newLosses({ acme, hub, first, latest = {}, going = () => true, made = false }: Run) {
  const wanted = [
    present(ACME, acme === undefined ? {} : { aliases: acme }),
    present(HUB, hub === undefined ? {} : { aliases: hub }),
  ];
  const inputOf = (rows: Rows, ...names: readonly string[]): PlanInput => ({
    desired: desired(wanted.filter(({ domain }) => names.includes(domain))),
    observed: observed(
      [live(ACME, { aliases: liveAliases(rows.acme) }), live(HUB, { aliases: liveAliases(rows.hub) })].map(
        (domain) => ({ ...domain, routingEngine: 'alias' as const }),
      ),
    ),
    policy: POLICY,
    prior: NO_PRIOR,
    now: NOW,
    api: { url: 'https://api.example/v4', version: 'v4' },
  });
  const { changes } = makePlan(inputOf(first, ACME, HUB));
  const check = createLossCheck(changes, {
    latest: (domain) => inputOf({ ...first, ...latest }, domain),
    first: () => inputOf(first, ACME, HUB),
  });
  const own = changes.filter(({ domain }) => domain === HUB);
  return check(name(HUB), own.filter(going), ({ domain }) => made && domain === ACME);
}

const GOES = aliasSection({ desk: false });
const LEADS = { acme: { info: DESK }, hub: { desk: A, rest: A } };

describe('mail that is lost because the account changed during the run', () => {
  test('an alias of another domain that came to lead to what is deleted', () => {
    const latest = { acme: { info: DESK, sales: DESK } };
    expect(newLosses({ hub: GOES, first: LEADS, latest })).toEqual([`sales@${ACME}`]);
  });

  test('an alias whose mail only a change of this run delivers, if that is in place', () => {
    const run = {
      acme: aliasSection({ box: A }),
      hub: GOES,
      first: { acme: { other: A }, hub: { desk: `box@${ACME}`, rest: A } },
      latest: { hub: { desk: `box@${ACME}`, rest: A, more: DESK } },
    };
    expect(newLosses({ ...run, made: true })).toEqual([`more@${HUB}`]);
    expect(newLosses(run)).toEqual([]);
  });

  test('an alias of the domain itself that came to lead there', () => {
    const latest = { hub: { ...LEADS.hub, more: DESK } };
    expect(newLosses({ hub: GOES, first: LEADS, latest })).toEqual([`more@${HUB}`]);
  });

  test('nothing, if the account is as it was: the plan has said what it loses', () => {
    expect(newLosses({ hub: GOES, first: LEADS })).toEqual([]);
  });

  test('nothing, if what was to be deleted is gone', () => {
    const latest = { acme: { info: DESK, sales: DESK }, hub: { rest: A } };
    expect(newLosses({ hub: GOES, first: LEADS, latest })).toEqual([]);
  });

  test('nothing by changes that are not about to be made', () => {
    const latest = { acme: { sales: DESK, more: `rest@${HUB}` } };
    const hub = aliasSection({ desk: false, rest: false });
    const going = ({ name: alias }: Change): boolean => alias === 'rest';
    expect(newLosses({ hub, first: LEADS, latest })).toEqual([`more@${ACME}`, `sales@${ACME}`]);
    expect(newLosses({ hub, first: LEADS, latest, going })).toEqual([`more@${ACME}`]);
  });
});

describe('an alias of a domain that the run changes leads to what is deleted', () => {
  const acme = aliasSection({ info: A });

  test.each([
    ['lost, while it still leads there', false, [`info@${ACME}`]],
    ['kept, once the run has changed it', true, []],
  ])('its mail is %s', (_, made, expected) => {
    expect(newLosses({ acme, hub: GOES, first: LEADS, made })).toEqual(expected);
  });
});
