import { describe, expect, test } from 'vitest';
import {
  decodeForward,
  normaliseDestination,
  type Destination,
} from '../../../src/core/model/destinations.ts';
import type { RuleMatch } from '../../../src/core/model/resources.ts';
import {
  createRouter,
  route,
  type Anchoring,
  type Mail,
  type Route,
  type Router,
  type RoutingTable,
} from '../../../src/core/routing/route.ts';

interface Alias {
  readonly name: string;
  readonly forward: readonly Destination[];
}
interface Rule {
  readonly name: string;
  readonly match: RuleMatch;
  readonly forward: readonly Destination[];
  readonly active: boolean;
}
type Table = RoutingTable<Alias, Rule>;

/** Aliases as `NAME: FORWARD`, one per line. */
function aliases(...lines: readonly string[]): readonly Alias[] {
  return lines.map((line) => {
    const at = line.lastIndexOf(': ');
    return { name: line.slice(0, at), forward: decodeForward(line.slice(at + 2)) };
  });
}

function rule(name: string, match: RuleMatch, options: { readonly active?: boolean } = {}): Rule {
  return { name, match, forward: decodeForward(`${name}@rules.example`), active: options.active ?? true };
}

const alias = (text: string): RuleMatch => ({ type: 'alias', alias: text });
const regex = (
  text: string,
  ...scopes: readonly ('sender' | 'recipient' | 'subject' | 'body')[]
): RuleMatch => ({
  type: 'regex',
  regex: text,
  scopes,
});
const cel = (expression: string): RuleMatch => ({ type: 'cel', expression });

function mail(to: string, rest: Partial<Mail> = {}): Mail {
  return { to: `${to}@acme.example`, from: '', subject: '', body: '', ...rest };
}

/** `by-what forward`, or `refused`. */
function where(table: Partial<Table>, to: Mail, anchoring: Anchoring = 'anywhere'): string {
  return shown(routerOf(table).route(to, anchoring));
}

/** All possible routes of a mail. */
function everywhere(table: Partial<Table>, to: Mail): readonly string[] {
  return routerOf(table).routes(to).map(shown);
}

function routerOf(table: Partial<Table>): Router<Alias, Rule> {
  return createRouter({ aliases: [], rules: [], mode: 'aliases', fallback: null, ...table });
}

function shown(found: Route<Alias, Rule>): string {
  if (found.kind === 'refused') return 'refused';
  return `${found.kind === 'alias' ? found.by : found.kind} ${found.forward.join()}`;
}

describe('aliases', () => {
  const table = aliases(
    'info: a@x.example',
    'Sales: b@x.example',
    'info+vip: c@x.example',
    '(contact|kontakt): d@x.example',
    '([a-z]+)\\.([0-9]+): $2-$1@x.example',
    '(con).*x+: e@x.example',
    '*: z@x.example',
  );

  test.each([
    ['info', 'name a@x.example'],
    ['INFO', 'name a@x.example'],
    ['sales', 'name b@x.example'],
    ['info+news', 'plus-address a@x.example'],
    ['info+vip', 'name c@x.example'],
    ['kontakt', 'regex d@x.example'],
    ['Contact', 'regex d@x.example'],
    ['mycontact', 'catch-all z@x.example'],
    ['contactx', 'regex e@x.example'],
    ['team.42', 'regex 42-team@x.example'],
    ['nobody', 'catch-all z@x.example'],
    ['', 'catch-all z@x.example'],
  ])('%s', (to, expected) => {
    expect(where({ aliases: table }, mail(to))).toBe(expected);
  });

  test('without a catch-all the rest is refused', () => {
    expect(where({ aliases: table.slice(0, 2) }, mail('nobody'))).toBe('refused');
  });

  test.each([
    ['info+News', 'a+News@gmail.com,b@x.example,e+old+News@yandex.ru,https://h.example/@gmail.com'],
    ['info+', 'a+@gmail.com,b@x.example,e+old+@yandex.ru,https://h.example/@gmail.com'],
    ['INFO+a+b', 'a+a+b@gmail.com,b@x.example,e+old+a+b@yandex.ru,https://h.example/@gmail.com'],
  ])('%s: the label is added again only where the host takes it', (to, expected) => {
    const forward = 'a@gmail.com, b@x.example, e+old@Yandex.ru, https://h.example/@gmail.com';
    expect(where({ aliases: aliases(`info: ${forward}`) }, mail(to))).toBe(`plus-address ${expected}`);
  });

  test('a pattern that does not compile takes nothing', () => {
    expect(where({ aliases: aliases('(a: x@y.example') }, mail('a'))).toBe('refused');
  });

  test('a group that took no part is empty; one that is not there stays', () => {
    const forward = aliases('a(b)?c: x$1y$2@z.example');
    expect(where({ aliases: forward }, mail('ac'))).toBe('regex xy$2@z.example');
  });
});

describe('names that may be patterns', () => {
  const table = aliases(
    'sales.*: a@x.example',
    'd?sk*: b@x.example',
    '*-x: c@x.example',
    'info: d@x.example',
    '*: z@x.example',
  );

  test.each([
    ['sales.*', 'name a@x.example', 'name a@x.example'],
    ['sales-eu', 'catch-all z@x.example', 'regex a@x.example'],
    ['SALES', 'catch-all z@x.example', 'regex a@x.example'],
    ['dask-1', 'catch-all z@x.example', 'regex b@x.example'],
    ['skk', 'catch-all z@x.example', 'regex b@x.example'],
    ['any-x', 'catch-all z@x.example', 'regex c@x.example'],
    ['info', 'name d@x.example', 'name d@x.example'],
    ['other', 'catch-all z@x.example', 'catch-all z@x.example'],
  ])('%s: literally %s, as a pattern %s', (to, literally, pattern) => {
    expect(where({ aliases: table }, mail(to))).toBe(literally);
    expect(everywhere({ aliases: table }, mail(to))).toEqual([...new Set([literally, pattern])]);
  });

  test('in alias rules, whose prefixes are documented', () => {
    const rules = [
      rule('prefix', alias('sales*')),
      rule('pattern', alias('h.*-desk')),
      rule('either', alias('Team.*')),
      rule('all', alias('*')),
    ];
    const of = (to: string): readonly string[] => everywhere({ rules, mode: 'rules' }, mail(to));
    expect(of('sales-eu')).toEqual(['rule prefix@rules.example']);
    expect(of('help-desk')).toEqual(['rule all@rules.example', 'rule pattern@rules.example']);
    expect(of('h.*-desk')).toEqual(['rule pattern@rules.example']);
    expect(of('team.EU')).toEqual(['rule either@rules.example']);
    expect(of('TEAM')).toEqual(['rule all@rules.example', 'rule either@rules.example']);
    expect(of('tea')).toEqual(['rule all@rules.example']);
  });
});

describe('rules', () => {
  const rules = [
    rule('off', alias('*'), { active: false }),
    rule('jobs', alias('jobs')),
    rule('prefix', alias('sales*')),
    rule('pattern', alias('(hr|staff)')),
    rule('word', regex('invoice', 'subject', 'body')),
    rule('whole', regex('^from@x\\.example$', 'sender')),
    rule('to', regex('-[0-9]+@', 'recipient')),
    rule('cel', cel('sender.endsWith("@vip.example") && !subject.contains("spam")')),
  ];

  test.each<[string, Mail, string]>([
    ['a name', mail('Jobs'), 'jobs'],
    ['a name with a label', mail('jobs+x'), 'jobs'],
    ['a prefix', mail('sales-north'), 'prefix'],
    ['a prefix alone', mail('sales'), 'prefix'],
    ['a regular expression', mail('STAFF'), 'pattern'],
    ['a word in one of the scopes', mail('x', { body: 'the invoice\nis here' }), 'word'],
    ['an anchored pattern', mail('x', { from: 'from@x.example' }), 'whole'],
    ['the recipient', mail('x-7'), 'to'],
    ['an expression', mail('x', { from: 'a@vip.example' }), 'cel'],
  ])('%s', (_, sent, name) => {
    expect(where({ rules, mode: 'rules' }, sent)).toBe(`rule ${name}@rules.example`);
  });

  test.each<[string, Mail]>([
    ['a part of a regular expression', mail('staffing')],
    ['a word elsewhere', mail('x', { from: 'invoice@x.example' })],
    ['more than an anchored pattern', mail('x', { from: 'xfrom@x.example' })],
    ['a part of an expression', mail('x', { from: 'a@vip.example', subject: 'spam' })],
  ])('not %s', (_, sent) => {
    expect(where({ rules, mode: 'rules' }, sent)).toBe('refused');
  });

  test('the first that matches takes the mail', () => {
    const two = [rule('first', alias('*')), rule('second', alias('*'))];
    expect(where({ rules: two, mode: 'rules' }, mail('x'))).toBe('rule first@rules.example');
  });

  test('mail that no rule matches goes to the fallback', () => {
    expect(where({ rules, mode: 'rules', fallback: normaliseDestination('f@x.example') }, mail('x'))).toBe(
      'fallback f@x.example',
    );
  });

  test('both readings of a pattern', () => {
    const subject = { subject: 'your invoice' };
    expect(where({ rules, mode: 'rules' }, mail('x', subject))).toBe('rule word@rules.example');
    expect(where({ rules, mode: 'rules' }, mail('x', subject), 'whole')).toBe('refused');
    const exact = { subject: 'invoice' };
    expect(where({ rules, mode: 'rules' }, mail('x', exact), 'whole')).toBe('rule word@rules.example');
  });

  test('an expression that fails on a mail does not match it', () => {
    const failing = [rule('cel', cel('subject.split(",")[3] == "x"'))];
    expect(where({ rules: failing, mode: 'rules' }, mail('x'))).toBe('refused');
  });
});

describe('both', () => {
  const table = { aliases: aliases('info: a@x.example'), rules: [rule('r', regex('.*cat.*', 'subject'))] };
  const cat = mail('info', { subject: 'a cat' });

  test.each<[Table['mode'], string, string]>([
    ['aliases', 'name a@x.example', 'name a@x.example'],
    ['rules', 'rule r@rules.example', 'refused'],
    ['rules-then-aliases', 'rule r@rules.example', 'name a@x.example'],
  ])('in mode %s', (mode, withCat, without) => {
    expect(where({ ...table, mode }, cat)).toBe(withCat);
    expect(where({ ...table, mode }, mail('info'))).toBe(without);
  });

  test('one mail without a router', () => {
    const whole: Table = { ...table, mode: 'aliases', fallback: null };
    expect(route(whole, cat)).toMatchObject({ kind: 'alias', by: 'name' });
  });

  test('the aliases alone', () => {
    const router = createRouter<Alias, Rule>({ ...table, mode: 'rules', fallback: null });
    expect(router.routesByAlias('info')).toMatchObject([{ by: 'name' }]);
    expect(router.routesByAlias('other')).toEqual([{ kind: 'refused' }]);
  });
});
