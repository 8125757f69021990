import { describe, expect, test } from 'vitest';
import { commandScene } from '../../../cli/support/scene.ts';

const SEED = {
  domains: [
    {
      domain: 'acme.example',
      aliases: [
        { alias: 'support', forward: 'ana@corp.example,dan@corp.example,ben@corp.example' },
        { alias: 'sales', forward: 'bob@corp.example' },
      ],
    },
  ],
};
const MANIFEST = `domains:
  acme.example:
    aliases:
      support: [ana@corp.example, ben@corp.example, eve@corp.example]
      sales: carol@corp.example
  one.example: { aliases: { info: ana@corp.example } }
  two.example: { aliases: { info: ana@corp.example } }
`;

describe('the text of a plan', () => {
  test('names account and address first and the next command last, a changed list as +new -old', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const { stdout } = await scene.run(['plan', '--domain', 'acme.example']);
    const host = new URL(scene.emulator.urls.v4).host;
    expect(stdout).toBe(`owner@account.example at ${host} (v4)

acme.example                                    ~2   1 unchanged
  ~ alias  sales    bob@corp.example -> carol@corp.example
  ~ alias  support  +eve@corp.example -dan@corp.example  (3 destinations)

whose mail changes:
  ~ sales@acme.example    bob@corp.example -> carol@corp.example
  ~ support@acme.example  +eve@corp.example -dan@corp.example  (3 destinations)

2 to update; 1 unchanged, 0 unmanaged.
5 requests, 1 of them a write; about 1 s.
Apply with: fwdsync apply --domain acme.example
`);
  });

  test('a warning is wrapped, and what to do about it is said once, below', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const { stdout } = await scene.run(['plan']);
    const lines = stdout.split('\n');
    const first = lines.findIndex((line) => line.startsWith('fwdsync.yaml:7:3: warning: one.example is new'));
    expect(lines.slice(first, first + 3)).toEqual([
      'fwdsync.yaml:7:3: warning: one.example is new: the service may create a "*"',
      '    alias in it, which the manifest does not manage [default-catch-all]',
      '    try: add "*" to its aliases, or prune them',
    ]);
    expect(stdout.match(/\[default-catch-all\]/g)).toHaveLength(2);
    expect(stdout.match(/try: add/g)).toHaveLength(1);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test('--summary shows totals and what keeps the plan from running; another format has no use for it', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const { stdout } = await scene.run(['plan', '--summary']);
    expect(stdout.split('\n').slice(1)).toEqual([
      '',
      'warnings: 2 default-catch-all',
      '',
      'Whose mail changes: 4 routes, 2 new, 2 elsewhere.',
      expect.stringMatching(/^4 to add, 2 to update; /),
      expect.stringMatching(/^\d+ requests, /),
      'Apply with: fwdsync apply',
      '',
    ]);
    await scene.manifest('domains:\n  acme.example: { prune: { aliases: true }, aliases: {} }\n');
    const refused = await scene.run(['plan', '--summary']);
    expect(refused).toMatchObject({ code: 4, stdout: expect.stringContaining('refused: ') });
    expect(refused.stdout).not.toContain('Apply with');
    expect(await scene.run(['plan', '--summary', '--format', 'json'])).toMatchObject({ code: 64 });
  });

  test('the next command of a saved plan applies that plan, and repeats how the account was reached', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const { stdout } = await scene.run([
      'plan',
      '--out',
      'my plan.json',
      '--account',
      'owner@account.example',
    ]);
    expect(stdout).toMatch(/\nApply with: fwdsync apply 'my plan\.json' --account owner@account\.example\n$/);
    expect((await scene.run(['show', 'my plan.json'])).stdout).toMatch(/apply 'my plan\.json'\n$/);
    const quick = await scene.run(['plan', '--quick']);
    expect(quick.stdout).not.toContain('Apply with');
  });

  test('with --skip-refused no heading says that something is refused, in any format', async () => {
    const scene = await commandScene({ seed: SEED });
    await scene.manifest(
      'domains:\n  acme.example: { prune: { aliases: true }, aliases: { new: a@corp.example } }\n',
    );
    for (const format of ['text', 'markdown', 'github']) {
      const { code, stdout } = await scene.run(['plan', '--skip-refused', '--format', format]);
      expect([format, code]).toEqual([format, 0]);
      expect(stdout.replaceAll('--skip-refused', '')).not.toMatch(/refused/i);
      expect(stdout).toMatch(/withheld/i);
    }
  });
});

test('--mask keeps what it hides apart: a change of one address to another is still a change', async () => {
  const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
  const { stdout } = await scene.run(['plan', '--mask', '--domain', 'acme.example']);
  expect(stdout).toContain('sales    ***1@corp.example -> ***2@corp.example');
  expect(stdout).toContain('support  +***6@corp.example -***5@corp.example  (3 destinations)');
});

test.each(['plan', 'validate'])(
  'without any manifest %s names the defaults and how to get one',
  async (command) => {
    const { code, stderr } = await (await commandScene({ seed: SEED })).run([command]);
    expect(code).toBe(1);
    expect(stderr).toContain('there is no manifest: neither fwdsync.yaml nor fwdsync/ is here');
    expect(stderr).toContain('fwdsync export --out fwdsync.yaml');
  },
);
