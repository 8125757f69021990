import { describe, expect, test } from 'vitest';
import type { SeedDomain } from '../../src/emulator/account/seed.ts';
import { commandScene, type CommandScene, type SceneOptions } from './support/scene.ts';
import { everyNth, runs } from '../support/share.ts';

// A problem that only a read of the account shows withholds only the affected items.

const RULE = '0190d6a0-0000-7000-8000-000000000000';
const OTHERS = Array.from({ length: runs(39, 7) }, (_, index) => `d${index + 10}.example`);
const FINE = OTHERS.map((domain) => `  ${domain}: { aliases: { info: ana@corp.example } }\n`).join('');

interface Case {
  readonly code: string;
  /** Part of a domain's manifest with the problem. */
  readonly part: string;
  /** Changes of the rest of that domain, which are applied nevertheless. */
  readonly rest: readonly string[];
  readonly live?: Omit<SeedDomain, 'domain'>;
  readonly env?: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  { code: 'password-required', part: 'credentials: { printer: {} }', rest: ['info'] },
  {
    code: 'reference-not-set',
    part: 'credentials: { printer: { password: { env: UNSET } } }',
    rest: ['info'],
  },
  {
    code: 'short-password',
    part: 'credentials: { printer: { password: { env: SHORT } } }',
    rest: ['info'],
    env: { SHORT: 'short' },
  },
  {
    code: 'rule-type-fixed',
    part: `rules: [{ name: vip, id: ${RULE}, regex: x, scopes: [subject], forward: ana@corp.example }]`,
    rest: [],
    live: { rules: [{ id: RULE, type: 'alias', config: { alias: 'vip', forward: 'ana@corp.example' } }] },
  },
];

function open({ part, live = {} }: Case, options: SceneOptions = {}): Promise<CommandScene> {
  const odd = `  a.example:\n    aliases: { info: ana@corp.example }\n    ${part}\n`;
  const domains = [{ domain: 'a.example', ...live }, ...OTHERS.map((domain) => ({ domain }))];
  return commandScene({ ...options, seed: { domains }, manifest: `domains:\n${odd}${FINE}` });
}

function aliases({ emulator }: CommandScene): Record<string, readonly string[]> {
  const live = emulator.store.dump().domains;
  return Object.fromEntries(live.map(({ domain, aliases }) => [domain, aliases.map(({ alias }) => alias)]));
}

const allOthers = Object.fromEntries(OTHERS.map((domain) => [domain, ['info']]));

describe.each(everyNth(2, CASES))(`$code in one of ${OTHERS.length + 1} domains`, (problem) => {
  const { code, rest, env = {} } = problem;

  test.each(['v4', 'v3'] as const)(
    '3: apply writes all but what it concerns, and says so; then 5, without a write; through %s',
    async (version) => {
      const scene = await open(problem, { version });
      const applied = await scene.run(['apply', '--yes', '--format', 'json'], { env });
      expect(applied.code, applied.stderr).toBe(3);
      expect(JSON.parse(applied.stdout)).toMatchObject({ outcome: 'partial', problems: [{ code }] });
      expect(aliases(scene)).toEqual({ ...allOthers, 'a.example': rest });
      scene.emulator.journal.clear();
      const again = await scene.run(['apply', '--yes', '--format', 'json'], { env });
      expect(again.code).toBe(5);
      expect(JSON.parse(again.stdout)).toMatchObject({ kind: 'fwdsync/problems@1', problems: [{ code }] });
      expect(scene.writes()).toEqual([]);
      const text = await scene.run(['apply', '--yes'], { env });
      expect(`${text.stdout}${text.stderr}`).toMatch(
        new RegExp(`fwdsync\\.yaml:5:\\d+: error: .*${code}`, 's'),
      );
      expect(text.code).toBe(5);
    },
  );

  test('3: run --once writes all but what it concerns; then 5', async () => {
    const scene = await open(problem);
    const once = await scene.run(['run', '--once'], { env });
    expect(once.code, once.stdout).toBe(3);
    expect(aliases(scene)).toEqual({ ...allOthers, 'a.example': rest });
    expect((await scene.run(['run', '--once'], { env })).code).toBe(5);
  });

  test('the plan shows the others, and the saved plan runs', async () => {
    const scene = await open(problem);
    const plan = await scene.run(['plan', '--format', 'json', '--out', 'plan.json'], { env });
    expect(plan.code).toBe(code === 'reference-not-set' ? 0 : 5);
    const { changes } = JSON.parse(plan.stdout) as { changes: readonly { domain: string }[] };
    expect(changes.filter(({ domain }) => domain !== 'a.example')).toHaveLength(OTHERS.length);
    const applied = await scene.run(['apply', 'plan.json'], { env });
    expect([applied.code, aliases(scene)]).toEqual([3, { ...allOthers, 'a.example': rest }]);
  });

  test('the quick plan asks for that domain again', async () => {
    const scene = await open(problem);
    await scene.run(['apply', '--yes'], { env });
    const { stdout, stderr } = await scene.run(['plan', '--quick'], { env });
    expect(stderr).toContain(`${OTHERS.length} domains skipped`);
    expect(stdout).toContain(code === 'reference-not-set' ? 'password-not-set' : code);
  });
});

test('5: a guard that refuses the plan, beside a problem: nothing is written', async () => {
  const scene = await commandScene({
    seed: {
      domains: [
        { domain: 'a.example' },
        { domain: 'b.example', aliases: [{ alias: '*', forward: 'ana@corp.example' }] },
      ],
    },
    manifest:
      "domains:\n  a.example: { credentials: { printer: {} } }\n  b.example: { aliases: { '*': { state: absent } } }\n",
  });
  const { code, stdout } = await scene.run(['apply', '--yes']);
  expect(stdout).toContain('[catch-all]');
  expect([code, scene.writes()]).toEqual([5, []]);
  const skipping = await scene.run(['apply', '--yes', '--skip-refused']);
  expect([skipping.code, scene.writes()]).toEqual([5, []]);
});

test('a credential that cannot be made holds back no delete of another domain', async () => {
  const scene = await commandScene({
    seed: {
      domains: [
        { domain: 'a.example', aliases: [{ alias: 'desk', forward: 'old@b.example' }] },
        { domain: 'b.example', aliases: [{ alias: 'old', forward: 'ana@corp.example' }] },
      ],
    },
    manifest: `domains:
  a.example:
    aliases: { desk: ana@corp.example }
    credentials: { printer: {} }
  b.example: { aliases: { old: { state: absent }, new: ana@corp.example } }
`,
  });
  const { code, stdout } = await scene.run(['apply', '--yes']);
  expect([code, aliases(scene)], stdout).toEqual([3, { 'a.example': ['desk'], 'b.example': ['new'] }]);
});

test.each([['--skip-refused'], ['--allow-unrouted', 'desk@a.example']])(
  'no alias is deleted to which a domain that a problem withholds still forwards: %s',
  async (...flags) => {
    const scene = await commandScene({
      seed: {
        domains: [
          {
            domain: 'a.example',
            aliases: [{ alias: 'desk', forward: 'old@b.example' }],
            rules: [{ id: RULE, type: 'alias', config: { alias: 'vip', forward: 'ana@corp.example' } }],
          },
          { domain: 'b.example', aliases: [{ alias: 'old', forward: 'ana@corp.example' }] },
        ],
      },
      manifest: `domains:
  a.example:
    aliases: { desk: ana@corp.example }
    rules: [{ name: vip, id: ${RULE}, regex: x, scopes: [subject], forward: ana@corp.example }]
  b.example: { aliases: { old: { state: absent }, new: ana@corp.example } }
`,
    });
    const { code, stdout } = await scene.run(['apply', '--yes', ...flags]);
    expect([code, aliases(scene)], stdout).toEqual([
      3,
      { 'a.example': ['desk'], 'b.example': ['new', 'old'] },
    ]);
  },
);
