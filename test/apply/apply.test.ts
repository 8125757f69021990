import { expect, test } from 'vitest';
import { runScene } from './harness.ts';

test('a plan of every kind and verb is carried out and leaves an empty plan', async () => {
  const { report, after } = await runScene({
    manifest: `
domains:
  acme.example:
    notification_email: ops@corp.example
    prune: { aliases: true, rules: true, credentials: true }
    aliases:
      new: ana@corp.example
      new2: ana@corp.example
      sales: carol@corp.example
      support: carol@corp.example
    rules:
      - { name: b, alias: b, forward: b@corp.example }
      - { name: a, alias: a, forward: a@corp.example }
    credentials:
      carol: { password: { env: PASSWORD } }
  fresh.example:
    aliases:
      "*": all@corp.example
      info: ana@corp.example
`,
    seed: {
      domains: [
        {
          domain: 'acme.example',
          aliases: [
            { alias: 'sales', forward: 'bob@corp.example' },
            { alias: 'support', forward: 'bob@corp.example' },
            { alias: 'old', forward: 'bob@corp.example' },
          ],
          rules: [
            { type: 'alias', config: { alias: 'a', forward: 'a@corp.example' }, rank: 1 },
            { type: 'alias', config: { alias: 'b', forward: 'old@corp.example' }, rank: 2 },
          ],
          credentials: [{ username: 'dan', password: 'long enough' }],
        },
        { domain: 'other.example', aliases: [{ alias: 'x', forward: 'y@corp.example' }] },
      ],
    },
  });
  expect(report.outcome).toBe('converged');
  expect(after.changes).toEqual([]);
});
