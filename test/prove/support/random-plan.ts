import fc from 'fast-check';
import type { DesiredDomain, Expectation } from '../../../src/core/model/desired.ts';
import { decodeForward } from '../../../src/core/model/destinations.ts';
import type { ObservedDomain } from '../../../src/core/model/observed.ts';
import type { DesiredRule, ObservedRule } from '../../../src/core/kinds/rule/fields.ts';
import type { RuleMatch } from '../../../src/core/model/resources.ts';
import {
  absent,
  aliasSection,
  at,
  live,
  liveAliases,
  liveRule,
  present,
  rule,
  ruleSection,
} from '../../core/plan/support/build.ts';

/** The live and the wanted state of a domain. */
export interface RandomDomain {
  readonly name: string;
  /** Everything that the account has of the domain, even parts that are not read; null if the account does not have the domain. */
  readonly real: ObservedDomain | null;
  readonly wanted: DesiredDomain | null;
}

export const DOMAINS = ['acme.example', 'beta.example', 'hub.example'] as const;
const NAMES = ['info', 'sales', 'jane.doe', 'Boss'];
export const PATTERN = '(xx|yy)';

/** Conditions of rules, each with mail that only this condition matches. */
export const CONDITIONS: readonly (readonly [RuleMatch, Witness])[] = [
  [{ type: 'regex', regex: '.*invoice.*', scopes: ['subject', 'body'] }, { subject: 'an invoice' }],
  [{ type: 'regex', regex: '.*vip@x[.]example', scopes: ['sender'] }, { from: 'vip@x.example' }],
  [{ type: 'cel', expression: 'subject.contains("receipt")' }, { subject: 'receipt 7' }],
  [{ type: 'cel', expression: 'recipient.startsWith("zz-")' }, { local: 'zz-1' }],
  [{ type: 'alias', alias: 'te*' }, { local: 'te-1' }],
  [{ type: 'alias', alias: PATTERN }, { local: 'yy' }],
];

export interface Witness {
  readonly local?: string;
  readonly from?: string;
  readonly subject?: string;
}

const inside = fc
  .tuple(fc.constantFrom(...NAMES, 'zz-2', 'info+news', 'other'), fc.constantFrom(...DOMAINS))
  .map(([local, domain]) => `${local}@${domain}`);
const outside = fc.constantFrom(
  'ana@corp.example',
  'ben@corp.example',
  'https://h.example/in',
  'a@gone.example',
);
const forward = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.uniqueArray(fc.oneof(outside, outside, inside), { minLength: 1, maxLength: 2 }),
    },
    { weight: 1, arbitrary: fc.constant(['null']) },
  )
  .map((list) => list.join(','));

const aliasName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.constant(PATTERN) },
  { weight: 2, arbitrary: fc.constant('*') },
);
const aliases = fc.uniqueArray(fc.tuple(aliasName, forward), { maxLength: 5, selector: ([name]) => name });

const match = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...CONDITIONS.map(([condition]) => condition)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...NAMES).map((alias): RuleMatch => ({ type: 'alias', alias })),
  },
  { weight: 1, arbitrary: fc.constant<RuleMatch>({ type: 'alias', alias: '*' }) },
);
const isActive = fc.integer({ min: 0, max: 4 }).map((one) => one > 0);
const ruleParts = fc.record({ match, forward, active: isActive });

/** Random changes of a list: entries stay, change, are deleted or added. */
const edits = fc.record({
  keep: fc.array(fc.constantFrom('kept', 'kept', 'changed', 'gone', 'absent'), {
    minLength: 6,
    maxLength: 6,
  }),
  shuffled: fc.boolean(),
  prune: fc.boolean(),
  managed: fc.integer({ min: 0, max: 5 }).map((one) => one > 0),
});

const engine = fc.constantFrom('alias' as const, 'alias' as const, 'rules' as const, 'rules' as const, null);

const domainParts = fc.record({
  isThere: fc.integer({ min: 0, max: 7 }).map((one) => one > 0),
  wanted: fc.constantFrom('present', 'present', 'present', 'present', 'present', 'absent', 'unnamed'),
  engine,
  fallback: fc.oneof(
    inside,
    outside.filter((one) => !one.includes('://')),
    fc.constant(null),
  ),
  aliases,
  newAliases: aliases,
  aliasEdits: edits,
  rules: fc.array(ruleParts, { maxLength: 5 }),
  newRules: fc.array(ruleParts, { maxLength: 3 }),
  ruleEdits: edits,
  expected: fc.array(fc.constantFrom(...NAMES, 'expected', 'info+x'), { maxLength: 2 }),
});
type DomainParts = typeof domainParts extends fc.Arbitrary<infer Parts> ? Parts : never;

export interface RandomPlan {
  readonly domains: readonly RandomDomain[];
  /** `untold` on v3: the account does not show the engine. */
  readonly engines: 'told' | 'untold';
}

export const randomPlan: fc.Arbitrary<RandomPlan> = fc
  .tuple(fc.constantFrom('told' as const, 'untold' as const), domainParts, domainParts, domainParts)
  .map(([engines, ...parts]) => {
    const domains = parts.map((part, index) => randomDomain(DOMAINS[index] ?? '', part, engines));
    return { engines, domains };
  });

function randomDomain(name: string, parts: DomainParts, engines: RandomPlan['engines']): RandomDomain {
  const rows = parts.rules.map(({ match: condition, forward: to, active }, index) =>
    liveRule(`r${index}`, (index + 1) * 10, to, { match: condition, active }),
  );
  const told =
    engines === 'untold' ? {} : { routingEngine: parts.engine, rulesFallbackEmail: parts.fallback };
  const real = live(name, {
    ...told,
    aliases: liveAliases(Object.fromEntries(parts.aliases)),
    rules: rows,
    credentials: [],
  });
  return { name, real: parts.isThere ? real : null, wanted: wantedOf(name, parts, rows) };
}

function wantedOf(name: string, parts: DomainParts, rows: readonly ObservedRule[]): DesiredDomain | null {
  if (parts.wanted === 'unnamed') return null;
  if (parts.wanted === 'absent') return absent(name);
  const { aliasEdits, ruleEdits } = parts;
  return present(name, {
    expect: parts.expected.map((local) => expectation(`${local}@${name}`)),
    ...(aliasEdits.managed
      ? { aliases: aliasSection(wantedAliases(parts), { prune: aliasEdits.prune }) }
      : {}),
    ...(ruleEdits.managed
      ? { rules: ruleSection(wantedRules(parts, rows), { prune: ruleEdits.prune }) }
      : {}),
  });
}

function wantedAliases({
  aliases: rows,
  newAliases,
  aliasEdits,
}: DomainParts): Record<string, string | false> {
  const fresh = new Map(newAliases);
  const entries = rows.flatMap(([name, to], index): [string, string | false][] => {
    const edit = aliasEdits.keep[index];
    if (edit === 'gone') return [];
    if (edit === 'absent') return [[name, false]];
    return [[name, edit === 'changed' ? (fresh.get(name) ?? 'new@corp.example') : to]];
  });
  return { ...Object.fromEntries(newAliases), ...Object.fromEntries(entries) };
}

function wantedRules(
  { newRules, ruleEdits }: DomainParts,
  rows: readonly ObservedRule[],
): readonly DesiredRule[] {
  const kept = rows.flatMap((row, index): DesiredRule[] => {
    const edit = ruleEdits.keep[index];
    if (edit === 'gone' || edit === 'absent') return [];
    const { id, match: condition, active } = row;
    const to = edit === 'changed' ? 'new@corp.example' : row.forward.join();
    return [rule(`rule ${id}`, to, { id, idIsWritten: true, match: condition, active })];
  });
  const added = newRules.map(({ match: condition, forward: to, active }, index) =>
    rule(`new ${index}`, to, { match: condition, active }),
  );
  return ruleEdits.shuffled ? [...added, ...kept.reverse()] : [...kept, ...added];
}

function expectation(to: string): Expectation {
  const forward = { kind: 'delivered', forward: decodeForward('ana@corp.example') } as const;
  return { source: at(3), to, from: 'a@x.example', subject: 'invoice', body: '', forward };
}
