import type { Chance } from '../chance.ts';
import type { OracleTable, TableLine } from './postfix-oracle.ts';

/** Tables with names in common. */
export interface RandomPostfix {
  readonly tables: readonly OracleTable[];
  /** Value of `--for`. */
  readonly localDomains: readonly string[];
  readonly delimiter: '+' | '-';
}

const DOMAINS = ['acme.example', 'beta.example', 'old.example'];
const LOCALS = [
  'info',
  'sales',
  'jane.doe',
  'team-a',
  'team-b',
  'x',
  'abuse',
  'web_1',
  'info+news',
  'sales-eu',
  '007',
];
const OUTSIDE = [
  'ana@corp.example',
  'Ben@Corp.example',
  'eve@mail.test',
  'ops+1@corp.example',
  'hr@corp.example',
];
/** Patterns for local parts, with the number of their groups. */
const PATTERNS: readonly (readonly [string, number])[] = [
  ['^info', 0],
  ['^(info|sales)', 1],
  ['^(.*)', 1],
  ['^.*', 0],
  ['', 0],
  ['^team-.*', 0],
  ['^team-([ab])', 1],
  ['^team-(a|b|ab)', 1],
  ['^([a-z]+)\\.([a-z]+)', 2],
  ['^([^@]+)-list', 1],
  ['-list', 0],
  ['^x{1,3}', 0],
  ['^[0-9]+', 0],
  ['^\\d+', 0],
  ['^web_?[0-9]*', 0],
  ['^(x|xx)(x*)', 2],
  ['^jane\\.(doe|roe)?', 1],
  ['^(sales)+', 1],
  ['^sales(-[a-z]+)?', 1],
  ['^abuse|postmaster', 0],
  ['^[[:alpha:]]+', 0],
  ['^.+\\+.+', 0],
  ['^Info', 0],
];
const ENDS = [
  '@acme\\.example$',
  '@acme.example',
  '@beta\\.example$',
  '@old\\.example$',
  '@(acme\\.example)$',
];

/** Random maps of every kind. Many addresses contain words of the patterns. */
export function randomPostfix(chance: Chance): RandomPostfix {
  const count = 1 + chance.number(3);
  const tables = Array.from({ length: count }, (_, index) => {
    return chance.number(index === 0 ? 4 : 2) === 0 ? patternTable(chance) : nameTable(chance);
  });
  return {
    tables,
    localDomains: chance.number(2) === 0 ? ['acme.example'] : ['acme.example', 'beta.example'],
    delimiter: chance.number(8) === 0 ? '-' : '+',
  };
}

function nameTable(chance: Chance): OracleTable {
  const lines = Array.from({ length: 2 + chance.number(9) }, (): TableLine => {
    return { key: nameKey(chance), value: valueOf(chance, 0) };
  });
  const declared = chance.number(3) === 0 ? [{ key: 'old.example', value: 'anything' }] : [];
  return { type: 'texthash', lines: [...declared, ...lines] };
}

function nameKey(chance: Chance): string {
  const local = chance.pick(LOCALS);
  const written = chance.number(6) === 0 ? local.toUpperCase() : local;
  switch (chance.number(6)) {
    case 0:
      return `@${chance.pick(DOMAINS)}`;
    case 1:
      return written;
    default:
      return `${written}@${chance.pick(DOMAINS)}`;
  }
}

function patternTable(chance: Chance): OracleTable {
  const type = chance.number(2) === 0 ? 'regexp' : 'pcre';
  const lines: TableLine[] = [];
  for (let count = 1 + chance.number(5); count > 0; count -= 1) {
    const [local, groups] = chance.pick(PATTERNS);
    const end = chance.number(10) === 0 ? '@' : chance.pick(ENDS);
    const flags = chance.number(8) === 0 ? 'i' : '';
    const all = groups + Number(end.includes('('));
    const negated = chance.number(12) === 0;
    const rule = {
      key: `${negated ? '!' : ''}/${local}${end}/${flags}`,
      value: valueOf(chance, negated ? 0 : all),
    };
    if (chance.number(10) > 0) lines.push(rule);
    else lines.push({ key: 'if', value: '/^[a-m]/' }, rule, { key: 'endif', value: '' });
  }
  return { type, lines };
}

function valueOf(chance: Chance, groups: number): string {
  const first = chance.number(8) === 0 ? [`@${chance.pick([...DOMAINS, 'corp.example'])}`] : [];
  const count = Math.max(1 - first.length, chance.number(3));
  const others = Array.from({ length: count }, () => target(chance, groups));
  return [...first, ...others].join(chance.pick([', ', ',', ' ']));
}

function target(chance: Chance, groups: number): string {
  const kind = chance.number(10);
  if (groups > 0 && kind < 4) {
    const group = 1 + chance.number(groups);
    const written = chance.pick([`$${group}`, `\${${group}}`, `$(${group})`]);
    return chance.pick([`${written}@corp.example`, `x-${written}@corp.example`, `${written}@beta.example`]);
  }
  if (kind < 7) return chance.pick(OUTSIDE);
  if (kind === 7) return chance.pick(LOCALS);
  return `${chance.pick(LOCALS)}@${chance.pick(DOMAINS)}`;
}

const TRIED = [
  ...LOCALS,
  'INFO',
  'Sales',
  'nobody',
  'info+x',
  'sales+a+b',
  'jane.doe+news',
  'team-ab',
  'team-c',
  'team-a+x',
  'john.roe',
  'jane.roe',
  'my-list',
  'info-list',
  'info+x-list',
  'xx',
  'xxxx',
  '42',
  'web',
  'web_12',
  'salessales',
  'sales-us',
  'sales-request',
  'owner-sales',
  'x-1',
  'postmaster',
  'zebra',
];

/** An address at one of the domains. */
export function randomAddress(chance: Chance): string {
  return `${chance.pick(TRIED)}@${chance.pick(DOMAINS)}`;
}
