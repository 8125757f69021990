import { expect, test } from 'vitest';
import { planRoutes } from '../../../../src/core/plan/routes/routes.ts';
import { ACME, aliasSection, desired, live, liveAliases, observed, plan, present } from '../support/build.ts';

const HELP = '(help|hilfe)';
const ANY_H = '(h.*)';
const A = 'a@x.example';
const B = 'b@x.example';
const C = 'c@x.example';

/** Returns the route of the address that both patterns match: `from -> to`, and the entries that may match its mail. */
function routeOf(
  rows: Readonly<Record<string, string>>,
  entries: Readonly<Record<string, string | false>>,
): readonly string[] {
  const account = observed([live(ACME, { routingEngine: 'alias', aliases: liveAliases(rows) })]);
  const wanted = desired([present(ACME, { aliases: aliasSection(entries) })]);
  const input = { ...plan(wanted, account), desired: wanted, observed: account };
  return planRoutes(input)
    .filter(({ address }) => address === 'help@acme.example')
    .map(({ from, to, undecided }) => `${from?.join()} -> ${to?.join()}: ${undecided?.join(' or ')}`);
}

test.each<[string, Record<string, string>, Record<string, string | false>, readonly string[]]>([
  [
    'the usual one goes elsewhere',
    { [HELP]: A, [ANY_H]: B },
    { [HELP]: C, [ANY_H]: B },
    [`${A} -> ${C}: ${ANY_H} or ${HELP}`],
  ],
  [
    'the other one goes elsewhere',
    { [HELP]: A, [ANY_H]: B },
    { [HELP]: A, [ANY_H]: C },
    [`${B} -> ${C}: ${ANY_H} or ${HELP}`],
  ],
  [
    'the usual one comes to agree with the other one',
    { [HELP]: A, [ANY_H]: B },
    { [HELP]: B, [ANY_H]: B },
    [`${A} -> ${B}: ${ANY_H} or ${HELP}`],
  ],
  [
    'the other one is deleted',
    { [HELP]: A, [ANY_H]: B },
    { [HELP]: A, [ANY_H]: false },
    [`${B} -> ${A}: ${ANY_H} or ${HELP}`],
  ],
  ['another one is added', { [HELP]: A }, { [HELP]: A, [ANY_H]: B }, [`${A} -> ${B}: ${ANY_H} or ${HELP}`]],
  [
    'one of two that agree goes elsewhere',
    { [HELP]: A, [ANY_H]: A },
    { [HELP]: A, [ANY_H]: B },
    [`${A} -> ${B}: ${ANY_H} or ${HELP}`],
  ],
  ['both go elsewhere together', { [HELP]: A, [ANY_H]: A }, { [HELP]: B, [ANY_H]: B }, []],
  [
    'another entry takes the mail',
    { [HELP]: A, [ANY_H]: B, help: C },
    { [HELP]: C, [ANY_H]: B, help: C },
    [],
  ],
])('mail that two patterns match, of which the service asks one first: %s', (_, rows, entries, expected) => {
  expect(routeOf(rows, entries)).toEqual(expected);
});
