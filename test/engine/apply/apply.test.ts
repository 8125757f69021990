import { expect, test } from 'vitest';
import { openScene, runScene } from './support/harness.ts';

test.each(['v4', 'v3'] as const)('a plan of every kind and verb on %s', async (version) => {
  const { report, after, plan, requests } = await runScene({
    version,
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
  expect(report.applied).toHaveLength(plan.changes.length);
  // The read before the plan is part of the run.
  expect(report.requests.total).toBeGreaterThan(requests.length);
  expect(report.wrote).toBe(true);
});

test('a plan without changes sends nothing and leaves no report', async () => {
  const { report, requests } = await runScene({
    manifest: 'domains:\n  acme.example:\n    aliases: { a: b@corp.example }',
    seed: { domains: [{ domain: 'acme.example', aliases: [{ alias: 'A', forward: ' b@CORP.example' }] }] },
  });
  expect(requests).toEqual([]);
  expect(report).toMatchObject({ outcome: 'unchanged', wrote: false, snapshot: null, applied: [] });
});

test('an update of settings sends every setting, unmanaged ones as they were read', async () => {
  const { writes, report } = await runScene({
    version: 'v3',
    manifest: 'domains:\n  acme.example:\n    webhook: https://hooks.corp.example/x',
    seed: {
      domains: [
        {
          domain: 'acme.example',
          notification_email: 'keep@corp.example',
          whitelabel: 'mail.partner.example',
        },
      ],
    },
  });
  expect(report.outcome).toBe('converged');
  expect(writes.map(({ body }) => body)).toEqual([
    {
      notification_email: 'keep@corp.example',
      whitelabel: 'mail.partner.example',
      webhook: 'https://hooks.corp.example/x',
    },
  ]);
});

test('passwords are sent, remembered by a fingerprint, and in no document', async () => {
  const scene = await openScene({
    manifest: 'domains:\n  acme.example:\n    credentials: { carol: { password: { env: PASSWORD } } }',
    seed: { domains: [{ domain: 'acme.example' }] },
  });
  const { report, end, progress } = await scene.run();
  expect(end.domains[0]?.credentials).toMatchObject([{ username: 'carol', password: 'correct horse' }]);
  expect(report.notes.join()).toContain('first SMTP credential');
  expect(JSON.stringify([report, progress])).not.toContain('correct horse');
  const rotated = await scene.run({ policy: { rotate: [{ name: 'carol', domain: 'acme.example' }] } });
  expect(rotated.report.applied).toMatchObject([{ action: 'update', kind: 'credential', name: 'carol' }]);
  expect((await scene.run()).report.outcome).toBe('unchanged');
});
