import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/cli/output/output.ts';
import { hmacWith } from '../../../src/client/http/hmac.ts';
import type { PlanDocument } from '../../../src/core/plan/document/document.ts';
import { sealPlan, type SavedPlan } from '../../../src/core/plan/document/saved.ts';
import { commandScene, KEY, type CommandScene } from '../support/scene.ts';

const PEOPLE = Array.from({ length: 30 }, (_, index) => `person-${index + 10}`);
const SEED = {
  domains: [
    {
      domain: 'acme.example',
      aliases: [
        { alias: 'sales', forward: 'desk@hub.example' },
        { alias: 'old', forward: 'dan@corp.example' },
        { alias: 'zoe', forward: 'zoe@corp.example' },
        ...PEOPLE.map((alias) => ({ alias, forward: 'former@corp.example' })),
      ],
    },
    { domain: 'hub.example', aliases: [{ alias: 'desk', forward: 'boss@corp.example' }] },
  ],
};
const MANIFEST = `domains:
  acme.example:
    aliases:
      new: dan@corp.example
      old: { state: absent }
      zoe: { state: absent }
${PEOPLE.map((name) => `      ${name}: ${name}@corp.example`).join('\n')}
  hub.example:
    aliases:
      desk: [{ env: BOSS }, eve@corp.example]
`;
const ENV = { BOSS: 'boss@corp.example' };

function scene(manifest = MANIFEST): Promise<CommandScene> {
  return commandScene({ seed: SEED, manifest });
}

/** The section in the text of a plan. */
function section(text: string): readonly string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('whose mail changes'));
  return lines.slice(start, lines.indexOf('', start));
}

test('a domain shows twenty lines and counts the rest; --all-routes shows them all', async () => {
  const account = await scene();
  const cut = section((await account.run(['plan'], { env: ENV })).stdout);
  expect(cut.filter((line) => line.includes('@acme.example  '))).toHaveLength(20);
  expect(cut).toContain('  … and 13 more at acme.example; plan --all-routes lists them');
  expect(cut).toContainEqual(
    expect.stringMatching(/^ {2}- zoe@acme\.example {2,}zoe@corp\.example -> refused$/),
  );
  expect(cut.at(-1)).toBe('  ~ desk@hub.example        +eve@corp.example  (2 destinations)');
  const all = section((await account.run(['plan', '--all-routes'], { env: ENV })).stdout);
  expect(all.filter((line) => line.includes('@acme.example  '))).toHaveLength(33);
  expect(all.join('\n')).not.toContain('more at');
  expect(all.filter((line) => line.length > 80)).toEqual([]);
});

test('markdown is cut alike, and JSON never', async () => {
  const account = await scene();
  const markdown = await account.run(['plan', '--format', 'markdown'], { env: ENV });
  expect(markdown.stdout).toContain('… and 13 more at acme.example');
  expect(markdown.stdout).toContain('! desk@hub.example  +eve@corp.example  (2 destinations)');
  const whole = await account.run(['plan', '--format', 'markdown', '--all-routes'], { env: ENV });
  expect(whole.stdout).toContain('! person-39@acme.example  former@corp.example -> person-39@corp.example');
  const { routes } = JSON.parse(
    (await account.run(['plan', '--format', 'json'], { env: ENV })).stdout,
  ) as PlanDocument;
  expect(routes).toHaveLength(34);
  expect(routes?.at(-3)).toEqual({
    domain: 'acme.example',
    kind: 'reroute',
    address: 'sales@acme.example',
    rule: null,
    was: null,
    from: ['{ env: BOSS }'],
    to: ['{ env: BOSS }', 'eve@corp.example'],
    by: { before: { kind: 'alias', name: 'sales' }, after: { kind: 'alias', name: 'sales' } },
    via: ['desk@hub.example'],
    unknown: [],
  });
  expect(routes?.[0]).toMatchObject({
    kind: 'renamed',
    address: 'new@acme.example',
    was: 'old@acme.example',
    from: ['dan@corp.example'],
    to: ['dan@corp.example'],
  });
});

test('--mask hides destinations and the way, and keeps whose mail it is', async () => {
  const account = await scene();
  const { stdout } = await account.run(['plan', '--mask', '--all-routes'], { env: ENV });
  const lines = section(stdout).join('\n');
  expect(lines).toContain('~ sales@acme.example');
  expect(lines).toMatch(/person-10@acme\.example {2}\*\*\*\d+@corp\.example -> \*\*\*\d+@corp\.example/);
  expect(lines).not.toMatch(/former|eve@|boss|desk@hub\.example\)/);
});

describe('totals', () => {
  test('are counts', async () => {
    const account = await scene();
    const { stdout } = await account.run(['plan', '--summary'], { env: ENV });
    expect(stdout).toContain('Whose mail changes: 34 routes, 1 lost, 32 elsewhere, 1 renamed.');
  });

  test('show no routes', async () => {
    const account = await scene();
    expect(await account.run(['plan', '--summary', '--all-routes'], { env: ENV })).toMatchObject({
      code: 64,
    });
  });
});

test('a plan that changes no mail says so, and one without changes says nothing', async () => {
  const quiet = await scene(
    'domains:\n  hub.example:\n    credentials: { printer: { password: { env: BOSS } } }\n',
  );
  expect((await quiet.run(['plan'], { env: ENV })).stdout).toContain(
    'No mail changes its destination, as far as names and conditions show.\n',
  );
  const none = await scene('domains:\n  hub.example:\n    aliases: { desk: boss@corp.example }\n');
  expect((await none.run(['plan'])).stdout).not.toContain('whose mail');
});

describe('a saved plan', () => {
  test('shows its routes, and is refused when one of them was edited', async () => {
    const account = await scene();
    const { directory } = account;
    await account.run(['plan', '--out', 'plan.json'], { env: ENV });
    expect((await account.run(['show', 'plan.json'])).stdout).toContain('… and 13 more at acme.example');
    const path = join(directory, 'plan.json');
    await writeFile(
      path,
      (await readFile(path, 'utf8')).replaceAll('former@corp.example', 'other@corp.example'),
    );
    expect(await account.run(['show', 'plan.json'])).toMatchObject({ code: 1, stdout: '' });
    expect(await account.run(['apply', 'plan.json'], { env: ENV })).toMatchObject({ code: 6 });
  });

  test('from an earlier version has none, and is shown and applied', async () => {
    const account = await scene();
    const { directory } = account;
    await account.run(['plan', '--allow-reroutes', '30', '--out', 'plan.json'], { env: ENV });
    const path = join(directory, 'plan.json');
    const saved = JSON.parse(await readFile(path, 'utf8')) as SavedPlan;
    const { routes: _, checksum: __, seal: ___, ...earlier } = saved;
    await writeFile(path, JSON.stringify(sealPlan(earlier, { sha256, hmac: hmacWith(KEY) })));
    const { code, stdout } = await account.run(['show', 'plan.json']);
    expect({ code, hasRoutes: stdout.includes('whose mail') }).toEqual({ code: 0, hasRoutes: false });
    expect(await account.run(['apply', 'plan.json'], { env: ENV })).toMatchObject({ code: 0 });
  });
});
