import { describe, expect, test } from 'vitest';
import accountSchema from '../../../../schemas/account.v1.schema.json' with { type: 'json' };
import { commandScene, OWNER, type SceneOptions } from '../../support/scene.ts';
import { expectSchema } from '../../support/schema.ts';

const SEED = {
  account: { plan: { name: 'Premium', domains_limit: 20, aliases_limit: 1000, rules_limit: 50 } },
  whitelabels: ['mail.partner.example'],
  domains: [{ domain: 'acme.example' }, { domain: 'other.example' }],
};

describe.each([
  ['v4', {}],
  ['v3', { v3AccountShape: 'v3' }],
  ['v3', { v3AccountShape: 'v4' }],
] as const)('the account through %s, %j', (version, switches) => {
  const options: SceneOptions = { version, seed: SEED, server: { switches } };

  test('0: in text, a line a fact', async () => {
    const scene = await commandScene(options);
    const { code, stdout } = await scene.run(['account']);
    expect(stdout).toContain(`account      ${OWNER}\n`);
    expect(stdout).toContain('plan         Premium\ndomains      2 of 20\naliases      up to 1000\n');
    expect(stdout).toContain('locked       no\n');
    if (version === 'v3') expect(stdout).toContain('whitelabels  mail.partner.example\n');
    expect(code).toBe(0);
    expect(
      scene
        .requests()
        .map(({ path }) => path.replace(/\?.*/, ''))
        .toSorted(),
    ).toEqual(['/account', ...(version === 'v3' ? ['/account/whitelabels'] : []), '/domains']);
  });

  test('the document matches its schema', async () => {
    const scene = await commandScene(options);
    const { stdout } = await scene.run(['account', '--format', 'json']);
    expect(expectSchema(accountSchema, stdout)).toMatchObject({
      api: { version },
      account: {
        email: OWNER,
        locked: false,
        plan: { name: 'Premium', domainsLimit: 20, aliasesLimit: 1000 },
      },
      used: { domains: 2 },
      whitelabels: version === 'v3' ? ['mail.partner.example'] : null,
    });
  });

  test('a lock and its reason', async () => {
    const account = { locked: true, lock_reason: 'unpaid invoice' };
    const scene = await commandScene({
      ...options,
      seed: { ...SEED, account: { ...SEED.account, ...account } },
    });
    expect((await scene.run(['account'])).stdout).toContain('locked       yes, unpaid invoice\n');
  });

  test.each([
    ['account-locked', { locked: true }],
    ['plan-limit', { plan: { domains_limit: 2 } }],
  ])('4: the guard %s, before anything is written', async (guard, account) => {
    const manifest = 'domains: { new.example: {} }\n';
    const scene = await commandScene({ ...options, seed: { ...SEED, account }, manifest });
    const { code, stdout } = await scene.run(['apply', '--yes']);
    expect(stdout).toContain(`[${guard}]`);
    expect([code, scene.writes()]).toEqual([4, []]);
  });

  test('1: a wrong key; 64: an unknown format', async () => {
    const scene = await commandScene(options);
    const wrong = await scene.run(['account'], { env: { FWDSYNC_API_KEY: 'wrong-key-value' } });
    expect(wrong.stderr).toContain('401');
    expect(wrong.code).toBe(1);
    expect((await scene.run(['account', '--format', 'yaml'])).code).toBe(64);
  });

  test('a plan says how much of the limits would be used, in text and JSON', async () => {
    const manifest = 'domains:\n  new.example:\n    aliases: { info: a@corp.example, x: b@corp.example }\n';
    const account = { plan: { domains_limit: 3, aliases_limit: 1000 } };
    const scene = await commandScene({ ...options, seed: { ...SEED, account }, manifest });
    const { stdout } = await scene.run(['plan']);
    expect(stdout).toContain("Of the account's limits: 3 of 3 domains");
    const json = JSON.parse((await scene.run(['plan', '--format', 'json'])).stdout) as Record<
      string,
      unknown
    >;
    expect(json['usage']).toEqual([
      { what: 'domains', used: 3, limit: 3 },
      { what: 'aliases', used: 2, limit: 1000 },
    ]);
  });
});

describe('whitelabels', () => {
  const manifest = `domains:
  acme.example: { whitelabel: mail.parntner.example }
  other.example: { whitelabel: Mail.Partner.example }
`;

  test('v3: one that the account does not have is a warning with those that it has', async () => {
    const scene = await commandScene({ version: 'v3', seed: SEED, manifest });
    const { code, stdout } = await scene.run(['plan']);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      'fwdsync.yaml:3:19: warning: mail.parntner.example is not a whitelabel of the account',
    );
    expect(text).toContain('try: the account has mail.partner.example');
    expect(stdout.match(/unknown-whitelabel/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  test('v3: that they cannot be read keeps nothing from being planned', async () => {
    const scene = await commandScene({ version: 'v3', seed: SEED, manifest });
    scene.emulator.faults.push({
      match: { endpoint: '/account/whitelabels', times: 'always' },
      do: { kind: 'status', code: 403 },
    });
    const { code, stdout } = await scene.run(['plan']);
    expect(stdout).not.toContain('unknown-whitelabel');
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 to update')]);
  });

  test('are asked for only where the manifest names one, and on v4 not at all', async () => {
    const plain = 'domains: { acme.example: { whitelabel: none } }\n';
    const asked = async (options: SceneOptions): Promise<number> => {
      const scene = await commandScene({ seed: SEED, ...options });
      await scene.run(['plan']);
      return scene.requests().filter(({ path }) => path.includes('whitelabels')).length;
    };
    expect(await asked({ version: 'v3', manifest })).toBe(1);
    expect(await asked({ version: 'v3', manifest: plain })).toBe(0);
    expect(await asked({ version: 'v4', manifest })).toBe(0);
  });
});

describe('webhook', () => {
  const manifest = 'domains:\n  acme.example: { webhook: "https://hooks.corp.example/x" }\n';

  test('v3 sets it, once', async () => {
    const scene = await commandScene({ version: 'v3', seed: SEED, manifest });
    expect((await scene.run(['apply', '--yes'])).code).toBe(0);
    const [domain] = scene.emulator.store.dump().domains;
    expect(domain).toMatchObject({ domain: 'acme.example', webhook: 'https://hooks.corp.example/x' });
    expect((await scene.run(['plan', '--detailed-exitcode'])).code).toBe(0);
  });

  test('5: needs v3', async () => {
    const scene = await commandScene({ seed: SEED, manifest });
    const { code, stderr } = await scene.run(['plan']);
    expect(stderr).toContain('[needs-v3]');
    expect([code, scene.requests()]).toEqual([5, []]);
  });
});

describe('fields that can only be read', () => {
  const domains = [
    {
      domain: 'acme.example',
      routing_engine: 'rules' as const,
      rules_fallback_email: null,
      forwarding_ready: false,
      send_ready: false,
      banned: true,
    },
  ];
  const manifest = `domains:
  acme.example:
    aliases: { info: a@corp.example }
    credentials: { carol: { password: { env: CAROL } } }
`;

  test.each(['v4', 'v3'] as const)('%s: warns where the manifest cannot take effect', async (version) => {
    const scene = await commandScene({ version, seed: { domains }, manifest });
    const { stdout } = await scene.run(['plan']);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('the aliases of acme.example have no effect: the domain routes by rules');
    expect(text).toContain('mail to acme.example is not forwarded yet: its MX records');
    expect(text).toContain('acme.example is banned by the service');
    // v3 shows neither the fallback nor whether a domain can send.
    expect(text.includes('and mail that no rule matches is dropped')).toBe(version === 'v4');
    expect(text.includes('the credentials of acme.example cannot send yet')).toBe(version === 'v4');
  });

  test.each(['routing_engine: rules', 'strict_mxes: true', 'rules_fallback_email: a@corp.example'])(
    '5: a manifest that states one is told why it cannot: %s',
    async (line) => {
      const scene = await commandScene({ manifest: `domains:\n  acme.example: { ${line} }\n` });
      const { code, stderr } = await scene.run(['validate']);
      expect(stderr).toContain('[unknown-key]');
      expect(stderr).toContain('the API can only read it: set it in the dashboard');
      expect(code).toBe(5);
    },
  );
});
