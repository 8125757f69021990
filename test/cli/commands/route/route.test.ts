import { describe, expect, test } from 'vitest';
import routeSchema from '../../../../schemas/route.v1.schema.json' with { type: 'json' };
import { commandScene, type CommandScene } from '../../support/scene.ts';
import { expectSchema } from '../../support/schema.ts';

const MANIFEST = `destinations:
  boss: { env: BOSS }
templates:
  standard:
    aliases: { abuse: ana@corp.example }
domains:
  acme.example:
    use: [standard]
    prune: { aliases: true, rules: true }
    aliases:
      sales: [carol@corp.example, dan@corp.example]
      spam: discard
      vip: boss
      "team-([a-z]+)": $1@corp.example
    rules:
      - { name: invoices, regex: invoice, scopes: [subject], forward: billing@corp.example }
      - { name: partner, expression: 'sender.endsWith("@partner.example")', forward: erin@corp.example }
  open.example:
    aliases: { info: ana@corp.example }
  old.example: { state: absent }
`;

describe('route, by the manifest', () => {
  const open = (): Promise<CommandScene> => commandScene({ manifest: MANIFEST });

  test.each([
    [
      'sales',
      [],
      '-> carol@corp.example, dan@corp.example\n  alias sales matches it by its name (fwdsync.yaml:12:7)',
    ],
    ['Sales+x', [], 'alias sales matches it by its name, ignoring the label (fwdsync.yaml:12:7)'],
    ['team-blue', [], '-> blue@corp.example\n  alias team-([a-z]+) matches it by its regular expression'],
    ['spam', [], 'spam@acme.example discarded'],
    ['vip', [], '-> { env: BOSS }'],
    ['abuse', [], 'alias abuse matches it by its name (fwdsync.yaml:6:16, used at fwdsync.yaml:9:11)'],
    [
      'sales',
      ['--subject', 'invoice'],
      'rule invoices matches it by its regular expression (fwdsync.yaml:17:9)',
    ],
    [
      'sales',
      ['--from', 'x@partner.example'],
      '-> erin@corp.example\n  rule partner matches it by its expression',
    ],
    [
      'nobody',
      [],
      'nobody@acme.example refused\n  nothing in the manifest matches it\n  tried: rule invoices,',
    ],
  ])('%s %j', async (local, flags, words) => {
    const scene = await open();
    const { code, stdout, stderr } = await scene.run(['route', `${local}@ACME.example`, ...flags]);
    expect(stderr).not.toMatch(/error|reference-not-set/);
    expect(stdout).toContain(words);
    expect([code, scene.requests()]).toEqual([0, []]);
  });

  test('says where it depends on how the service compares, and that live entries may come first', async () => {
    const scene = await open();
    const { stdout } = await scene.run(['route', 'sales@acme.example', '--subject', 'your invoice 7']);
    expect(stdout).toContain(
      'note: if the service compares regular expressions of rules with the whole text, another entry matches it: ' +
        'carol@corp.example, dan@corp.example\n',
    );
    const other = await scene.run(['route', 'info@open.example']);
    expect(other.stdout).toContain('note: live aliases and rules that the manifest does not name');
  });

  test('the document matches its schema, and a reference is never resolved in it', async () => {
    const scene = await open();
    const env = { BOSS: 'boss@private.example' };
    const { stdout } = await scene.run(['route', 'vip@acme.example', '--format', 'json'], { env });
    expect(expectSchema(routeSchema, stdout)).toMatchObject({
      outcome: 'delivered',
      forward: ['{ env: BOSS }'],
      taken: {
        kind: 'alias',
        name: 'vip',
        by: 'name',
        source: { file: 'fwdsync.yaml', line: 14, column: 7 },
      },
    });
    const refused = await scene.run(['route', 'nobody@acme.example', '--format', 'json']);
    expect(expectSchema(routeSchema, refused.stdout)).toMatchObject({ outcome: 'refused', taken: null });
  });

  test('--mask hides the local parts', async () => {
    const { stdout } = await (await open()).run(['route', 'sales@acme.example', '--mask']);
    expect(stdout).toContain('-> ***1@corp.example, ***2@corp.example\n');
  });

  test.each([
    ['64: no address', ['route', 'sales'], 64],
    ['64: a domain that the manifest does not name', ['route', 'sales@other.example'], 64],
    ['64: a domain that it wants to delete', ['route', 'sales@old.example'], 64],
    ['64: no argument', ['route'], 64],
    ['1: no manifest', ['route', 'sales@acme.example', '-f', 'missing.yaml'], 1],
  ])('%s', async (_, args, expected) => {
    const { code, stderr } = await (await open()).run(args);
    expect(stderr).not.toBe('');
    expect(code).toBe(expected);
  });

  test('5: an invalid manifest', async () => {
    const scene = await open();
    const { code } = await scene.run(['route', 'a@acme.example', '-f', '-'], {
      stdin: 'version: 1\ndomains: 3\n',
    });
    expect(code).toBe(5);
  });
});

describe.each(['v4', 'v3'] as const)('route, by the account through %s', (version) => {
  const aliases = [
    { alias: 'sales', forward: 'carol@corp.example', id: 7 },
    { alias: '*', forward: 'all@corp.example', id: 8 },
  ];
  const rules = [
    { type: 'alias' as const, config: { alias: 'jobs', forward: 'late@corp.example' }, rank: 20 },
    { type: 'alias' as const, config: { alias: 'jobs', forward: 'hr@corp.example' }, rank: 10 },
  ];
  const domains = [
    { domain: 'acme.example', routing_engine: 'alias' as const, aliases, rules },
    {
      domain: 'ruled.example',
      routing_engine: 'rules' as const,
      rules_fallback_email: 'rest@corp.example',
      aliases,
      rules,
    },
    { domain: 'off.example', routing_engine: null, aliases },
  ];

  test.each([
    ['sales@acme.example', '-> carol@corp.example\n  alias sales matches it by its name (id 7)'],
    [
      'jobs@acme.example',
      '-> all@corp.example\n  alias * matches it as the catch-all: no other alias matched',
    ],
    ['jobs@ruled.example', '-> hr@corp.example\n  rule matches it by the alias it names (id '],
    ...(version === 'v4'
      ? [
          [
            'sales@ruled.example',
            '-> rest@corp.example\n  no rule matches it: it goes to the fallback address',
          ],
        ]
      : []),
    [
      'sales@off.example',
      'refused\n  nothing in the account matches it\n  note: routing of the domain is disabled\n',
    ],
  ])('%s', async (address, words) => {
    const scene = await commandScene({ version, seed: { domains } });
    const { code, stdout } = await scene.run(['route', address ?? '', '--live']);
    expect(stdout).toContain(words);
    expect(code).toBe(0);
    expect(new Set(scene.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  test('1: a domain that the account does not have', async () => {
    const scene = await commandScene({ version, seed: { domains } });
    const { code, stderr } = await scene.run(['route', 'a@rules.example', '--live']);
    expect([code, stderr]).toEqual([
      1,
      'error: the account has no domain rules.example\n  try: did you mean "ruled.example"?\n',
    ]);
  });
});

const CHAIN = `destinations:
  boss: { env: BOSS }
domains:
  acme.example:
    prune: { aliases: true, rules: true }
    aliases:
      info: [sales@acme.example, team@beta.example]
      sales: [carol@corp.example, team@beta.example]
      vip: boss
      far: [x@gamma.example, carol@corp.example]
      lost: nobody@beta.example
      secret: eve@corp.example
    rules:
      - { name: old, alias: sales, forward: erin@corp.example, active: false }
      - { name: jobs, alias: jobs, forward: sales@acme.example }
      - { name: round, alias: round, forward: back@beta.example }
  beta.example:
    prune: { aliases: true, rules: true }
    aliases:
      "(team|crew)": discard
      back: round@acme.example
    rules: []
  gamma.example:
    rules: [{ name: y, alias: y, forward: ana@corp.example }]
`;

describe('hop by hop, by the manifest', () => {
  test('to the end: what was tried and what matched at each address', async () => {
    const { stdout } = await (await commandScene({ manifest: CHAIN })).run(['route', 'info@acme.example']);
    expect(stdout).toBe(`info@acme.example -> carol@corp.example
  alias info matches it by its name (fwdsync.yaml:8:7)
  tried before: rule old (inactive), rule jobs, rule round
  -> sales@acme.example
     alias sales matches it by its name (fwdsync.yaml:9:7)
     tried before: rule old (inactive), rule jobs, rule round
     -> carol@corp.example
     -> team@beta.example
        alias (team|crew) matches it by its regular expression (fwdsync.yaml:21:7)
        tried before: alias team (none)
        -> discard
  -> team@beta.example (see above)
  if rules decide: only the account knows where it goes
  note: it is not known offline if rules or aliases decide (use --live)
`);
  });

  test.each([
    ['round', 'is never delivered: it loops', '\n     -> round@acme.example (a loop: already visited)\n'],
    [
      'lost',
      'refused',
      '     nothing in the manifest matches it\n     tried: alias nobody (none), alias (team|crew)\n',
    ],
    [
      'far',
      '-> carol@corp.example; a part of it: only the account knows where it goes',
      '  -> x@gamma.example (only the account knows where it goes)\n',
    ],
    [
      'jobs',
      '-> carol@corp.example',
      '  if aliases decide: refused\n    nothing in the manifest matches it\n',
    ],
  ])('%s: %s', async (local, end, line) => {
    const scene = await commandScene({ manifest: CHAIN });
    const { stdout, code } = await scene.run(['route', `${local}@acme.example`]);
    expect(stdout).toContain(`${local}@acme.example ${end}\n`);
    expect(stdout).toContain(line);
    expect(code).toBe(0);
  });

  test('an address behind a reference is not told by the alias that it meets', async () => {
    const scene = await commandScene({ manifest: CHAIN });
    const env = { BOSS: 'secret@acme.example' };
    const { stdout } = await scene.run(['route', 'vip@acme.example'], { env });
    expect(stdout).toContain(
      '  -> { env: BOSS }\n     an alias matches it by its name\n     -> eve@corp.example\n',
    );
    const json = await scene.run(['route', 'vip@acme.example', '--format', 'json'], { env });
    expect(expectSchema(routeSchema, json.stdout)).toMatchObject({
      forward: ['eve@corp.example'],
      hops: [{}, { address: '{ env: BOSS }', by: { name: null }, source: null, tried: [] }],
    });
    expect(stdout + json.stdout).not.toContain('secret');
  });

  test('--mask hides the names that local parts of destinations meet', async () => {
    const scene = await commandScene({ manifest: CHAIN });
    const { stdout } = await scene.run(['route', 'info@acme.example', '--mask']);
    expect(stdout).toMatch(
      /-> \*{3}\d@acme\.example\n     an alias matches it by its name \(fwdsync\.yaml:9:7\)\n/,
    );
    expect(stdout).not.toMatch(/sales|carol|team@/);
  });

  test('the document has the hops, and both readings where the engine makes a difference', async () => {
    const scene = await commandScene({ manifest: CHAIN });
    const { stdout } = await scene.run(['route', 'jobs@acme.example', '--format', 'json']);
    const hop = {
      address: 'jobs@acme.example',
      by: { kind: 'rule', name: 'jobs' },
      forward: ['sales@acme.example'],
      end: null,
    };
    expect(expectSchema(routeSchema, stdout)).toMatchObject({
      outcome: 'delivered',
      forward: ['carol@corp.example'],
      hops: [hop, { address: 'sales@acme.example' }, { address: 'team@beta.example', forward: ['discard'] }],
      readings: {
        alias: [{ address: 'jobs@acme.example', by: null, end: 'refused' }],
        rules: [hop, { address: 'sales@acme.example', by: null, end: 'unknown' }],
      },
    });
  });
});

describe.each(['v4', 'v3'] as const)('hop by hop, by the account through %s', (version) => {
  const rule = { type: 'alias' as const, config: { alias: 'sales', forward: 'ben@corp.example' } };
  const domains = [
    {
      domain: 'acme.example',
      routing_engine: 'alias' as const,
      aliases: [{ alias: 'info', forward: 'sales@beta.example, ana@corp.example' }],
    },
    {
      domain: 'beta.example',
      routing_engine: 'rules' as const,
      rules_fallback_email: 'rest@corp.example',
      aliases: [{ alias: 'sales', forward: 'carol@corp.example' }],
      rules: [rule],
    },
  ];

  test('through the domains of the account, each read when it is reached', async () => {
    const scene = await commandScene({ version, seed: { domains } });
    const { stdout } = await scene.run(['route', 'info@acme.example', '--live']);
    expect(stdout).toMatch(/^info@acme\.example -> ana@corp\.example, ben@corp\.example\n/);
    expect(stdout).toContain('  -> sales@beta.example\n     rule matches it by the alias it names (id ');
    expect(new Set(scene.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  test('one reading where the engine is shown', async () => {
    const scene = await commandScene({ version, seed: { domains } });
    const { stdout } = await scene.run(['route', 'info@acme.example', '--live', '--format', 'json']);
    expect(expectSchema(routeSchema, stdout)).not.toHaveProperty('readings');
  });
});

describe('a v3 that does not show the engine', () => {
  const seed = {
    domains: [
      {
        domain: 'acme.example',
        aliases: [{ alias: 'jobs', forward: 'ana@corp.example' }],
        rules: [{ type: 'alias' as const, config: { alias: 'jobs', forward: 'ben@corp.example' } }],
      },
    ],
  };
  const server = { switches: { v3RoutingEngine: 'omitted' as const } };
  const options = { version: 'v3', seed, server } as const;

  test('both readings, and that it is not known which', async () => {
    const scene = await commandScene(options);
    const { stdout, code } = await scene.run(['route', 'jobs@acme.example', '--live']);
    expect(stdout).toMatch(/^jobs@acme\.example -> ben@corp\.example\n/);
    expect(stdout).toContain(
      '  if aliases decide: -> ana@corp.example\n    alias jobs matches it by its name',
    );
    expect(stdout).toContain('  note: the API does not show whether rules or aliases are used\n');
    expect(code).toBe(0);
  });

  test('in the document too', async () => {
    const scene = await commandScene(options);
    const { stdout } = await scene.run(['route', 'jobs@acme.example', '--live', '--format', 'json']);
    expect(expectSchema(routeSchema, stdout)).toMatchObject({
      forward: ['ben@corp.example'],
      readings: { alias: [{ forward: ['ana@corp.example'] }], rules: [{ forward: ['ben@corp.example'] }] },
    });
  });
});

describe('patterns that overlap', () => {
  const OVERLAPPING = `domains:
  acme.example:
    aliases:
      (sales|info): ana@corp.example
      (info|hr): ben@corp.example
      (hr|jobs): ben@corp.example
      desk: info@acme.example
      sup*: cara@corp.example
`;

  test.each([
    [
      'info',
      [
        'alias "(sales|info)" is used for info@acme.example: ana@corp.example',
        'alias "(info|hr)" is used for info@acme.example: ben@corp.example',
      ],
    ],
    [
      'desk',
      [
        'alias "(sales|info)" is used for info@acme.example: ana@corp.example',
        'alias "(info|hr)" is used for info@acme.example: ben@corp.example',
      ],
    ],
    [
      'support',
      [
        'nothing matches support@acme.example: refused',
        'alias "sup*" is used for support@acme.example: cara@corp.example',
      ],
    ],
  ])('the destination of mail to %s is not known, and both paths are shown', async (local, ways) => {
    const scene = await commandScene({ manifest: OVERLAPPING });
    const { stdout } = await scene.run(['route', `${local}@acme.example`]);
    expect(stdout).toMatch(
      new RegExp(`^${local}@acme\\.example several entries match it, and the service may use any`),
    );
    for (const way of ways) expect(stdout).toContain(`note: if ${way}`);
    const json = await scene.run(['route', `${local}@acme.example`, '--format', 'json']);
    expect(expectSchema(routeSchema, json.stdout)).toMatchObject({ outcome: 'unknown', forward: [] });
  });

  test('with the same destinations it arrives, in any order of patterns', async () => {
    const scene = await commandScene({ manifest: OVERLAPPING });
    const { stdout } = await scene.run(['route', 'hr@acme.example']);
    expect(stdout).toMatch(/^hr@acme\.example -> ben@corp\.example\n/);
    expect(stdout).not.toContain('not known which');
  });

  test.each(['created', 'name'] as const)('in an account that tries them by %s', async (regexAliasOrder) => {
    const aliases = [
      { alias: '(sales|info)', forward: 'ana@corp.example' },
      { alias: '(info|hr)', forward: 'ben@corp.example' },
    ];
    const domains = [{ domain: 'acme.example', routing_engine: 'alias' as const, aliases }];
    const scene = await commandScene({ seed: { domains }, server: { switches: { regexAliasOrder } } });
    const { stdout } = await scene.run(['route', 'info@acme.example', '--live', '--format', 'json']);
    expect(expectSchema(routeSchema, stdout)).toMatchObject({
      outcome: 'unknown',
      taken: null,
      hops: [{ address: 'info@acme.example', by: null, end: 'unknown' }],
    });
  });
});

test('with --live, rules have their names of the manifest: by id, or by content', async () => {
  const manifest = `domains:
  acme.example:
    rules:
      - { name: jobs, id: 5c7a1a2e-9a8f-4c39-8f2a-0d6a1f2b3c4d, alias: jobs, forward: ana@corp.example }
      - { name: by hand, alias: shop, forward: ben@corp.example }
`;
  const rule = (alias: string, forward: string, id?: string) => {
    return { type: 'alias' as const, config: { alias, forward }, ...(id === undefined ? {} : { id }) };
  };
  const rules = [
    rule('jobs', 'olga@corp.example', '5c7a1a2e-9a8f-4c39-8f2a-0d6a1f2b3c4d'),
    rule('shop', 'ben@corp.example'),
    rule('other', 'ben@corp.example'),
  ];
  const domains = [{ domain: 'acme.example', routing_engine: 'rules' as const, rules }];
  const scene = await commandScene({ manifest, seed: { domains } });
  const route = async (local: string) =>
    (await scene.run(['route', `${local}@acme.example`, '--live'])).stdout;
  expect(await route('jobs')).toContain('\n  rule jobs matches it');
  expect(await route('shop')).toContain('\n  rule by hand matches it');
  expect(await route('other')).toMatch(
    /\n {2}rule matches it .*\(id .*\n {2}tried before: rule jobs, rule by hand\n/,
  );
});

describe('both readings by engine', () => {
  const open = (...lines: readonly string[]) =>
    commandScene({
      manifest: ['domains:', '  acme.example:', '    aliases: { info: ana@corp.example }', ...lines, ''].join(
        '\n',
      ),
    });

  test.each([
    ['without rules', []],
    [
      'with rules that are switched off',
      ['    rules: [{ name: r, alias: info, forward: ben@corp.example, active: false }]'],
    ],
    ['where they end alike', ['    rules: [{ name: r, alias: info, forward: ana@corp.example }]']],
  ])('are not listed %s', async (_, lines) => {
    const scene = await open(...lines);
    const { stdout } = await scene.run(['route', 'info@acme.example', '--format', 'json']);
    expect(expectSchema(routeSchema, stdout)).not.toHaveProperty('readings');
    expect(stdout).not.toContain('whether rules or aliases decide');
  });

  test('are listed where they end elsewhere', async () => {
    const scene = await open('    rules: [{ name: r, alias: info, forward: ben@corp.example }]');
    const { stdout } = await scene.run(['route', 'info@acme.example', '--format', 'json']);
    expect(expectSchema(routeSchema, stdout)).toHaveProperty('readings');
  });
});
