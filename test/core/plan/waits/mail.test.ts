import { expect, test } from 'vitest';
import { decodeForward } from '../../../../src/core/model/destinations.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Change } from '../../../../src/core/model/plan.ts';
import { readStages } from '../../../../src/core/plan/routes/staged-sides.ts';
import {
  addressesAmong,
  isDelivered,
  mailTo,
  nextOf,
  onlyWith,
  takersAt,
  withDelivery,
  type DeliveringSide,
} from '../../../../src/core/plan/waits/mail.ts';
import { ACME, change, desired, live, liveAliases, liveTwin, observed } from '../support/build.ts';

const HUB = 'hub.example';
const A = 'a@x.example';

/** ACME by aliases and HUB by rules, before and after changes of ACME. */
function sidesOf(
  aliases: Readonly<Record<string, string>>,
  {
    changes = [],
    hub = {},
  }: { readonly changes?: readonly Change[]; readonly hub?: Partial<ObservedDomain> } = {},
): readonly [DeliveringSide, DeliveringSide] {
  const found = observed([
    live(ACME, { routingEngine: 'alias', aliases: liveAliases(aliases) }),
    live(HUB, { routingEngine: 'rules', rulesFallbackEmail: A, rules: [], ...hub }),
  ]);
  const { before, after } = readStages(
    { desired: desired([]), observed: found },
    { engine: 'aliases', anchoring: 'anywhere', fallback: 'account' },
    { changesIn: (domain) => (domain === ACME ? changes : []), ignoredIn: () => new Set() },
  );
  return [withDelivery(before), withDelivery(after)];
}

test('only addresses are followed: no webhook, no discard, and no address that differs for each mail', () => {
  const forward = `null,${A},https://h.example/desk@${HUB},$1@${HUB},https://h.example/$1`;
  expect(addressesAmong(decodeForward(forward))).toEqual([A]);
  const [now] = sidesOf({ info: forward });
  expect(nextOf(`info@${ACME}`, now.side)).toEqual([A]);
});

test.each<[string, boolean]>([
  [A, true],
  ['null', false],
  [`gone@${ACME}`, false],
  [`info@${ACME}`, true],
  [`${A},null`, true],
  [`gone@${ACME},info@${ACME}`, true],
  [`gone@${ACME},null`, false],
  ['https://h.example/hook', true],
  [`https://h.example/gone@${ACME}`, true],
  [`$1@${ACME}`, true],
])('mail to %s is delivered: %s', (forward, expected) => {
  const [now] = sidesOf({ info: A });
  expect(isDelivered(decodeForward(forward), now)).toBe(expected);
});

test('mail to an address has no sender, subject or text', () => {
  const mail = { domain: HUB, to: `Desk+x@${HUB}`, from: '', subject: '', body: '' };
  expect(mailTo(`Desk+x@${HUB}`)).toEqual(mail);
});

test('an alias, a rule or the fallback takes mail; nothing takes refused mail and mail to others', () => {
  const hub = { rules: [liveTwin('desk', 10, A)], rulesFallbackEmail: `info@${ACME}` };
  const [{ side }] = sidesOf({ Info: A }, { hub });
  expect(takersAt(`info+x@${ACME}`, side)).toEqual([{ item: 'alias info', forward: [A] }]);
  expect(takersAt(`desk@${HUB}`, side)).toEqual([{ item: 'rule derived-alias-desk', forward: [A] }]);
  expect(takersAt(`any@${HUB}`, side)).toEqual([{ item: 'fallback', forward: [`info@${ACME}`] }]);
  expect(nextOf(`any@${HUB}`, side)).toEqual([`info@${ACME}`]);
  expect(takersAt(`gone@${ACME}`, side)).toEqual([]);
  expect(takersAt(A, side)).toEqual([]);
});

test('addresses at which one side alone delivers are followed no further than that', () => {
  const at = (name: string): string => `${name}@${ACME}`;
  const discards = (name: string): Change =>
    change(ACME, name, { desired: { forward: decodeForward('null') } });
  const [before, after] = sidesOf(
    { first: at('second'), second: at('both'), both: `${A},${at('third')}`, third: A },
    { changes: ['first', 'second', 'third'].map(discards) },
  );
  expect(onlyWith(before, after, [at('first'), at('both')])).toEqual([at('first'), at('second')]);
  expect(onlyWith(before, after, [at('third')])).toEqual([at('third')]);
  expect(onlyWith(after, before, [at('first'), at('both'), at('third')])).toEqual([]);
});
