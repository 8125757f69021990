import { expect, test } from 'vitest';
import type { Fault } from '../../src/emulator/faults/faults.ts';
import type { ApiVersion } from '../../src/core/model/endpoints.ts';
import { commandScene, type CommandScene } from './support/scene.ts';
import { everyNth } from '../support/share.ts';

// An item that no request can name withholds its domain. It is neither changed nor treated as missing.

const MANIFEST = `domains:
  odd.example:
    aliases: { info: ana@corp.example }
    rules: [{ name: jobs, alias: jobs, forward: hr@corp.example }]
    credentials: { printer: {} }
    prune: true
  sound.example:
    aliases: { info: ana@corp.example }
`;
const SEED = {
  domains: [
    {
      domain: 'odd.example',
      aliases: [{ alias: 'info', forward: 'old@corp.example' }],
      credentials: [{ username: 'printer', password: 'correct horse' }],
    },
    { domain: 'sound.example' },
  ],
};

const NO_PATH = ['', '.', '..', 'a/b', 'a b', 'x?all=true', 'x#y', '%2e%2e', '\u0000', '\ud800'];
const NO_ID = [undefined, null, true, {}, ['x'], 1.5];
const KINDS = {
  aliases: {
    row: (id: unknown) => ({ id, alias: 'stray', forward: 'x@corp.example' }),
    odd: [...NO_PATH, ...NO_ID, 'batch', 'bulk'],
  },
  rules: {
    row: (id: unknown) => ({
      id,
      type: 'alias',
      config: { alias: 'stray', forward: 'x@corp.example' },
      rank: 1,
      active: true,
    }),
    odd: [...NO_PATH, ...NO_ID, 7, 'batch', 'bulk'],
  },
  credentials: {
    row: (username: unknown) => ({ username, usage: 0 }),
    odd: [...NO_PATH, ...NO_ID, 7],
  },
} as const;
type Section = keyof typeof KINDS;

/** Answers every listing of one section of odd.example with one row. */
function listed(section: Section, row: object): Fault {
  const rows = { [section]: [row], total: 1, limit: 200, page: 1, success: true };
  return {
    match: { method: 'GET', path: `odd\\.example/${section}`, times: 'always' },
    do: { kind: 'body', body: JSON.stringify(rows), contentType: 'application/json' },
  };
}

function forwards({ emulator }: CommandScene): Record<string, string | undefined> {
  const entries = emulator.store
    .dump()
    .domains.map(({ domain, aliases }) => [domain, aliases.find(({ alias }) => alias === 'info')?.forward]);
  return Object.fromEntries(entries) as Record<string, string | undefined>;
}

const SECTIONS = (['v4', 'v3'] as const).flatMap((version) =>
  (Object.keys(KINDS) as Section[]).map((section) => [version, section] as const),
);
const ODD = SECTIONS.flatMap(([version, section]) =>
  KINDS[section].odd.map((id): [ApiVersion, Section, unknown] => [version, section, id]),
);

function open(version: ApiVersion): Promise<CommandScene> {
  return commandScene({ version, manifest: MANIFEST, seed: SEED });
}

test.each(everyNth(5, ODD))(
  'through %s one of the %s under %j withholds its domain from a plan',
  async (version, section, id) => {
    const scene = await open(version);
    scene.emulator.faults.push(listed(section, KINDS[section].row(id)));
    const { code, stdout, stderr } = await scene.run(['plan', '--format', 'json']);
    const plan = JSON.parse(stdout) as { changes: object[]; withheld: object[] };
    expect(plan.changes).toMatchObject([{ domain: 'sound.example', name: 'info', action: 'add' }]);
    expect(plan.withheld).toMatchObject([{ domain: 'odd.example' }]);
    expect([code, stderr.includes('internal error')]).toEqual([1, false]);
  },
);

test.each(everyNth(2, SECTIONS))(
  'through %s one of the %s without an id keeps its domain as it is, and the others are applied',
  async (version, section) => {
    const scene = await open(version);
    scene.emulator.faults.push(listed(section, KINDS[section].row(undefined)));
    const apply = await scene.run(['apply', '--yes', '--skip-refused']);
    expect([apply.code, apply.stderr.includes('internal error')]).toEqual([3, false]);
    expect(forwards(scene)).toEqual({
      'odd.example': 'old@corp.example',
      'sound.example': 'ana@corp.example',
    });
    expect(scene.writes().filter(({ path }) => path.includes('odd.example'))).toEqual([]);
    const once = await scene.run(['run', '--once']);
    expect(once.stdout).not.toContain('"internal"');
    expect(scene.writes().filter(({ path }) => path.includes('odd.example'))).toEqual([]);
    const exported = await scene.run(['export']);
    expect(exported.stdout).toContain('sound.example');
    expect(exported.stdout).not.toContain('odd.example:');
    expect([exported.code, exported.stderr.includes('internal error')]).toEqual([1, false]);
  },
);

test('an answer to a write that names no id is not believed: the account is read', async () => {
  const scene = await commandScene({
    manifest: `domains:\n  sound.example:\n    rules: [{ name: jobs, alias: jobs, forward: hr@corp.example }]\n`,
    seed: { domains: [{ domain: 'sound.example' }] },
  });
  const rule = { ...KINDS.rules.row(''), config: { alias: 'jobs', forward: 'hr@corp.example' } };
  scene.emulator.faults.push({
    match: { method: 'POST', endpoint: '/domains/:domain/rules' },
    do: { kind: 'body', body: JSON.stringify({ rule, success: true }), contentType: 'application/json' },
  });
  const { code, stdout } = await scene.run(['apply', '--yes']);
  expect([code, stdout.includes('internal error')]).toEqual([0, false]);
  expect(scene.emulator.store.dump().domains[0]?.rules).toHaveLength(1);
});
