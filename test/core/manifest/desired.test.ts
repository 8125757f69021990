import { describe, expect, test } from 'vitest';
import type { DomainName } from '../../../src/core/model/names.ts';
import { acme, acmeOf, aliasesOf, desiredOf, errorsOf, load, problemsOf } from './support/loading.ts';

const SHARED = `version: 1
destinations:
  oncall: [ana@corp.example, ben@corp.example]
  all: [oncall, carol@Corp.Example, ana@corp.example]
  drop: discard
templates:
  one:
    aliases: { postmaster: oncall, abuse: all, gone: { state: absent } }
    rules:
      - { name: first, alias: a, forward: oncall }
      - { name: second, alias: b, forward: oncall }
    credentials: { robot: {} }
  same:
    aliases: { postmaster: [ben@corp.example, ana@corp.example] }
    rules: [{ name: first, alias: a, forward: [oncall] }]
  other:
    aliases: { postmaster: carol@corp.example }
    rules: [{ name: second, alias: c, forward: oncall }]
    credentials: { robot: { password: { env: X } } }
`;

function shared(...lines: readonly string[]): string {
  return `${SHARED}domains:\n  acme.example:\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

describe('destinations', () => {
  test('groups are expanded, hosts are lower case, duplicates go, discard is the word null', () => {
    expect(aliasesOf(shared('aliases: { a: all, b: [all, x@y.example], c: drop, d: discard }'))).toEqual({
      a: 'ana@corp.example,ben@corp.example,carol@corp.example',
      b: 'ana@corp.example,ben@corp.example,carol@corp.example,x@y.example',
      c: 'null',
      d: 'null',
    });
  });

  test('references are remembered by value', () => {
    const text = acme('aliases: { a: [{ env: A }, x@y.example] }');
    const desired = desiredOf(text, { env: { A: 'b@C.example, d@e.example' } });
    const written = { written: { env: 'A' }, shown: '{ env: A }' };
    expect([...desired.references]).toMatchObject([
      ['b@c.example', written],
      ['d@e.example', written],
    ]);
  });

  test('non-ASCII hosts are taken in ASCII', () => {
    expect(aliasesOf(acme('aliases: { a: x@münchen.example, b: https://münchen.example/In }'))).toEqual({
      a: 'x@xn--mnchen-3ya.example',
      b: 'https://xn--mnchen-3ya.example/In',
    });
  });
});

describe('templates', () => {
  test('entries are taken over, with their own place and where they are used', () => {
    const { aliases, rules, credentials } = acmeOf(
      desiredOf(shared('use: [one]', 'aliases: { sales: oncall }')),
    );
    const [first, ...rest] = [...(aliases?.entries.values() ?? [])];
    expect(first).toMatchObject({
      name: 'postmaster',
      source: { line: 8, column: 16 },
      via: { line: 22, column: 11 },
    });
    expect(rest.map(({ name, state }) => [name, state])).toEqual([
      ['abuse', 'present'],
      ['gone', 'absent'],
      ['sales', 'present'],
    ]);
    expect(rest[2]).not.toHaveProperty('via');
    expect(rules?.entries.map(({ name }) => name)).toEqual(['first', 'second']);
    expect([...(credentials?.entries.keys() ?? [])]).toEqual(['robot']);
  });

  test('an entry of the domain replaces it; rules of templates come first', () => {
    const text = shared(
      'use: [one]',
      'aliases: { ABUSE: x@y.example }',
      'rules:',
      '  - { name: last, alias: z, forward: oncall }',
      '  - { name: first, alias: q, forward: oncall }',
    );
    const { aliases, rules } = acmeOf(desiredOf(text));
    expect([...(aliases?.entries.values() ?? [])].map(({ name }) => name)).toEqual([
      'postmaster',
      'gone',
      'ABUSE',
    ]);
    expect(rules?.entries.map(({ name }) => name)).toEqual(['second', 'last', 'first']);
  });

  test('two that agree are no conflict; two that differ are one, unless the domain decides', () => {
    const conflicts = (text: string): readonly string[] =>
      problemsOf(text).filter((problem) => !problem.startsWith('unused'));
    expect(conflicts(shared('use: [one, same]'))).toEqual([]);
    expect(errorsOf(shared('use: [one, other]'))).toEqual([
      'template-conflict 22:16 <- 8:16',
      'template-conflict 22:16 <- 11:9',
      'template-conflict 22:16 <- 12:20',
    ]);
    const decided = [
      'aliases: { postmaster: x@y.example }',
      'rules: [{ name: second, state: absent }]',
      'credentials: { robot: {} }',
    ];
    expect(conflicts(shared('use: [one, other]', ...decided))).toEqual([]);
  });

  test('an unknown one', () => {
    const text = shared('use: [oen]');
    expect(errorsOf(text)).toEqual(['unknown-template 22:11']);
    const found = load(text).problems.find(({ code }) => code === 'unknown-template');
    expect(found?.hint).toBe('did you mean "one"?');
  });

  test('a mistake in one is said once, however many domains use it', () => {
    const domains = Array.from({ length: 50 }, (_, index) => `  d${index}.example: { use: [t] }\n`).join('');
    expect(
      problemsOf(`version: 1\ntemplates: { t: { aliases: { a: nobody } } }\ndomains:\n${domains}`),
    ).toEqual(['unknown-destination 2:33']);
  });
});

describe('defaults, prune and ignore', () => {
  const prunes = (...lines: readonly string[]): readonly (boolean | undefined)[] => {
    const { aliases, rules, credentials } = acmeOf(desiredOf(shared(...lines)));
    return [aliases?.prune, rules?.prune, credentials?.prune];
  };

  test('prune works on what the domain itself states', () => {
    expect(prunes('use: [one]', 'prune: true')).toEqual([false, false, false]);
    expect(prunes('use: [one]', 'prune: true', 'aliases: {}', 'rules: []')).toEqual([true, true, false]);
    expect(prunes('prune: { aliases: true }', 'aliases: {}', 'rules: []')).toEqual([true, false, undefined]);
    expect(prunes('aliases: {}')).toEqual([false, undefined, undefined]);
  });

  test('a domain replaces the defaults, prune and ignore by kind', () => {
    const text = `version: 1
defaults:
  notification_email: ops@corp.example
  whitelabel: mail.partner.example
  prune: { aliases: true, rules: true }
  ignore: { aliases: ["tmp-*"], credentials: ["x?"] }
  verify: true
  use: [t]
templates: { t: { aliases: { a: b@c.example } } }
domains:
  acme.example: { aliases: {}, rules: [], credentials: {} }
  other.example: { aliases: {}, rules: [], prune: { rules: false }, ignore: { aliases: [] }, verify: false, use: [], whitelabel: none }
`;
    const { domains } = desiredOf(text);
    const acme = domains.get('acme.example' as DomainName);
    const other = domains.get('other.example' as DomainName);
    expect(acme).toMatchObject({
      settings: {
        notification_email: { value: 'ops@corp.example' },
        whitelabel: { value: 'mail.partner.example' },
      },
      verify: true,
      aliases: { prune: true, ignore: ['tmp-*'] },
      rules: { prune: true },
      credentials: { prune: false, ignore: ['x?'] },
    });
    expect(other).toMatchObject({
      settings: { whitelabel: { value: null, source: { line: 12 } } },
      verify: false,
      aliases: { prune: true, ignore: [], entries: new Map() },
      rules: { prune: false },
    });
  });

  test('when failing mail is reported: what is not said is three within an hour', () => {
    const text = `version: 1
defaults: { delivery: { within: 2d } }
domains:
  a.example: {}
  b.example: { delivery: { after: 1 } }
  c.example: { delivery: off }
`;
    const read = (source: string): readonly unknown[] =>
      [...desiredOf(source).domains.values()].map((domain) => domain.state === 'present' && domain.delivery);
    const [hour, day] = [3_600_000, 86_400_000];
    expect(read(text)).toEqual([{ after: 3, withinMs: 2 * day }, { after: 1, withinMs: hour }, null]);
    expect(read(text.replace('{ within: 2d }', 'off'))).toEqual([null, { after: 1, withinMs: hour }, null]);
    expect(read(text.replace(/^defaults.*$/m, ''))[0]).toEqual({ after: 3, withinMs: hour });
    const refused = ['on', '{ after: 0 }', '{ after: 101 }', '{ within: 1 week }', '{ since: 1h }'];
    expect(refused.map((value) => problemsOf(text.replace('{ within: 2d }', value)).length)).toEqual([
      1, 1, 1, 1, 1,
    ]);
  });

  test('declaring what is ignored is an error, also through a template', () => {
    expect(
      errorsOf(shared('ignore: { aliases: ["TMP-*", "\\\\*"] }', 'aliases: { tmp-1: oncall, "*": oncall }')),
    ).toEqual(['ignored-entry 23:16', 'ignored-entry 23:31']);
    expect(errorsOf(shared('use: [one]', 'ignore: { aliases: [post*] }'))).toEqual([
      'ignored-entry 22:11 <- 8:16',
    ]);
    const id = '64cffc51-580c-56bc-b6a5-d741eea021e1';
    const rule = `rules: [{ name: invoices, regex: .*, scopes: [subject], forward: oncall }]`;
    expect(errorsOf(shared(`ignore: { rules: [${id}, x] }`, rule))).toEqual([
      'invalid-id 22:61',
      'ignored-entry 23:13',
    ]);
  });
});

describe('rules', () => {
  const rules = (...lines: readonly string[]): ReturnType<typeof acmeOf>['rules'] =>
    acmeOf(desiredOf(shared('rules:', ...lines))).rules;

  test('the type follows the keys, active is the default, the order is kept', () => {
    const section = rules(
      '  - { name: invoices, regex: .*invoice.*, scopes: [subject, body, subject], forward: oncall }',
      '  - { name: vip, expression: sender == "a", forward: discard, active: false }',
      '  - { name: careers, alias: jobs, forward: oncall }',
    );
    expect(section?.entries).toMatchObject([
      {
        name: 'invoices',
        id: '64cffc51-580c-56bc-b6a5-d741eea021e1',
        idIsWritten: false,
        match: { type: 'regex', regex: '.*invoice.*', scopes: ['subject', 'body'] },
        active: true,
        source: { line: 23, column: 9 },
      },
      { name: 'vip', match: { type: 'cel' }, forward: ['null'], active: false },
      { name: 'careers', match: { type: 'alias', alias: 'jobs' } },
    ]);
    expect(section?.entries[0]?.derivedIds).toContain('64cffc51-580c-56bc-b6a5-d741eea021e1');
  });

  test('the id of a rule follows from domain, type and name', () => {
    const text =
      'version: 1\ndomains:\n  München.example: { rules: [{ name: vip, expression: "true", forward: discard }] }\n';
    const domain = desiredOf(text).domains.get('xn--mnchen-3ya.example' as DomainName);
    expect(domain).toMatchObject({ rules: { entries: [{ id: '28de9cce-a07a-5dba-bcb0-08d5672ef44a' }] } });
  });

  test('a written id is kept; one that stands twice is shown at both places', () => {
    const id = '64CFFC51-580c-56bc-b6a5-d741eea021e1';
    expect(rules(`  - { name: a, id: ${id}, alias: x, forward: discard }`)?.entries[0]).toMatchObject({
      id: id.toLowerCase(),
      idIsWritten: true,
    });
    const two = shared(
      'rules:',
      `  - { name: a, id: ${id}, alias: x, forward: discard }`,
      `  - { name: b, id: ${id}, alias: x, forward: discard }`,
    );
    expect(errorsOf(two)).toEqual(['duplicate-id 24:9 <- 23:9']);
  });

  test('absent ones are named by name or id', () => {
    const id = '64cffc51-580c-56bc-b6a5-d741eea021e1';
    const section = rules('  - { name: old, state: absent }', `  - { id: ${id}, state: absent }`);
    expect(section?.entries).toMatchObject([
      { state: 'absent', name: 'old' },
      { state: 'absent', id, derivedIds: [] },
    ]);
    expect(section?.entries[0]?.derivedIds).toHaveLength(3);
  });

  test.each([
    ['no type', '{ name: a, forward: discard }', ['rule-type 23:9']],
    ['two types', '{ name: a, alias: x, expression: "true", forward: discard }', ['rule-type 23:9']],
    [
      'scopes beside alias',
      '{ name: a, alias: x, scopes: [subject], forward: discard }',
      ['rule-type 23:30'],
    ],
    ['regex without scopes', '{ name: a, regex: .*, forward: discard }', ['missing-key 23:9']],
    ['no forward', '{ name: a, alias: x }', ['missing-key 23:9']],
    ['no name', '{ alias: x, forward: discard }', ['missing-key 23:9']],
    ['an empty name', '{ name: "", alias: x, forward: discard }', ['empty-value 23:17']],
    [
      'a name with a line break',
      '{ name: "a\\nb", alias: x, forward: discard }',
      ['invalid-character 23:17'],
    ],
    ['an id that is none', '{ name: a, id: b, alias: x, forward: discard }', ['invalid-id 23:24']],
    ['an address as alias', '{ name: a, alias: x@y.example, forward: discard }', ['invalid-name 23:27']],
    ['absent beside other keys', '{ name: a, state: absent, alias: x }', ['absent-with-other-keys 23:35']],
    ['absent without name and id', '{ state: absent }', ['missing-key 23:9']],
  ])('%s', (_, rule, problems) => {
    expect(errorsOf(shared('rules:', `  - ${rule}`))).toEqual(problems);
  });

  test('two of one name', () => {
    expect(
      errorsOf(
        shared(
          'rules:',
          '  - { name: a, alias: x, forward: discard }',
          '  - { name: A, alias: y, forward: discard }',
        ),
      ),
    ).toEqual(['duplicate-name 24:9 <- 23:9']);
  });
});

describe('domains and their settings', () => {
  test('a tombstone, alone', () => {
    expect(desiredOf('version: 1\ndomains: { Old.example: { state: absent } }\n').domains).toEqual(
      new Map([
        [
          'old.example',
          { state: 'absent', domain: 'old.example', source: { file: 'm.yaml', line: 2, column: 12 } },
        ],
      ]),
    );
    expect(problemsOf(acme('state: absent', 'aliases: {}'))).toEqual(['absent-with-other-keys 5:5']);
  });

  test('in the order of their ASCII forms', () => {
    const text = 'version: 1\ndomains: { b.example: {}, a.example: {}, "B2.example": {} }\n';
    expect([...desiredOf(text).domains.keys()]).toEqual(['a.example', 'b.example', 'b2.example']);
  });

  test.each([
    ['a notification address', 'notification_email: oncall', 'invalid-address 4:25'],
    ['two of them', 'notification_email: "a@b.example,c@d.example"', 'invalid-address 4:25'],
    ['a whitelabel', 'whitelabel: partner', 'invalid-domain 4:17'],
    ['a webhook on v4', 'webhook: https://a.example/b', 'needs-v3 4:5'],
  ])('%s', (_, line, problem) => {
    expect(problemsOf(acme(line))).toEqual([problem]);
  });

  test('a webhook on v3, whoever says that it is v3', () => {
    const hook = acme('webhook: https://a.example/b');
    expect(problemsOf(hook, { apiVersion: 'v3' })).toEqual([]);
    const above = (line: string): string => hook.replace('version: 1\n', `version: 1\n${line}\n`);
    expect(problemsOf(above('api: { version: v3 }'), { apiVersion: null })).toEqual([]);
    expect(problemsOf(above('api: { url: "https://api.improvmx.com/v3" }'), { apiVersion: null })).toEqual(
      [],
    );
    expect(problemsOf(above('api: { version: v3 }'), { apiVersion: 'v4' })).toEqual(['needs-v3 5:5']);
    expect(acmeOf(desiredOf(hook, { apiVersion: 'v3' })).settings.webhook?.value).toBe('https://a.example/b');
  });

  test('nothing managed is valid, with a warning', () => {
    expect(problemsOf('version: 1\ndomains: {}\n')).toEqual(['no-domains 1:1']);
  });
});

describe('api and guards', () => {
  const api = (line: string): string => `version: 1\n${line}\ndomains: { a.example: {} }\n`;

  test('their values', () => {
    const text = `version: 1
api: { account: ops@acme.example, key: { file: keys/acme }, url: "https://api.improvmx.com/v4", version: v4 }
guards:
  max_deletes: 7
  allow:
    - { deletes: 500, until: 2026-12-01 }
    - { reroutes: 3, until: 2026-12-01 }
    - { domain_delete: Old.example, until: 2026-12-01 }
    - { empty: acme.example/aliases, until: 2026-12-01 }
    - { unrouted: "*@ACME.example", until: 2026-12-01 }
domains: { a.example: {} }
`;
    const { api, guards } = desiredOf({ 'sub/m.yaml': text }, { cwd: '/work' });
    expect(api).toMatchObject({
      account: 'ops@acme.example',
      key: { kind: 'file', path: '/work/sub/keys/acme', shown: '{ file: keys/acme }' },
      version: 'v4',
    });
    expect(guards).toMatchObject({ maxDeletes: 7, maxDeletePercent: 20 });
    expect(guards.allow.map(({ allowance }) => allowance)).toEqual([
      { kind: 'deletes', count: 500 },
      { kind: 'reroutes', count: 3 },
      { kind: 'domain-delete', domain: 'old.example' },
      { kind: 'empty', domain: 'acme.example', section: 'aliases' },
      { kind: 'unrouted', address: '*@acme.example' },
    ]);
  });

  test.each([
    ['a key in the manifest', 'api: { key: s3cret }', 'secret-in-manifest 2:13'],
    [
      'an address on a host that nobody named',
      'api: { url: "https://evil.example/v4" }',
      'untrusted-api-url 2:13',
    ],
    ['a plain one', 'api: { url: "http://api.improvmx.com/v4" }', 'insecure-api-url 2:13'],
    ['one with a user name', 'api: { url: "https://u@api.improvmx.com/v4" }', 'invalid-url 2:13'],
    ['an account that is no address', 'api: { account: ops }', 'invalid-address 2:17'],
    ['an allowance of nothing', 'guards: { allow: [{ until: 2026-12-01 }] }', 'invalid-allowance 2:19'],
    [
      'an allowance of two things',
      'guards: { allow: [{ deletes: 1, reroutes: 1, until: 2026-12-01 }] }',
      'invalid-allowance 2:19',
    ],
    ['an allowance without end', 'guards: { allow: [{ deletes: 1 }] }', 'missing-key 2:19'],
    [
      'a day that does not exist',
      'guards: { allow: [{ deletes: 1, until: 2026-02-30 }] }',
      'invalid-date 2:40',
    ],
    [
      'a section that is none',
      'guards: { allow: [{ empty: a.example/x, until: 2026-12-01 }] }',
      'invalid-allowance 2:28',
    ],
  ])('%s', (_, line, problem) => {
    expect(problemsOf(api(line))).toEqual([problem]);
    expect(JSON.stringify(load(api(line)).problems)).not.toContain('s3cret');
  });

  test('an address on a host that the operator named, or on this machine', () => {
    const text = api('api: { url: "https://mail.example/v4" }');
    expect(problemsOf(text, { namedUrl: 'https://mail.example/v3' })).toEqual([]);
    expect(problemsOf(api('api: { url: "http://127.0.0.1:8025/v4" }'))).toEqual([]);
  });

  test('a password in the manifest', () => {
    const { problems } = load(acme('credentials: { carol: { password: s3cret } }'));
    expect(problems.map(({ code }) => code)).toEqual(['secret-in-manifest']);
    expect(JSON.stringify(problems)).not.toContain('s3cret');
  });

  test('with several accounts each states its key and account', () => {
    const required = ['key', 'account'] as const;
    expect(problemsOf(acme('aliases: {}'), { required })).toEqual(['missing-key 1:1', 'missing-key 1:1']);
    expect(problemsOf(api('api: { account: a@b.example }'), { required })).toEqual(['missing-key 2:6']);
  });
});

describe('the digest', () => {
  const digest = (text: string): string => desiredOf(text).digest;
  const text = acme('aliases: { a: [b@c.example, d@e.example], f: g@h.example }', 'rules: []');

  test('does not follow layout, comments or the order of what has none', () => {
    const other = acme(
      'rules: [] # none',
      'aliases:',
      '  f: g@H.example',
      '  a:',
      '    - d@e.example',
      '    - b@c.example',
    );
    expect(digest(other)).toBe(digest(text));
    expect(digest(text)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test.each([
    ['a destination', text.replace('g@h', 'i@h')],
    ['a section', text.replace('    rules: []\n', '')],
    ['prune', `${text}    prune: true\n`],
    ['a guard', `${text}guards: { max_deletes: 1 }\n`],
    ['an account', `${text}api: { account: a@b.example }\n`],
    ['a setting', `${text}    whitelabel: none\n`],
  ])('follows %s', (_, other) => {
    expect(digest(other)).not.toBe(digest(text));
  });
});

test('counts are of all kinds, after templates are expanded', () => {
  expect(load(shared('use: [one]', 'aliases: { a: oncall }')).counts).toEqual({
    silenced: 0,
    files: 1,
    domains: 1,
    aliases: 4,
    rules: 2,
  });
});
