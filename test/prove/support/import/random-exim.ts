import type { Chance } from '../chance.ts';
import type { EximFile } from './exim-oracle.ts';

const DOMAINS = ['acme.example', 'beta.example'];
const LOCALS = [
  'info',
  'Sales',
  'jane.doe',
  'team-a',
  'x',
  'info+news',
  'web_1',
  '007',
  'root',
  'postmaster',
];
const OUTSIDE = [
  'ana@corp.example',
  'Ben@Corp.example',
  'eve@mail.test',
  'Eve Doe <eve@mail.test>',
  'hr@corp.example (HR)',
];

/** Alias files of one server: one for each domain, or one for names without a domain. */
export function randomExim(chance: Chance): readonly EximFile[] {
  if (chance.number(3) === 0) {
    return [{ domains: DOMAINS.slice(0, 1 + chance.number(2)), keys: 'names', text: textOf(chance, null) }];
  }
  return DOMAINS.map((domain) => ({ domains: [domain], keys: 'addresses', text: textOf(chance, domain) }));
}

function textOf(chance: Chance, domain: string | null): string {
  const lines = Array.from({ length: 3 + chance.number(9) }, () => {
    const local = chance.pick(LOCALS);
    const key = domain === null ? local : `${local}@${domain}`;
    const written = chance.number(12) === 0 ? `"${key}"` : key;
    const separator = chance.pick([': ', ':', ' : ', ':\t']);
    return `${written}${separator}${dataOf(chance, domain)}\n`;
  });
  const rest = chance.pick([
    '',
    '*: :fail: No such user\n',
    '*: ":fail: No Such User Here"\n',
    '*: rest@corp.example\n',
    `*: ${dataOf(chance, domain)}\n`,
  ]);
  const comments = chance.number(3) === 0 ? ['# a comment\n', '\n'] : [];
  return [...comments, ...lines, rest].join('');
}

function dataOf(chance: Chance, domain: string | null): string {
  const items = Array.from({ length: 1 + chance.number(3) }, () => itemOf(chance, domain));
  return items.join(chance.pick([', ', ',', ',\n  ', ', \n# within\n\t']));
}

function itemOf(chance: Chance, domain: string | null): string {
  switch (chance.number(16)) {
    case 0:
      return '/dev/null';
    case 1:
      return chance.pick([':blackhole:', ':fail: gone', ':defer: later', ':unknown:']);
    case 2:
      return chance.pick(['"|/usr/bin/vacation x"', '|/bin/prog', '/var/mail/x']);
    case 3:
      return domain === null ? chance.pick(LOCALS) : 'bob';
    case 4:
      return `\\${chance.pick(LOCALS)}@${domain ?? DOMAINS[0] ?? ''}`;
    case 5:
    case 6:
    case 7:
      return `${chance.pick(LOCALS)}@${chance.pick(DOMAINS)}`;
    default:
      return chance.pick(OUTSIDE);
  }
}

const TRIED = [...LOCALS, 'INFO', 'nobody', 'info+x', 'sales+a+b', 'jane.doe+news', 'nobody+x'];

export function randomEximAddress(chance: Chance): string {
  return `${chance.pick(TRIED)}@${chance.pick(DOMAINS)}`;
}
