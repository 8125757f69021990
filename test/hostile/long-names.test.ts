import { expect, test } from 'vitest';
import { commandScene } from '../cli/support/scene.ts';

const LONG = 'n'.repeat(300);
const FORWARD = 'ana@corp.example';

/** A domain for each routing engine, with names that a manifest cannot have and names that it can. */
const DOMAINS = [
  {
    domain: 'aliases.example',
    aliases: [
      { alias: LONG, forward: FORWARD },
      { alias: 'sales', forward: FORWARD },
    ],
    credentials: [{ username: LONG }, { username: 'carol' }],
  },
  {
    domain: 'rules.example',
    routing_engine: 'rules' as const,
    rules: [
      {
        id: '11111111-1111-4111-8111-111111111111',
        type: 'alias' as const,
        rank: 1,
        config: { alias: LONG, forward: FORWARD },
      },
      {
        id: '11111111-1111-4111-8111-111111111112',
        type: 'alias' as const,
        rank: 2,
        config: { alias: 'sales', forward: FORWARD },
      },
    ],
    credentials: [{ username: LONG }],
  },
];

test.each(['v4', 'v3'] as const)(
  'live names of 300 characters end no command, through %s',
  async (version) => {
    const scene = await commandScene({ version, seed: { domains: DOMAINS } });
    const exported = await scene.run(['export']);
    expect([exported.code, exported.stderr]).toEqual([0, '']);
    expect(exported.stdout).toContain('is longer than 150 characters');
    const stdin = exported.stdout;
    const planned = await scene.run(['plan', '-f', '-', '--detailed-exitcode'], { stdin });
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('Nothing to change')]);
    await scene.manifest(
      'domains: { aliases.example: { aliases: { new: ana@corp.example } }, rules.example: {} }\n',
    );
    const changed = await scene.run(['plan']);
    expect([changed.code, changed.stdout]).toEqual([0, expect.stringContaining('+ alias')]);
    for (const [address, found] of [
      ['sales@aliases.example', FORWARD],
      [`${LONG}@aliases.example`, FORWARD],
      ['sales@rules.example', FORWARD],
      [`${LONG}@rules.example`, FORWARD],
    ] as const) {
      const routed = await scene.run(['route', address, '--live']);
      expect([address.slice(-20), routed.code, routed.stderr, routed.stdout]).toEqual([
        address.slice(-20),
        0,
        '',
        expect.stringContaining(found),
      ]);
    }
    for (const args of [['verify'], ['apply', '--yes'], ['export']]) {
      const ended = await scene.run(args);
      expect([args, ended.code, ended.stderr]).toEqual([args, 0, '']);
    }
    await scene.manifest(
      'defaults: { prune: true }\ndomains: { aliases.example: { aliases: { sales: ana@corp.example } } }\n',
    );
    expect((await scene.run(['apply', '--yes', '--allow-deletes', '2'])).code).toBe(0);
    expect((await scene.run(['plan', '--detailed-exitcode'])).code).toBe(0);
  },
);
