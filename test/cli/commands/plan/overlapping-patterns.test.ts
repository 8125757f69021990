import { describe, expect, test } from 'vitest';
import planSchema from '../../../../schemas/plan.v1.schema.json' with { type: 'json' };
import type { PlanDocument } from '../../../../src/core/plan/document/document.ts';
import { deliverMessage } from '../../../../src/emulator/delivery/delivery.ts';
import { commandScene, type CommandScene } from '../../support/scene.ts';
import { expectSchema } from '../../support/schema.ts';

const A = 'ana@corp.example';
const B = 'ben@corp.example';

const EXPECTED = `    expect: [{ to: info@acme.example, forward: ${A} }]\n`;

function sceneOf(
  live: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
  version: 'v3' | 'v4' = 'v4',
  more = '',
): Promise<CommandScene> {
  const aliases = Object.entries(live).map(([alias, forward]) => ({ alias, forward }));
  const entries = Object.entries(wanted).map(
    ([name, forward]) => `      ${JSON.stringify(name)}: ${forward}\n`,
  );
  return commandScene({
    version,
    seed: { domains: [{ domain: 'acme.example', routing_engine: 'alias', aliases }] },
    manifest: `domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases:\n${entries.join('')}${more}`,
  });
}

/** Destinations of mail to an address in the emulator. */
function arrivalOf({ emulator }: CommandScene, local: string): readonly string[] {
  const mail = { to: `${local}@acme.example`, from: 'x@y.example', subject: '', body: '' };
  const delivered = deliverMessage(emulator.store.state, mail);
  return delivered.ok ? delivered.value.destinations : [];
}

async function planOf(scene: CommandScene): Promise<PlanDocument> {
  return planIn((await scene.run(['plan', '--format', 'json'])).stdout);
}

function planIn(stdout: string): PlanDocument {
  expectSchema(planSchema, stdout);
  return JSON.parse(stdout) as PlanDocument;
}

describe.each(['v4', 'v3'] as const)('a pattern that is changed comes after the others of %s', (version) => {
  const live = { '(sales|info)': A, '(info|hr)': B };
  const wanted = { '(sales|info|shop)': A, '(info|hr)': B };

  test('the plan says whose mail changes, and the service does that', async () => {
    const scene = await sceneOf(live, wanted, version, EXPECTED);
    const { routes = [], warnings } = await planOf(scene);
    expect(routes.filter(({ address }) => address === 'info@acme.example')).toEqual([
      expect.objectContaining({
        kind: 'reroute',
        from: [A],
        to: [B],
        undecided: ['(info|hr)', '(sales|info)', '(sales|info|shop)'],
      }),
    ]);
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: 'overlapping-patterns',
        message: expect.stringContaining(
          '"(info|hr)" and "(sales|info|shop)" both match "info@acme.example"',
        ),
        source: expect.objectContaining({ line: 7 }),
      }),
    );
    expect(arrivalOf(scene, 'info')).toEqual([A]);
    const { stdout } = await scene.run(['plan']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `info@acme.example ${A} -> ${B} (may be: it is not known which of "(info|hr)", "(sales|info)", "(sales|info|shop)" gets it)`,
    );
    expect(await scene.run(['apply', '--yes', '--account', 'owner@account.example'])).toMatchObject({
      code: 0,
    });
    expect(arrivalOf(scene, 'info')).toEqual([B]);
  });

  test('the empty plan still names both, once', async () => {
    const scene = await sceneOf(wanted, wanted, version);
    const { changes, warnings } = await planOf(scene);
    expect(changes).toEqual([]);
    expect(warnings.filter(({ code }) => code === 'overlapping-patterns')).toHaveLength(1);
    const { stdout, stderr } = await scene.run(['plan']);
    expect((stdout + stderr).match(/both\s+match/g)).toHaveLength(1);
  });
});

test('patterns that the manifest does not name are compared too, and a finding about them can be silenced', async () => {
  const aliases = [
    { alias: '(sales|info)', forward: A },
    { alias: '(info|hr)', forward: B },
  ];
  const seed = { domains: [{ domain: 'acme.example', routing_engine: 'alias' as const, aliases }] };
  const manifest = 'domains:\n  acme.example:\n    aliases: { jobs: ana@corp.example }\n';
  const open = await commandScene({ seed, manifest });
  expect((await planOf(open)).warnings).toContainEqual(
    expect.objectContaining({ code: 'overlapping-patterns', source: null }),
  );
  const silenced = await commandScene({
    seed,
    manifest: `lint: { off: ["overlapping-patterns (info|hr)"] }\n${manifest}`,
  });
  const { warnings, summary } = await planOf(silenced);
  expect(warnings.map(({ code }) => code)).not.toContain('overlapping-patterns');
  expect(summary.silenced).toBe(1);
});

test('a finding that is silenced counts once where the manifest has both patterns', async () => {
  const patterns = { '(sales|info)': A, '(info|hr)': B };
  const scene = await sceneOf(patterns, patterns, 'v4', 'lint: { off: [overlapping-patterns] }\n');
  const { warnings, summary } = await planOf(scene);
  expect(warnings.map(({ code }) => code)).not.toContain('overlapping-patterns');
  expect(summary.silenced).toBe(1);
});

test('if rules route a domain, its aliases do not take mail from each other', async () => {
  const aliases = [
    { alias: '(sales|info)', forward: A },
    { alias: '(info|hr)', forward: B },
  ];
  const domains = [{ domain: 'acme.example', routing_engine: 'rules' as const, aliases }];
  const manifest = 'domains:\n  acme.example:\n    aliases: { jobs: ana@corp.example }\n';
  const { warnings } = await planOf(await commandScene({ seed: { domains }, manifest }));
  expect(warnings.map(({ code }) => code)).not.toContain('overlapping-patterns');
});

describe('the guard max-reroutes counts addresses that patterns share', () => {
  const entries = (count: number, make: (at: number) => readonly [string, string]) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => make(at)));

  test.each([
    [9, 2],
    [10, 4],
  ])('%i of them: exit code %i', async (count, expected) => {
    const kept = entries(count, (at) => [`(info${at}|b${at})`, B]);
    const live = { ...entries(count, (at) => [`(a${at}|info${at})`, A]), ...kept };
    const wanted = { ...entries(count, (at) => [`(a${at}|info${at}|c${at})`, A]), ...kept };
    const scene = await sceneOf(live, wanted);
    const { code, stdout } = await scene.run([
      'plan',
      '--format',
      'json',
      '--detailed-exitcode',
      '--allow-deletes',
      String(count),
    ]);
    const { guards } = planIn(stdout);
    const found = guards.filter(({ guard }) => guard === 'max-reroutes');
    expect(found).toEqual(
      expected === 2
        ? []
        : [
            expect.objectContaining({
              planned: 10,
              allow: '--allow-reroutes 10',
              message: expect.stringContaining(
                '0 of 20 live items and 10 addresses that several patterns match',
              ),
            }),
          ],
    );
    expect(code).toBe(expected);
  });
});

describe('the guard unrouted reads names and orders carefully', () => {
  const REST = 'rest@corp.example';
  test.each([
    ['a name that may be a pattern of another kind', { 'sal.*': A }, { 'sal*': A }, 'sally'],
    ['a pattern, once the name may be none', { '(sal.*)': A }, { 'sal*': A }, 'sally'],
    ['a new pattern that discards', { '(sally|x)': A }, { '(sally|x)': A, '(sally|y)': 'discard' }, 'sally'],
    ['by way of another alias', { '(sal.*)': A }, { 'sal*': A }, 'desk'],
  ])('%s: the plan is refused', async (_, live, wanted, local) => {
    const desk = { desk: 'sally@acme.example', info: REST };
    const scene = await sceneOf({ ...live, ...desk }, { ...wanted, ...desk });
    const { stdout, code } = await scene.run(['plan', '--format', 'json', '--allow-deletes', '1']);
    const { guards } = planIn(stdout);
    expect(guards.map(({ guard, allow }) => `${guard} ${allow}`)).toContain(
      `unrouted --allow-unrouted ${local}@acme.example`,
    );
    expect(code).toBe(4);
  });

  test('unchanged entries are not lost by their readings', async () => {
    const same = { 'sal.*': A, '(sally|x)': A, desk: 'sally@acme.example', more: A, rest: A, info: A };
    const scene = await sceneOf(
      { ...same, '(sally|y)': 'null', old: A },
      { ...same, '(sally|y)': 'discard' },
    );
    const { guards } = await planOf(scene);
    expect(guards.map(({ guard }) => guard)).not.toContain('unrouted');
  });
});
