import type { Chance } from './chance.ts';

/** A manifest with groups, templates, rules, hops and loops, and a destination for `who`. */
export interface RandomWho {
  readonly text: string;
  readonly destination: string;
}

/** Destinations. `$1` leads to the last one, which leads only to fixed destinations. */
export const WHO_DOMAINS = ['acme.example', 'beta.example', 'leaf.example'] as const;
const NAMES = ['info', 'sales', 'jane.doe', 'Boss', 'team+x'];

/** Patterns of aliases and of rules for aliases, with local parts that they match. */
export const WHO_PATTERNS: Readonly<Record<string, readonly string[]>> = {
  '*': ['nobody-17', 'other'],
  // The template may also give it to `leaf.example`.
  '(.+)-team': [...NAMES, 'ben', 'ana', 'boss', 'x', 'te-9', 'info-ben', 'nobody'].flatMap((local) => [
    `${local}-team`,
    `${local}-team-team`,
  ]),
  '(info|help)-(x|ben)': ['info-x', 'info-ben', 'help-x', 'help-ben'],
  'te*': ['te-1', 'te'],
};

/**
 * Conditions of rules as a manifest writes them, for templates and for domains. No condition on the content implies or excludes
 * another one.
 */
const CONDITIONS = {
  template: [
    'regex: ".*invoice.*", scopes: [subject, body]',
    'regex: ".*vip@x[.]example", scopes: [sender]',
    'regex: ".*info@.*", scopes: [recipient]',
    `expression: 'recipient.startsWith("in")'`,
  ],
  domain: [
    'regex: ".*(order|sales@).*", scopes: [subject, recipient]',
    `expression: 'subject.contains("receipt")'`,
    `expression: 'recipient.endsWith("x@acme.example") || sender == "boss@x.example"'`,
    `expression: 'recipient.startsWith("jane")'`,
  ],
} as const;

/** Senders and subjects that match each combination of these conditions. */
export const WHO_CONTENTS = ['', 'vip@x.example', 'boss@x.example'].flatMap((from) =>
  ['', 'invoice'].flatMap((first) =>
    ['', 'order'].flatMap((second) =>
      ['', 'receipt'].map((third) => ({ from, subject: `${first} ${second} ${third}` })),
    ),
  ),
);

const OUTSIDE = ['ana@corp.example', 'ben@corp.example', 'Ben@Corp.example', 'eve@else.example'];
const WEBHOOK = 'https://hooks.corp.example/in?x=1';
export const WHO_ENV = {
  BOSS: 'boss@corp.example',
  BOTH: 'ben@corp.example, x@else.example',
  HOP: 'info@leaf.example',
};
const ASKED = [
  'ben@corp.example',
  'ben@corp.example',
  'BEN@corp.example',
  'ana@corp.example',
  'boss@corp.example',
  WEBHOOK,
  '*@corp.example',
  '*@leaf.example',
  'info@leaf.example',
  'nobody@nowhere.example',
];

export function randomWho(chance: Chance): RandomWho {
  const groups = ['one', 'two', 'three'].slice(0, 1 + chance.number(3));
  const write = (destinations: readonly string[]): string => {
    return destinations.length === 1 && chance.number(2) === 0
      ? String(destinations[0])
      : `[${destinations.join(', ')}]`;
  };
  const forward = (known: readonly string[], insiders: number): string => {
    // In a group the word would be one of several destinations.
    if (known === groups && chance.number(12) === 0) return 'discard';
    const count = 1 + chance.number(3);
    return write([...new Set(Array.from({ length: count }, () => oneDestination(chance, known, insiders)))]);
  };
  const sections = (domain: string | null): readonly string[] => {
    const isLeaf = domain === 'leaf.example';
    // A domain whose capture leads back to it is uncertain: each of the endless addresses is shorter than the one before.
    const targets = ['corp.example', 'else.example', ...(domain === null ? [] : ['leaf.example'])];
    const insiders = isLeaf ? 1 : 4;
    const aliases = uniqueNames(chance, isLeaf).map((name) => {
      const capture = name.startsWith('(') && chance.number(2) === 0;
      const to = capture ? write([`$1@${chance.pick(targets)}`]) : forward(groups, insiders);
      return `    "${name}": ${to}`;
    });
    const conditions = conditionsOf(chance, domain === null ? 'template' : 'domain');
    const rules = conditions.map((condition, index) => {
      const name = `${domain === null ? 't' : 'r'}${index}`;
      const active = chance.number(5) === 0 ? ', active: false' : '';
      return `    - { name: ${name}, ${condition}, forward: ${forward(groups, insiders)}${active} }`;
    });
    return [
      ...(aliases.length === 0 ? [] : ['  aliases:', ...aliases]),
      ...(rules.length === 0 || chance.number(2) === 0 ? [] : ['  rules:', ...rules]),
    ].map((line) => `  ${line}`);
  };
  const template = sections(null);
  const lines = [
    'version: 1',
    'destinations:',
    ...groups.map((name, index) => `  ${name}: ${forward(groups.slice(0, index), 2)}`),
    ...(template.length === 0 ? [] : ['templates:', '  standard:', ...template]),
    'domains:',
    ...WHO_DOMAINS.flatMap((domain) => [
      `  ${domain}:`,
      `    notification_email: ${chance.pick(['none', 'ben@corp.example', 'info@beta.example'])}`,
      ...(template.length > 0 && chance.number(2) === 0 ? ['    use: [standard]'] : []),
      ...sections(domain),
    ]),
  ];
  return { text: `${lines.join('\n')}\n`, destination: chance.pick(ASKED) };
}

function oneDestination(chance: Chance, groups: readonly string[], insiders: number): string {
  const kind = chance.number(6 + insiders);
  if (kind === 0 && groups.length > 0) return chance.pick(groups);
  if (kind === 1) return chance.pick(['{ env: BOSS }', '{ env: BOTH }', '{ env: HOP }']);
  if (kind === 2) return `"${WEBHOOK}"`;
  if (kind < 6) return chance.pick(OUTSIDE);
  const local = chance.pick([...NAMES, 'x-team', 'te-9', 'info-ben', 'nobody']);
  return `${local}@${chance.pick(WHO_DOMAINS)}`;
}

function uniqueNames(chance: Chance, isLeaf: boolean): readonly string[] {
  const names = Array.from({ length: chance.number(5) }, () => chance.pick(NAMES));
  const pattern = isLeaf || chance.number(2) === 0 ? [] : [chance.pick(['(.+)-team', '(info|help)-(x|ben)'])];
  const all = chance.number(3) === 0 ? ['*'] : [];
  return [...new Map([...names, ...pattern, ...all].map((name) => [name.toLowerCase(), name])).values()];
}

/** Returns up to three items, each once. */
function conditionsOf(chance: Chance, owner: keyof typeof CONDITIONS): readonly string[] {
  const names = [...NAMES, '*', 'te*', '(info|help)-(x|ben)'];
  const all = Array.from({ length: chance.number(4) }, () =>
    chance.number(3) > 0 ? chance.pick<string>(CONDITIONS[owner]) : `alias: "${chance.pick(names)}"`,
  );
  return [...new Set(all)];
}
