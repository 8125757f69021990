import { describe, expect, test } from 'vitest';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import type { ApiVersion } from '../../../../src/core/model/endpoints.ts';
import type { PlanDocument } from '../../../../src/core/plan/document/document.ts';
import { commandScene, type CommandScene } from '../../support/scene.ts';

const ACME: SeedDomain = {
  domain: 'acme.example',
  aliases: [
    { alias: 'old', forward: 'dan@corp.example' },
    { alias: 'info', forward: 'ana@corp.example' },
  ],
};
const WITHOUT_OLD = 'domains:\n  acme.example: { aliases: { old: { state: absent } } }\n';
const desk = (domain: string, parts: Partial<SeedDomain> = {}): SeedDomain => ({
  domain,
  aliases: [{ alias: 'desk', forward: 'old@acme.example' }],
  ...parts,
});
const others = (count: number): readonly SeedDomain[] =>
  Array.from({ length: count }, (_, index) => desk(`unmanaged${index}.example`));

const sceneOf = (
  domains: readonly SeedDomain[],
  version: ApiVersion = 'v4',
  manifest = WITHOUT_OLD,
): Promise<CommandScene> => commandScene({ seed: { domains: [ACME, ...domains] }, manifest, version });

const planOf = async (scene: CommandScene, flags: readonly string[] = []): Promise<PlanDocument> =>
  JSON.parse((await scene.run(['plan', '--format', 'json', ...flags])).stdout) as PlanDocument;

const refusedIn = ({ guards }: PlanDocument): readonly (string | null)[] => guards.map(({ allow }) => allow);

const readsOf = (scene: CommandScene, domain: string): number =>
  scene.requests().filter(({ path }) => path.startsWith(`/domains/${domain}/`)).length;

describe.each<ApiVersion>(['v4', 'v3'])('forwards of other domains to a deleted alias, on %s', (version) => {
  test('is refused by plan, apply and run --once, and nothing is written', async () => {
    const scene = await sceneOf(others(1), version);
    for (const words of [
      ['plan'],
      ['apply', '--yes'],
      ['run', '--once', '--account', 'owner@account.example'],
    ]) {
      const { code, stdout, stderr } = await scene.run(words);
      expect([words, code, stdout + stderr]).toEqual([
        words,
        4,
        expect.stringContaining('--allow-unrouted desk@unmanaged0.example'),
      ]);
    }
    expect(scene.writes()).toEqual([]);
  });

  test('is allowed address by address', async () => {
    const scene = await sceneOf(others(2), version);
    const flags = ['--allow-unrouted', 'desk@unmanaged0.example'];
    expect((await scene.run(['apply', '--yes', ...flags])).code).toBe(4);
    const both = [...flags, '--allow-unrouted', 'desk@unmanaged1.example'];
    const { code, stdout } = await scene.run(['apply', '--yes', ...both]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('desk@unmanaged1.example')]);
    expect(scene.writes()).toHaveLength(1);
  });

  test('is seen where only one domain is read', async () => {
    const manifest = `${WITHOUT_OLD}  unmanaged0.example: { aliases: { desk: old@acme.example } }\n`;
    const scene = await sceneOf(others(1), version, manifest);
    const plan = await planOf(scene, ['--domain', 'acme.example']);
    expect(refusedIn(plan)).toEqual(['--allow-unrouted desk@unmanaged0.example']);
    expect((await scene.run(['plan', '--quick'])).code).toBe(4);
  });

  test('the forecast has every request that is sent', async () => {
    const scene = await sceneOf(
      [desk('else.example', { aliases: [{ alias: 'x', forward: 'x@x.example' }] })],
      version,
    );
    const { forecast, warnings } = await planOf(scene);
    expect(warnings.map(({ code }) => code)).not.toContain('forwards-not-checked');
    expect(scene.requests()).toHaveLength(forecast.phases.reading.requests);
    scene.emulator.journal.clear();
    expect((await scene.run(['apply', '--yes'])).code).toBe(0);
    expect(scene.requests()).toHaveLength(forecast.total.requests);
  });

  test('is not read where nothing is taken away', async () => {
    const manifest = 'domains:\n  acme.example: { aliases: { info: eve@corp.example } }\n';
    const scene = await sceneOf(others(1), version, manifest);
    expect((await scene.run(['plan'])).code).toBe(0);
    expect(readsOf(scene, 'unmanaged0.example')).toBe(0);
  });
});

test('v3 shows the aliases of domains in its list: however many domains, they take no request', async () => {
  const scene = await sceneOf(others(30), 'v3');
  const plan = await planOf(scene);
  expect(refusedIn(plan)).toHaveLength(30);
  expect(scene.requests().filter(({ path }) => path.includes('unmanaged'))).toEqual([]);
});

test('if they take more requests than the run, none is read, and the plan says so', async () => {
  const scene = await sceneOf(others(30));
  const { warnings, guards } = await planOf(scene);
  expect(guards).toEqual([]);
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toContain(
    'forwards-not-checked: forwards from 30 domains of the account were not checked: mail that they forward to a route that the plan removes would be lost',
  );
  expect(scene.requests().filter(({ path }) => path.includes('unmanaged'))).toEqual([]);
});

test('a section of a managed domain that the manifest does not name is read as well', async () => {
  const forward = 'old@acme.example';
  const rules = [
    {
      id: '00000001-0000-4000-8000-000000000000',
      type: 'alias' as const,
      config: { alias: 'jobs', forward },
    },
  ];
  const ruled = { domain: 'ruled.example', routing_engine: 'rules', aliases: [], rules } as const;
  const manifest = `${WITHOUT_OLD}  ruled.example: { aliases: {} }\n`;
  const plan = await planOf(await sceneOf([ruled], 'v4', manifest));
  expect(refusedIn(plan)).toEqual(['--allow-unrouted jobs@ruled.example']);
});

test('a domain that cannot be read is counted, and ends nothing', async () => {
  const scene = await sceneOf(others(2));
  scene.emulator.faults.push({
    match: { method: 'GET', path: '/domains/unmanaged0.example/aliases' },
    do: { kind: 'status', code: 403 },
  });
  const plan = await planOf(scene);
  expect(refusedIn(plan)).toEqual(['--allow-unrouted desk@unmanaged1.example']);
  expect(plan.warnings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('forwards from 1 domain of the account were not checked'),
  );
});
