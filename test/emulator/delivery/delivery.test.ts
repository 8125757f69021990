import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/emulator/delivery/delivery.ts';
import type { Seed, SeedAlias, SeedDomain, SeedRule } from '../../../src/emulator/account/seed.ts';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import type { Switches } from '../../../src/emulator/account/switches.ts';
import { KEY, sender, START, startTestEmulator, type Body, type Send } from '../support/target.ts';

const ROOT = '/domains/acme.example';

async function start(
  domain: Omit<SeedDomain, 'domain'>,
  switches: Partial<Switches> = {},
  account: Seed['account'] = {},
): Promise<{ emulator: Emulator; send: Send }> {
  const { emulator, send } = await startTestEmulator({
    rateLimit: 1e6,
    switches,
    state: { account, domains: [{ domain: 'acme.example', ...domain }] },
  });
  return { emulator, send };
}

function aliases(entries: Readonly<Record<string, string>>): readonly SeedAlias[] {
  return Object.entries(entries).map(([alias, forward]) => ({ alias, forward }));
}

/** Destinations of a mail, or `refused`. */
function destinations(emulator: Emulator, message: Partial<Message>): readonly string[] | 'refused' {
  const delivered = emulator.deliver({ to: 'sales@acme.example', from: 'ana@corp.example', ...message });
  if (!delivered.ok) throw new Error(delivered.error.message);
  return delivered.value.route.kind === 'refused' ? 'refused' : delivered.value.destinations;
}

describe('aliases mode', () => {
  const names = {
    sales: 'sales-inbox@x.example',
    'contact+news': 'news@x.example',
    contact: 'a@x.example, b@Gmail.com,https://hooks.example/in',
    '([a-z]+)\\.([a-z]+)': '$1+$2@x.example',
    '(info|office)': 'office@x.example',
    'inv.*': 'pattern@x.example',
    void: 'null',
    half: 'null, kept@x.example',
    '*': 'all@x.example',
  };

  test.each([
    ['sales', ['sales-inbox@x.example']],
    ['SALES', ['sales-inbox@x.example']],
    ['contact+news', ['news@x.example']],
    ['contact+other', ['a@x.example', 'b+other@Gmail.com', 'https://hooks.example/in']],
    ['contact', ['a@x.example', 'b@Gmail.com', 'https://hooks.example/in']],
    ['jane.doe', ['jane+doe@x.example']],
    ['Jane.Doe', ['Jane+Doe@x.example']],
    ['office', ['office@x.example']],
    ['offices', ['all@x.example']],
    ['invoice', ['pattern@x.example']],
    ['void', []],
    ['half', ['kept@x.example']],
    ['anything', ['all@x.example']],
    ['+label', ['all@x.example']],
  ])('%s', async (local, expected) => {
    const { emulator } = await start({ aliases: aliases(names) });
    expect(destinations(emulator, { to: `${local}@Acme.example` })).toEqual(expected);
  });

  test('without a match and without * it is refused', async () => {
    const { emulator } = await start({ aliases: aliases({ sales: 'x@x.example' }) });
    expect(destinations(emulator, { to: 'nobody@acme.example' })).toBe('refused');
  });

  test.each([
    ['created', 'old@x.example'],
    ['name', 'first@x.example'],
  ] as const)('regexAliasOrder: %s', async (regexAliasOrder, expected) => {
    const { emulator } = await start(
      { aliases: aliases({ 's.*': 'old@x.example', '(s|t).*': 'first@x.example' }) },
      { regexAliasOrder },
    );
    expect(destinations(emulator, {})).toEqual([expected]);
  });

  test('a pattern that is added, deleted or broken', async () => {
    const { emulator, send } = await start({ aliases: aliases({ '(': 'broken@x.example' }) });
    expect(destinations(emulator, {})).toBe('refused');
    const { body } = await send('POST', `${ROOT}/aliases`, { alias: 'sa.*', forward: 'new@x.example' });
    expect(destinations(emulator, {})).toEqual(['new@x.example']);
    await send('DELETE', `${ROOT}/aliases/${body.alias.id}`);
    expect(destinations(emulator, {})).toBe('refused');
    await send('POST', `${ROOT}/aliases`, { alias: 'sa.*', forward: 'new@x.example' });
    await send('DELETE', `${ROOT}/aliases?all=true`);
    expect(destinations(emulator, {})).toBe('refused');
  });

  test('a pattern takes linear time', async () => {
    const { emulator } = await start({
      aliases: aliases({ '(a+)+': 'slow@x.example', '*': 'all@x.example' }),
    });
    expect(destinations(emulator, { to: `${'a'.repeat(60)}!@acme.example` })).toEqual(['all@x.example']);
  });

  test.each([
    ['(?i:SA)les', 'new@x.example'],
    ['[[:alpha:]]+', 'new@x.example'],
    ['(?P<name>sales)', 'new@x.example'],
    ['sales(?=x)', 'refused'],
  ])('%s is of the dialect, or not', async (pattern, expected) => {
    const { emulator } = await start({ aliases: aliases({ [pattern]: 'new@x.example' }) });
    expect(destinations(emulator, {})).toEqual(expected === 'refused' ? expected : [expected]);
  });
});

describe('rules mode', () => {
  const forward = 'rule@x.example';
  const rule = (type: SeedRule['type'], config: Readonly<Record<string, unknown>>): SeedRule => ({
    type,
    config: { forward, ...config },
  });

  test.each<[string, SeedRule, Partial<Message>, boolean]>([
    ['a name', rule('alias', { alias: 'Sales' }), {}, true],
    ['another name', rule('alias', { alias: 'sale' }), {}, false],
    ['a name with a label', rule('alias', { alias: 'sales' }), { to: 'sales+x@acme.example' }, true],
    ['everything', rule('alias', { alias: '*' }), {}, true],
    ['a beginning', rule('alias', { alias: 'sal*' }), {}, true],
    ['another beginning', rule('alias', { alias: 'tal*' }), {}, false],
    ['a pattern', rule('alias', { alias: '(sales|info)' }), {}, true],
    ['a pattern is whole', rule('alias', { alias: '(sale|info)' }), {}, false],
    [
      'a regex in the subject',
      rule('regex', { regex: '.*invoice.*', scopes: ['subject'] }),
      { subject: 'my invoice 7' },
      true,
    ],
    [
      'a regex in another scope',
      rule('regex', { regex: 'invoice', scopes: ['body', 'sender'] }),
      { subject: 'invoice' },
      false,
    ],
    [
      'a regex in any scope',
      rule('regex', { regex: 'invoice', scopes: ['subject', 'body'] }),
      { body: 'an invoice' },
      true,
    ],
    [
      'letter case counts',
      rule('regex', { regex: 'Invoice', scopes: ['subject'] }),
      { subject: 'invoice' },
      false,
    ],
    [
      'a flag of RE2',
      rule('regex', { regex: '(?i)Invoice', scopes: ['subject'] }),
      { subject: 'invoice' },
      true,
    ],
    ['a regex that is none', rule('regex', { regex: '(', scopes: ['subject'] }), { subject: '(' }, false],
    ['recipient', rule('regex', { regex: '^sales@', scopes: ['recipient'] }), {}, true],
    [
      'CEL',
      rule('cel', { expression: 'sender.endsWith("@corp.example") && !subject.contains("spam")' }),
      {},
      true,
    ],
    ['CEL matches', rule('cel', { expression: 'subject.matches("inv.*")' }), { subject: 'my invoice' }, true],
    ['CEL false', rule('cel', { expression: 'body.startsWith("x") || recipient == "x"' }), {}, false],
    ['CEL that is none', rule('cel', { expression: 'sender.' }), {}, false],
    ['CEL that is no bool', rule('cel', { expression: 'sender' }), {}, false],
    ['CEL that fails', rule('cel', { expression: 'nothing == 1' }), {}, false],
    ['inactive', { ...rule('alias', { alias: '*' }), active: false }, {}, false],
  ])('%s', async (_name, one, message, isTaken) => {
    const { emulator } = await start({
      routing_engine: 'rules',
      rules: [one],
      rules_fallback_email: 'f@x.example',
    });
    expect(destinations(emulator, message)).toEqual([isTaken ? forward : 'f@x.example']);
  });

  test('the first in ascending rank delivers, the rest are not run; aliases do not count', async () => {
    const { emulator } = await start({
      routing_engine: 'rules',
      aliases: aliases({ sales: 'alias@x.example' }),
      rules: [
        { ...rule('alias', { alias: 'sales', forward: 'late@x.example' }), rank: 2.5 },
        { ...rule('alias', { alias: '*', forward: 'early@x.example' }), rank: 2.25 },
      ],
    });
    expect(destinations(emulator, {})).toEqual(['early@x.example']);
  });

  test('capture groups', async () => {
    const { emulator } = await start({
      routing_engine: 'rules',
      rules: [
        rule('alias', { alias: '(\\w+)-team', forward: '$1@x.example' }),
        rule('regex', { regex: 'ticket (\\d+)', scopes: ['subject'], forward: 't$1@x.example' }),
      ],
    });
    expect(destinations(emulator, { to: 'red-team@acme.example' })).toEqual(['red@x.example']);
    expect(destinations(emulator, { subject: 'Re: ticket 42' })).toEqual(['t42@x.example']);
  });

  test.each<[string, SeedDomain['rules_fallback_email'], readonly string[]]>([
    ['the account by default', undefined, ['ops@acme.example']],
    ['an address', 'f@x.example', ['f@x.example']],
    ['null drops', null, []],
  ])('fallback: %s', async (_name, rules_fallback_email, expected) => {
    const { emulator } = await start(
      { routing_engine: 'rules', rules_fallback_email },
      {},
      { email: 'ops@acme.example' },
    );
    expect(destinations(emulator, {})).toEqual(expected);
  });

  test('a rule that is updated', async () => {
    const { emulator, send } = await start({
      routing_engine: 'rules',
      rules: [
        {
          ...rule('regex', { regex: 'one', scopes: ['subject'] }),
          id: '00000000-0000-4000-8000-000000000001',
        },
      ],
      rules_fallback_email: null,
    });
    expect(destinations(emulator, { subject: 'one' })).toEqual([forward]);
    await send('PUT', `${ROOT}/rules/00000000-0000-4000-8000-000000000001`, {
      config: { regex: 'two', scopes: ['subject'], forward },
    });
    expect(destinations(emulator, { subject: 'one' })).toEqual([]);
    expect(destinations(emulator, { subject: 'two' })).toEqual([forward]);
  });

  test.each([
    ['filled', 'jane@x.example'],
    ['as-written', '$1@x.example'],
  ] as const)('switch ruleCaptures: %s', async (ruleCaptures, expected) => {
    const config = { regex: 'for ([a-z]+)', scopes: ['subject'], forward: '$1@x.example' };
    const domain = { routing_engine: 'rules', rules: [rule('regex', config)] } as const;
    const { emulator } = await start(domain, { ruleCaptures });
    expect(destinations(emulator, { subject: 'for jane' })).toEqual([expected]);
  });

  test.each<[Switches['ruleDotStar'], string, boolean]>([
    ['regex', 'salesteam', true],
    ['regex', 'sales.eu', true],
    ['prefix', 'salesteam', false],
    ['prefix', 'Sales.EU', true],
  ])('switch ruleDotStar: %s, mail to %s', async (ruleDotStar, name, isTaken) => {
    const rules = [rule('alias', { alias: 'sales.*' })];
    const domain = { routing_engine: 'rules', rules_fallback_email: null, rules } as const;
    const { emulator } = await start(domain, { ruleDotStar });
    expect(destinations(emulator, { to: `${name}@acme.example` })).toHaveLength(isTaken ? 1 : 0);
  });

  test.each([
    ['ruleRegexMatch', { ruleRegexMatch: 'whole' }],
    ['rulePlusAddressing', { rulePlusAddressing: 'exact' }],
  ] as const)('%s', async (_name, switches) => {
    const domain = {
      routing_engine: 'rules',
      rules_fallback_email: null,
      rules: [rule('regex', { regex: 'invoice', scopes: ['subject'] }), rule('alias', { alias: 'sales' })],
    } as const;
    const results = [];
    for (const chosen of [{}, switches]) {
      const { emulator } = await start(domain, chosen);
      const message = { to: 'info@acme.example', subject: 'my invoice' };
      results.push(destinations(emulator, message), destinations(emulator, { to: 'sales+x@acme.example' }));
    }
    expect(results.filter((found) => found.length === 1)).toHaveLength(3);
  });
});

test.each([
  ['insensitive', ['jane@x.example']],
  ['sensitive', 'refused'],
] as const)('switch aliasPatternCase: %s', async (aliasPatternCase, expected) => {
  const domain = { aliases: aliases({ '(jane|joe)': 'jane@x.example' }) };
  const { emulator } = await start(domain, { aliasPatternCase });
  expect(destinations(emulator, { to: 'jane@acme.example' })).toEqual(['jane@x.example']);
  expect(destinations(emulator, { to: 'Jane@acme.example' })).toEqual(expected);
});

describe('domains that take no mail', () => {
  const everything = aliases({ '*': 'all@x.example' });

  test.each<[string, Omit<SeedDomain, 'domain'>, Partial<Switches>, readonly string[] | 'refused']>([
    ['banned', { banned: true }, {}, 'refused'],
    ['banned, and yet', { banned: true }, { bannedDomain: 'deliver' }, ['all@x.example']],
    ['routing disabled', { routing_engine: null }, {}, 'refused'],
    ['routing disabled, discards', { routing_engine: null }, { disabledRouting: 'discard' }, []],
    ['not verified', { forwarding_ready: false }, { unverifiedDomain: 'refuse' }, 'refused'],
    ['not verified, by default', { forwarding_ready: false }, {}, ['all@x.example']],
  ])('%s', async (_name, domain, switches, expected) => {
    const { emulator } = await start({ aliases: everything, ...domain }, switches);
    expect(destinations(emulator, {})).toEqual(expected);
  });

  test('an unknown domain is an error', async () => {
    const { emulator } = await start({});
    expect(emulator.deliver({ to: 'a@other.example', from: 'b@x.example' })).toEqual({
      ok: false,
      error: { status: 'unknownStatus', message: 'domain not found', errors: {} },
    });
  });
});

describe('entries of the log', () => {
  const summary = (log: Body): unknown => [
    log.forward?.email ?? null,
    log.events.map(({ status }: Body) => status),
  ];

  async function logged(
    message: Partial<Message>,
    switches: Partial<Switches> = {},
  ): Promise<readonly Body[]> {
    const { emulator, send } = await start(
      { aliases: aliases({ sales: 'a@x.example,b@x.example', void: 'null' }) },
      switches,
    );
    destinations(emulator, message);
    return (await send('GET', `${ROOT}/logs?order=created_asc`)).body.logs;
  }

  test.each<[string, Partial<Message>, Partial<Switches>, readonly unknown[]]>([
    [
      'delivered',
      {},
      {},
      [
        ['a@x.example', ['QUEUED', 'DELIVERED']],
        ['b@x.example', ['QUEUED', 'DELIVERED']],
      ],
    ],
    ['refused', { to: 'no@acme.example' }, {}, [[null, ['REFUSED']]]],
    [
      'a bounce',
      { outcome: 'HARD-BOUNCE' },
      {},
      [
        ['a@x.example', ['QUEUED', 'HARD-BOUNCE']],
        ['b@x.example', ['QUEUED', 'HARD-BOUNCE']],
      ],
    ],
    [
      'a course',
      { outcome: ['QUEUED', 'SOFT-BOUNCE', 'BOUNCED'] },
      { logsPer: 'message' },
      [['a@x.example', ['QUEUED', 'SOFT-BOUNCE', 'BOUNCED']]],
    ],
    [
      'one of two',
      { outcomes: { 'b@x.example': 'BOUNCED' } },
      {},
      [
        ['a@x.example', ['QUEUED', 'DELIVERED']],
        ['b@x.example', ['QUEUED', 'BOUNCED']],
      ],
    ],
    ['not yet', { outcome: 'QUEUED' }, { logsPer: 'message' }, [['a@x.example', ['QUEUED']]]],
    ['one a message', {}, { logsPer: 'message' }, [['a@x.example', ['QUEUED', 'DELIVERED']]]],
    ['discarded', { to: 'void@acme.example' }, {}, [[null, ['QUEUED']]]],
    [
      'discarded as delivered',
      { to: 'void@acme.example' },
      { discardedMail: 'delivered' },
      [[null, ['QUEUED', 'DELIVERED']]],
    ],
    ['discarded without a trace', { to: 'void@acme.example' }, { discardedMail: 'unlogged' }, []],
  ])('%s', async (_name, message, switches, expected) => {
    expect((await logged(message, switches)).map(summary)).toEqual(expected);
  });

  test('an entry has what the mail had', async () => {
    const [first, second] = await logged({ from: 'Ana Lee <ana@corp.example>', subject: 'Hello' });
    expect(first).toMatchObject({
      created_at: new Date(START).toISOString().replace('.000', ''),
      sender: { email: 'ana@corp.example', name: 'Ana Lee' },
      recipient: { email: 'sales@acme.example', name: null },
      subject: 'Hello',
      transport: 'mx',
    });
    expect(first.message_id).toBe(second.message_id);
    expect(first.id).not.toBe(second.id);
  });

  test('both versions see it, v3 under its alias too', async () => {
    const { emulator, send } = await start({ aliases: aliases({ '*': 'all@x.example' }) });
    const delivered = emulator.deliver({ to: 'any@acme.example', from: 'ana@corp.example' });
    const id = delivered.ok ? delivered.value.logs[0]?.id : undefined;
    const v3 = sender(emulator.urls.v3, KEY);
    expect((await send('GET', `${ROOT}/logs/${id}`)).body.id).toBe(id);
    expect((await v3('GET', `${ROOT}/logs/${id}`)).body.log.id).toBe(id);
    expect((await v3('GET', `${ROOT}/logs/*`)).body.logs).toHaveLength(1);
  });

  test('ids stay apart when the random ones repeat', async () => {
    const { emulator } = await startTestEmulator({
      randomId: () => '00000000-0000-4000-8000-000000000000',
      state: { domains: [{ domain: 'acme.example' }] },
    });
    for (const _ of [1, 2]) emulator.deliver({ to: 'a@acme.example', from: 'b@x.example' });
    const [domain] = emulator.store.dump().domains;
    expect(new Set(domain?.logs.map(({ id }) => id)).size).toBe(2);
  });
});
