import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandScene } from '../cli/support/scene.ts';
import { filesBelow } from '../support/search.ts';
import { ENV, findings, PLANTED } from './support/planted.ts';

describe.each(['v4', 'v3'] as const)('secrets that the service repeats through %s', (version) => {
  test('has no key in why the account is locked', async () => {
    const scene = await commandScene({
      version,
      manifest: 'domains: { acme.example: { aliases: { sales: ana@corp.example } } }\n',
      seed: { account: { locked: true, lock_reason: `the key ${PLANTED.key} was seen in a log` } },
      server: { apiKey: PLANTED.key },
    });
    for (const args of [
      ['account'],
      ['account', '--format', 'json'],
      ['plan'],
      ['apply', '--yes'],
      ['run', '--once'],
    ]) {
      const { stdout, stderr } = await scene.run(args, { env: { FWDSYNC_API_KEY: PLANTED.key } });
      expect(findings([{ where: args.join(' '), text: stdout + stderr }])).toEqual([]);
      if (args[0] !== 'run') expect(stdout + stderr).toContain('the key *** was seen');
    }
    expect(scene.writes()).toEqual([]);
  });

  test('has no part of a password where a message is long', async () => {
    const scene = await commandScene({
      version,
      manifest: 'domains: { acme.example: { credentials: { carol: { password: { env: CAROL } } } } }\n',
      seed: { domains: [{ domain: 'acme.example' }] },
      server: { apiKey: PLANTED.key },
    });
    const message = `${'.'.repeat(16_384 - PLANTED.password.length + 1)}${PLANTED.password}`;
    scene.emulator.faults.push({
      match: { times: 'always', method: 'POST', endpoint: '/domains/:domain/credentials' },
      do: { kind: 'status', code: 400, body: { message, errors: { password: [message] } } },
    });
    const { stdout, stderr } = await scene.run(['apply', '--yes', '--format', 'json'], { env: ENV });
    expect(stdout + stderr).toContain('....');
    expect(stdout + stderr).not.toContain(PLANTED.password.slice(0, 4));
  });

  test('is no value of a reference in a snapshot, wherever the account has it', async () => {
    const scene = await commandScene({
      version,
      manifest: `destinations: { boss: { env: BOSS }, part: { file: part.txt } }
domains:
  acme.example:
    notification_email: ops@corp.example
    aliases: { sales: boss, other: part, old: ana@corp.example, plain: bob@corp.example }
    rules:
      - { name: vip, regex: 'vip', scopes: [recipient], forward: ana@corp.example }
`,
      seed: {
        domains: [
          {
            domain: 'acme.example',
            routing_engine: 'rules',
            notification_email: PLANTED.destination,
            aliases: [
              { alias: 'old', forward: 'p.art@secret-corp.example' },
              { alias: 'plain', forward: 'ana@corp.example' },
            ],
            rules: [
              {
                id: '11111111-1111-4111-8111-111111111111',
                type: 'regex',
                rank: 1,
                config: {
                  regex: PLANTED.destination,
                  scopes: ['sender'],
                  forward: 'ana@corp.example',
                },
              },
            ],
          },
        ],
      },
      server: { apiKey: PLANTED.key },
    });
    await writeFile(join(scene.directory, 'part.txt'), 'p.art@secret-corp.example,q@secret-corp.example\n');
    const manifest = join(scene.directory, 'fwdsync.yaml');
    expect((await scene.run(['apply', '--yes', '-f', manifest], { env: ENV })).code).toBe(0);
    const files = await filesBelow(join(scene.directory, 'state'), []);
    expect(findings(files)).toEqual([]);
    const snapshot = files.find(({ where }) => where.includes('/snapshots/'))?.text ?? '';
    expect(snapshot).not.toMatch(/secret-corp/);
    expect(snapshot).toContain('# Left out: notification_email, which has the value of a reference');
    expect(snapshot).toContain('# Left out: the alias "old", which has the value of a reference');
    expect(snapshot).toContain('plain: ana@corp.example');
    const path = files.find(({ text }) => text === snapshot)?.where ?? '';
    expect((await scene.run(['validate', '-f', path], { env: ENV })).code).toBe(0);
  });
});
