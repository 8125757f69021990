import { expect, test } from 'vitest';
import type { DeliveryDocument } from '../../../../src/service/delivery/document.ts';
import type { Seed } from '../../../../src/emulator/account/seed.ts';
import { deliver } from '../../support/deliver.ts';
import { commandScene, type CommandScene } from '../../support/scene.ts';

// Attribution of mail to entries if rules route it.

const MINUTE = 60_000;
const HEAD = 'domains:\n  acme.example:\n    prune: true\n';
const RULED: Seed = {
  domains: [
    {
      domain: 'acme.example',
      routing_engine: 'rules',
      rules_fallback_email: 'rest@corp.example',
      aliases: [],
    },
  ],
};

async function apply(scene: CommandScene, rules: string): Promise<void> {
  await scene.manifest(`${HEAD}    rules:\n${rules}`);
  const { code, stderr } = await scene.run(['apply', '--yes']);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  // Advances a minute, so that messages and changes are never in the same minute.
  scene.clock.advance(MINUTE);
}

/** Alias, rule, destination, number of delivered messages, and the line. */
async function rowsOf(scene: CommandScene): Promise<readonly unknown[]> {
  const { stdout, stderr } = await scene.run(['delivery', '--format', 'json']);
  if (stdout === '') throw new Error(stderr);
  const { rows } = JSON.parse(stdout) as DeliveryDocument;
  return rows
    .map(({ alias, rule, destination, delivered, source }) => {
      return [alias, rule, destination, delivered, source?.line ?? null];
    })
    .sort((a, b) => String(a).localeCompare(String(b), 'en'));
}

test('a rule that came, went or was changed since counts as it was when the mail was received', async () => {
  const scene = await commandScene({ seed: RULED });
  await apply(scene, '      - { name: team, alias: support, forward: carol@corp.example }\n');
  deliver(scene, { to: 'help@acme.example' });
  await apply(
    scene,
    `      - { name: team, alias: support, forward: carol@corp.example }
      - { name: former, alias: help, forward: ben@corp.example }
`,
  );
  for (const to of ['support', 'support', 'help', 'desk']) deliver(scene, { to: `${to}@acme.example` });
  await apply(
    scene,
    `      - { name: fresh, alias: support, forward: carol@corp.example }
      - { name: team, alias: desk, forward: carol@corp.example }
`,
  );
  for (const to of ['support', 'help', 'desk']) deliver(scene, { to: `${to}@acme.example` });
  const before = [
    [null, 'team', 'carol@corp.example', 2 + 1, 7],
    [null, 'former', 'ben@corp.example', 1, null],
    [null, null, 'rest@corp.example', 1 + 1 + 1, null],
  ];
  const after = [[null, 'fresh', 'carol@corp.example', 1, 6]];
  expect(await rowsOf(scene)).toEqual(
    [...before, ...after].sort((a, b) => String(a).localeCompare(String(b), 'en')),
  );
});

test('if only the body decides between two rules with one destination, neither is named', async () => {
  const scene = await commandScene({ seed: RULED });
  await apply(
    scene,
    `      - { name: invoices, regex: ".*invoice.*", scopes: [subject, body], forward: billing@corp.example }
      - { name: pager, expression: 'body.contains("down")', forward: pager@corp.example }
      - { name: sales, alias: sales, forward: [billing@corp.example, carol@corp.example] }
`,
  );
  const to = 'sales@acme.example';
  deliver(scene, { to, body: 'the invoice of May' });
  deliver(scene, { to });
  deliver(scene, { to, subject: 'invoice' });
  deliver(scene, { to, body: 'it is down' });
  expect(await rowsOf(scene)).toEqual([
    [null, null, 'billing@corp.example', 2, null],
    [null, 'invoices', 'billing@corp.example', 1, 6],
    [null, 'pager', 'pager@corp.example', 1, 7],
    [null, 'sales', 'carol@corp.example', 1, 8],
  ]);
});

test('if the service does not show the engine, mail with the same destination in both belongs to no entry', async () => {
  const aliases = [
    { alias: 'sales', forward: 'carol@corp.example' },
    { alias: 'info', forward: 'ben@corp.example' },
  ];
  const scene = await commandScene({
    version: 'v3',
    seed: { domains: [{ domain: 'acme.example', aliases }] },
    server: { switches: { v3RoutingEngine: 'omitted' } },
  });
  await scene.manifest(`${HEAD}    aliases:
      sales: carol@corp.example
      info: ben@corp.example
    rules:
      - { name: sales, alias: sales, forward: carol@corp.example }
      - { name: info, alias: info, forward: dave@corp.example }
`);
  deliver(scene, { to: 'sales@acme.example' });
  deliver(scene, { to: 'info@acme.example' });
  expect(await rowsOf(scene)).toEqual([
    [null, null, 'carol@corp.example', 1, null],
    ['info', null, 'ben@corp.example', 1, 7],
  ]);
});

test('mail that neither the manifest nor the history explains has neither alias nor rule', async () => {
  const aliases = [
    { alias: '(sales|orders)', forward: 'carol@corp.example' },
    { alias: 'orders', forward: 'else@corp.example' },
  ];
  const scene = await commandScene({ seed: { domains: [{ domain: 'acme.example', aliases }] } });
  await scene.manifest('domains:\n  acme.example:\n    aliases:\n      (sales|orders): carol@corp.example\n');
  deliver(scene, { to: 'sales@acme.example' });
  deliver(scene, { to: 'orders@acme.example' });
  expect(await rowsOf(scene)).toEqual([
    [null, null, 'else@corp.example', 1, null],
    ['(sales|orders)', null, 'carol@corp.example', 1, 5],
  ]);
});
