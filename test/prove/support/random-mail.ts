import fc from 'fast-check';
import type { SeedAlias, SeedDomain, SeedRule } from '../../../src/emulator/account/seed.ts';
import type { Scope } from '../../../src/core/model/resources.ts';
import type { Mail } from '../../../src/core/routing/route.ts';

/** Resources with names in common, and a message to one of them. */
export interface RandomMail {
  readonly domains: readonly SeedDomain[];
  readonly mail: Mail;
  readonly choices: Choices;
}

/** Choices that the API documents leave open and that both sides support. */
export interface Choices {
  readonly anchoring: 'anywhere' | 'whole';
  readonly order: 'created' | 'name';
  readonly dotStar: 'regex' | 'prefix';
}

const DOMAINS = ['acme.example', 'beta.example', 'xn--mnchen-3ya.example'];
const LOCALS = [
  'info',
  'Sales',
  'contact',
  'jane.doe',
  'jane-7',
  'boss',
  'team-blue',
  'münchen',
  'straße',
  'ÄRZTE',
  '007',
  'a.b-c_d',
  '__proto__',
  'constructor',
  'x',
  'xx',
  "o'neil",
  'İzmir',
  'ςigma',
  '\u{1f4e7}',
];
const LABELLED = [
  'info+news',
  'SALES+Eu',
  'contact+a+b',
  'x+',
  '+x',
  'münchen+ß',
  'info+vip',
  'jane.doe+',
  '+',
  'boss+$1',
];
const PATTERNS = [
  '(contact|kontakt)',
  '([a-z]+)\\.([a-z]+)',
  '([A-Z]+)-?(\\d*)',
  '^team-(.*)$',
  '(x)(x)?(y)?',
  'm[uü]nch(en)?',

  '(.+)\\+(.+)',
  '(\\w+)',
  '(\\p{L}+)',
  '(unclosed',
  '[ä-ö].*',
  '(?i)BOSS',
  '(.*)',
  'x{2}',
  "o'(ne|)il",
  '(?-i)sales()',
];
/** Regular expressions. The emulator reads those with a dot as patterns or prefixes, and the others literally. */
const WILDCARDS = ['sales.*', 'jane.*', '.*', '.*-7', 'in.*o', 'j.+', 'sa*', '*o'];
const OUTSIDE = [
  'ana@corp.example',
  'Ben@Corp.EXAMPLE',
  'eve@gmail.com',
  'eve+old@Yandex.RU',
  'hr@hey.com',
  'null',
  'https://hooks.corp.example/in',
  'https://hooks.corp.example/me@gmail.com',
  'x@münchen.test',
];
const CAPTURES = [
  '$1@corp.example',
  '$2.$1@corp.example',
  'x$1@acme.example',
  '$1@beta.example',
  '$0@$1.example',
  '$9@gmail.com',
];

// Only a few names, so that most messages match a resource.
const local = fc.oneof(
  fc.constantFrom(...LOCALS.slice(0, 6)),
  fc.constantFrom(...LOCALS),
  fc.constantFrom(...LABELLED),
);
const inside = fc.tuple(local, fc.constantFrom(...DOMAINS)).map(([name, domain]) => `${name}@${domain}`);

function forwardWith(...kinds: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  const list = fc.uniqueArray(fc.oneof(inside, fc.constantFrom(...OUTSIDE), ...kinds), {
    minLength: 1,
    maxLength: 3,
  });
  return list.map((entries) => entries.join(', '));
}

const plainForward = forwardWith();
const anyForward = forwardWith(fc.constantFrom(...CAPTURES));

const anyName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LOCALS.slice(0, 6)) },
  { weight: 3, arbitrary: fc.constantFrom(...LOCALS) },
  { weight: 1, arbitrary: fc.constantFrom('info+news', 'info+vip', 'contact+a+b') },
  { weight: 3, arbitrary: fc.constantFrom(...PATTERNS, ...WILDCARDS) },
  { weight: 1, arbitrary: fc.constant('*') },
);

const anyAlias = anyName.chain((name) => {
  const forward = /[()]/.test(name) ? anyForward : plainForward;
  return forward.map((text): SeedAlias => ({ alias: name, forward: text }));
});
const aliases = fc.uniqueArray(anyAlias, { maxLength: 8, selector: ({ alias: name }) => name.toLowerCase() });

const REGEXES = [
  'invoice',
  '.*invoice.*',
  '^Re:',
  '(?i)urgent$',
  'a.c',
  '@partner\\.example$',
  '[ÄÖÜ]',
  '(',
  '^$',
  '^info',
  'x+y?',
];
const SUBJECTS = ['', 'invoice 7', 'Re: URGENT', 'abc', 'ÄRZTE', 'xy', 'Your Invoice'];
const BODIES = ['', 'an\ninvoice\nfor you', 'a\nc', 'urgent', 'abc\n', '\u{1f4e7} ÄÖ'];
const SENDERS = ['', 'eve@partner.example', 'INFO@corp.example', 'x@münchen.example'];
const EXPRESSIONS = [
  'true',
  'false',
  'subject.contains("nvoice")',
  'sender.endsWith("@partner.example")',
  'body.startsWith("an")',

  'recipient.startsWith("info") || subject == "abc"',
  '!(subject.contains("Re")) && body.contains("ä")',
  'nonsense(',

  'subject.matches("^[A-Z]")',
  'body.matches("a.c")',
  'recipient.matches("^(info|x+)@")',
  'size(subject) > 3',
  'subject',

  'recipient == "x@acme.example"',
  'subject.contains(sender)',
  '[subject, body].exists(t, t.contains("urgent"))',
  '1 / 0 == 1',
];
const scopes = fc.uniqueArray(fc.constantFrom<Scope>('sender', 'recipient', 'subject', 'body'), {
  minLength: 1,
});

const ruleNames = fc.oneof(anyName, fc.constantFrom('*', 'sa*', 'INFO*', 'm*'));
const config = fc.oneof(
  fc.record({
    type: fc.constant('alias' as const),
    config: fc.record({ alias: ruleNames, forward: anyForward }),
  }),
  fc.record({
    type: fc.constant('regex' as const),
    config: fc.record({ regex: fc.constantFrom(...REGEXES), scopes, forward: anyForward }),
  }),
  fc.record({
    type: fc.constant('cel' as const),
    config: fc.record({ expression: fc.constantFrom(...EXPRESSIONS), forward: plainForward }),
  }),
);
const active = fc.oneof(
  { weight: 5, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);
const rule = fc.record({ what: config, active, rank: fc.integer({ min: -1000, max: 1000 }) });
const rules = fc
  .uniqueArray(rule, { maxLength: 6, selector: ({ rank }) => rank })
  .map((list): readonly SeedRule[] => list.map(({ what, ...rest }) => ({ ...what, ...rest })));

const parts = fc.record({
  engine: fc.constantFrom('alias' as const, 'rules' as const),
  fallback: fc.oneof(inside, fc.constantFrom('rest@corp.example', null)),
  aliases,
  rules,
});
const domains: fc.Arbitrary<readonly SeedDomain[]> = fc.tuple(parts, parts, parts).map((three) =>
  three.map(({ engine, fallback, ...sections }, at) => ({
    domain: DOMAINS[at] ?? '',
    routing_engine: engine,
    rules_fallback_email: fallback,
    ...sections,
  })),
);

const to = fc.oneof(
  { weight: 4, arbitrary: inside },
  { weight: 1, arbitrary: inside.map((address) => address.replace(/^[^@]+/, (name) => name.toUpperCase())) },
  { weight: 1, arbitrary: fc.constantFrom(...PATTERNS, '*').map((name) => `${name}@acme.example`) },
);

export const randomMail: fc.Arbitrary<RandomMail> = fc.record({
  domains,
  mail: fc.record({
    to,
    from: fc.constantFrom(...SENDERS),
    subject: fc.constantFrom(...SUBJECTS),
    body: fc.constantFrom(...BODIES),
  }),
  choices: fc.record({
    anchoring: fc.constantFrom('anywhere' as const, 'whole' as const),
    order: fc.constantFrom('created' as const, 'name' as const),
    dotStar: fc.constantFrom('regex' as const, 'prefix' as const),
  }),
});
