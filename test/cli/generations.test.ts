import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandScene } from './support/scene.ts';

const MANIFEST = `lint: { off: [no-postmaster, no-abuse] }
domains:
  acme.example:
    notification_email: ops@corp.example
    whitelabel: mail.partner.example
    prune: true
    aliases:
      sales: [carol@corp.example, dan@corp.example]
      spam: discard
      "team-([a-z]+)": $1@corp.example
      "*": all@corp.example
    rules:
      - { name: invoices, regex: .*invoice.*, scopes: [body, subject], forward: billing@corp.example }
      - { name: vip, expression: 'sender.endsWith("@vip.example")', forward: ana@corp.example, active: false }
      - { name: careers, alias: jobs, forward: [hr@corp.example, https://hooks.corp.example/jobs] }
    credentials:
      carol: { password: { env: CAROL } }
      printer: { password: { env: PRINTER } }
  münchen.example:
    prune: { aliases: true }
    aliases: { info: ana@corp.example }
`;

const SEED = {
  whitelabels: ['mail.partner.example'],
  domains: [
    {
      domain: 'acme.example',
      aliases: [
        { alias: 'Sales', forward: 'Dan@CORP.example , carol@corp.example' },
        { alias: 'old', forward: 'x@corp.example' },
      ],
      rules: [{ type: 'alias' as const, config: { alias: 'jobs', forward: 'x@corp.example' }, rank: 7 }],
      credentials: [{ username: 'printer', password: 'set by hand' }],
    },
  ],
};

const ENV = { CAROL: 'correct horse battery', PRINTER: 'staple stapler stapled' };
const OTHER = { v4: 'v3', v3: 'v4' } as const;

describe.each(['v4', 'v3'] as const)('an account that was applied through %s', (version) => {
  test.each(['the same', 'a fresh'])(
    'has an empty plan through the other, with %s state directory',
    async (state) => {
      const scene = await commandScene({ version, seed: SEED, manifest: MANIFEST });
      const applied = await scene.run(['apply', '--yes', '--allow-deletes', '1'], { env: ENV });
      expect([applied.code, applied.stderr]).toEqual([0, '']);
      const before = scene.emulator.store.dump();
      scene.emulator.journal.clear();
      const env = {
        ...ENV,
        FWDSYNC_API_URL: scene.emulator.urls[OTHER[version]],
        ...(state === 'a fresh' ? { FWDSYNC_STATE_DIR: join(scene.directory, 'fresh') } : {}),
      };
      const plan = await scene.run(['plan', '--detailed-exitcode'], { env });
      expect(plan.stdout).toContain('Nothing to change');
      expect(plan.code).toBe(0);
      const again = await scene.run(['apply', '--yes'], { env });
      expect([again.code, scene.writes(), scene.emulator.store.dump()]).toEqual([0, [], before]);
    },
  );
});
