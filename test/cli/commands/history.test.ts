import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import blameSchema from '../../../schemas/blame.v1.schema.json' with { type: 'json' };
import entrySchema from '../../../schemas/history-entry.v1.schema.json' with { type: 'json' };
import historySchema from '../../../schemas/history.v1.schema.json' with { type: 'json' };
import { runEntry } from '../../engine/state/support/history-contract.ts';
import { everyNth, IS_FULL } from '../../support/share.ts';
import { createRepository } from '../support/repository.ts';
import { commandScene, OWNER, type CommandScene, type SceneOptions } from '../support/scene.ts';
import { expectSchema } from '../support/schema.ts';

const MANIFEST = `
destinations: { boss: { env: BOSS } }
domains:
  acme.example:
    prune: true
    aliases: { sales: ana@corp.example, info: [boss, bob@corp.example] }
    rules: [{ name: vip, alias: vip, forward: boss }]
    credentials: { carol: { password: { env: PASSWORD } } }
  beta.example: { aliases: { info: bob@corp.example } }
`;
const ENV = { BOSS: 'the.boss@secret.example', PASSWORD: 'correct horse' };
const ACTIONS = {
  GITHUB_ACTIONS: 'true',
  GITHUB_ACTOR: 'octocat',
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_REPOSITORY: 'acme/mail',
  GITHUB_RUN_ID: '7',
};

/** Compiles the schema once, because that takes longer than a command. */
const isHistory = new Ajv2020({ validateFormats: false }).compile(historySchema);
const isEntry = new Ajv2020({ validateFormats: false }).compile(entrySchema);

interface RunLike {
  readonly id: string;
  readonly commit: object | null;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

async function open(options: SceneOptions = {}): Promise<CommandScene> {
  const old = { alias: 'old', forward: 'x@corp.example' };
  const seed = { domains: [{ domain: 'acme.example', aliases: [old] }, { domain: 'beta.example' }] };
  return commandScene({ manifest: MANIFEST, seed, ...options });
}

async function apply(scene: CommandScene, env: Readonly<Record<string, string>> = {}): Promise<void> {
  scene.clock.advance(1);
  const args = ['apply', '--yes', '--allow-deletes', '1', '--allow-unrouted', 'old@acme.example'];
  const { code, stderr } = await scene.run(args, { env: { ...ENV, ...env } });
  expect(code, stderr).toBe(0);
}

async function historyOf(scene: CommandScene, ...args: readonly string[]) {
  const { stdout } = await scene.run(['history', '--format', 'json', ...args], {
    env: { FWDSYNC_API_KEY: '' },
  });
  const document: unknown = JSON.parse(stdout);
  expect(isHistory(document), JSON.stringify(isHistory.errors)).toBe(true);
  expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`);
  return document as { readonly runs: readonly RunLike[]; readonly drift: readonly object[] };
}

async function linesOf({ directory }: CommandScene): Promise<readonly string[]> {
  const state = join(directory, 'state');
  const [account = ''] = await readdir(state);
  const files = await readdir(join(state, account, 'history'));
  const texts = await Promise.all(
    files.map((file) => readFile(join(state, account, 'history', file), 'utf8')),
  );
  return texts.join('').trimEnd().split('\n');
}

describe.each(everyNth(2, ['v4', 'v3']))('history through %s', (version) => {
  test('every item of a run with old and new, offline and without a key', async () => {
    const scene = await open({ version });
    await apply(scene, ACTIONS);
    const { runs } = await historyOf(scene);
    expect(runs).toMatchObject([
      {
        command: 'apply',
        account: OWNER,
        actor: { ci: 'github', name: 'octocat', url: 'https://github.example/acme/mail/actions/runs/7' },
        commit: null,
        outcome: 'converged',
        summary: { added: 5, deleted: 1, failed: 0 },
      },
    ]);
    const items = runs[0]?.items.map(({ action, kind, domain, name, from, to, outcome }) => {
      return [action, kind, domain, name, from, to, outcome];
    });
    const ana = { forward: 'ana@corp.example' };
    expect(items?.toSorted()).toEqual([
      ['add', 'alias', 'acme.example', 'info', null, { forward: 'bob@corp.example, { env: BOSS }' }, 'done'],
      ['add', 'alias', 'acme.example', 'sales', null, ana, 'done'],
      ['add', 'alias', 'beta.example', 'info', null, { forward: 'bob@corp.example' }, 'done'],
      ['add', 'credential', 'acme.example', 'carol', null, {}, 'done'],
      [
        'add',
        'rule',
        'acme.example',
        'vip',
        null,
        { alias: 'vip', forward: '{ env: BOSS }', active: true, rank: expect.any(Number) },
        'done',
      ],
      ['delete', 'alias', 'acme.example', 'old', { forward: 'x@corp.example' }, null, 'done'],
    ]);
  });
});

test('the list of runs fits 80 columns: what does not stands on a line below', async () => {
  const scene = await open();
  await apply(scene, { ...ACTIONS, GITHUB_ACTOR: 'a-person-with-a-name-of-thirty' });
  const { stdout } = await scene.run(['history']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/Z {2}apply {2}converged {2}\+/);
  expect(lines[1]).toMatch(/^ {4}a-person-with-a-name-of-thirty \(/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
});

test('each line matches its schema, and holds no password and no value of a reference', async () => {
  const scene = await open();
  await apply(scene);
  const lines = await linesOf(scene);
  for (const line of lines) expect(isEntry(JSON.parse(line)), JSON.stringify(isEntry.errors)).toBe(true);
  expect(lines.length).toBe(2 + 2 * 6);
  for (const secret of Object.values(ENV)) expect(lines.join('\n').toLowerCase()).not.toContain(secret);
});

test('a run that writes nothing is not recorded; the newest comes first; a run shows its diff', async () => {
  const scene = await open();
  expect(await scene.run(['history'])).toMatchObject({ code: 0, stdout: 'Nothing is recorded.\n' });
  expect(await historyOf(scene)).toEqual({ kind: 'fwdsync/history@1', runs: [], drift: [] });
  await apply(scene);
  await apply(scene);
  expect((await historyOf(scene)).runs).toHaveLength(1);
  scene.clock.advance(3 * 86_400_000);
  await scene.manifest(MANIFEST.replace('ana@', 'alma@'));
  await apply(scene, {
    GITLAB_CI: 'true',
    GITLAB_USER_LOGIN: 'tanuki',
    CI_JOB_URL: 'https://gitlab.example/1',
  });
  const { runs } = await historyOf(scene);
  expect(runs.map(({ items }) => items.length)).toEqual([1, 6]);
  expect((await historyOf(scene, '--since', '2d')).runs).toHaveLength(1);
  expect((await historyOf(scene, '--domain', 'beta.example')).runs.map(({ items }) => items.length)).toEqual([
    1,
  ]);
  const { stdout } = await scene.run(['history', runs[0]?.id ?? '']);
  expect(stdout).toContain('tanuki (gitlab)');
  expect(stdout).toContain('  ~ alias  sales  ana@corp.example -> alma@corp.example\n');
  const { stdout: masked } = await scene.run(['history', runs[0]?.id ?? '', '--mask']);
  expect(masked).toContain('***1@corp.example -> ***2@corp.example');
});

test('with several accounts in one state the newest run comes first, each with its account', async () => {
  const scene = await open();
  for (const [account, minutes] of Object.entries({ ana: ['1', '4'], bob: ['2', '3'] })) {
    const place = join(scene.directory, 'state', account, 'history');
    await mkdir(place, { recursive: true, mode: 0o700 });
    const lines = minutes.map((minute) =>
      JSON.stringify({ ...runEntry(minute, `2026-01-01T00:0${minute}:00.000Z`), account }),
    );
    await writeFile(join(place, '2026-01-01.jsonl'), `${lines.join('\n')}\n`, { mode: 0o600 });
  }
  const env = { FWDSYNC_ACCOUNT: '' };
  const document = (await scene.run(['history', '--format', 'json'], { env })).stdout;
  expect(document.match(/(?<="id": ")./g)).toEqual(['4', '3', '2', '1']);
  const shown = (await scene.run(['history'], { env })).stdout;
  expect(shown.match(/^\d {2}\S+ {2}\w+/gm)).toEqual([
    '4  2026-01-01T00:04:00Z  ana',
    '3  2026-01-01T00:03:00Z  bob',
    '2  2026-01-01T00:02:00Z  bob',
    '1  2026-01-01T00:01:00Z  ana',
  ]);
});

test('for a manifest in a repository: commit, author, and uncommitted changes', async () => {
  const scene = await open();
  const repository = await createRepository(scene.directory);
  const path = { PATH: process.env['PATH'] ?? '' };
  const first = await repository.commit({ 'fwdsync.yaml': `version: 1\n${MANIFEST}` });
  // Other changes in the repository say nothing about the manifest.
  await repository.commit({ 'notes.txt': 'later' });
  await repository.stage({ 'draft.txt': 'not committed' });
  await apply(scene, path);
  await scene.manifest(MANIFEST.replace('ana@', 'alma@'));
  await apply(scene, path);
  const { runs } = await historyOf(scene);
  const author = 'Ana <ana@corp.example>';
  expect(runs.map(({ commit }) => commit)).toEqual([
    { sha: first, author, dirty: true },
    { sha: first, author, dirty: false },
  ]);
  const { stdout } = await scene.run(['history', runs[0]?.id ?? '']);
  expect(stdout).toContain(`\n  commit  ${first.slice(0, 10)} (dirty) ${author}\n`);
  expect((await scene.run(['blame', 'sales@acme.example'])).stdout).toContain(
    `${first.slice(0, 10)} (dirty)\n`,
  );
});

test('64: a run that is not recorded, a duration that is none', async () => {
  const scene = await open();
  expect(await scene.run(['history', 'nope'])).toMatchObject({ code: 64 });
  expect(await scene.run(['history', '--since', 'yesterday'])).toMatchObject({ code: 64 });
  expect(await scene.run(['blame', 'not a domain'])).toMatchObject({ code: 64 });
});

test('blame says what set an address as it is; of what nothing is recorded, nothing, with 0', async () => {
  const scene = await open();
  await apply(scene);
  await scene.manifest(MANIFEST.replace('ana@', 'alma@'));
  await apply(scene, ACTIONS);
  const { stdout, code } = await scene.run(['blame', 'SALES@acme.example', '--format', 'json']);
  expect(code).toBe(0);
  expect(expectSchema(blameSchema, stdout)).toMatchObject({
    entries: [
      { action: 'update', from: { forward: 'ana@corp.example' }, actor: { name: 'octocat' } },
      { action: 'add', from: null, to: { forward: 'ana@corp.example' }, source: { line: 7 } },
    ],
    drift: [],
  });
  const text = await scene.run(['blame', 'vip@acme.example']);
  expect(text.stdout).toContain('+ rule vip  alias vip -> { env: BOSS }');
  expect(await scene.run(['blame', 'nobody@acme.example'])).toMatchObject({
    code: 0,
    stdout: 'Nothing is recorded of nobody@acme.example.\n',
  });
});

test('the items that are deleted with a domain are recorded', async () => {
  const scene = await open();
  await apply(scene);
  await scene.manifest('domains:\n  acme.example: { state: absent }\n');
  scene.clock.advance(1);
  const args = ['apply', '--yes', '--allow-domain-delete', 'acme.example', '--allow-deletes', '1'];
  const allow = ['sales', 'info', 'vip'].flatMap((name) => ['--allow-unrouted', `${name}@acme.example`]);
  const { code, stdout, stderr } = await scene.run([...args, ...allow], { env: ENV });
  expect(code, stdout + stderr).toBe(0);
  const [run] = (await historyOf(scene)).runs;
  expect(
    run?.items.map(({ action, kind, name, via, outcome }) => [action, kind, name, via, outcome]),
  ).toEqual([
    ['delete', 'domain', 'acme.example', null, 'done'],
    ['delete', 'alias', 'info', 'domain', 'done'],
    ['delete', 'alias', 'sales', 'domain', 'done'],
    ['delete', 'rule', expect.any(String), 'domain', 'done'],
    ['delete', 'credential', 'carol', 'domain', 'done'],
  ]);
  expect(await scene.run(['blame', 'sales@acme.example'])).toMatchObject({
    stdout: expect.stringMatching(/^.*\n {4}- alias sales {2}ana@corp\.example\n/),
  });
});

test('items that the service refuses are recorded with its message, and are not in blame', async () => {
  const scene = await open();
  scene.emulator.faults.push({
    match: { method: 'POST', path: '/domains/beta.example/aliases', times: 'always' },
    do: { kind: 'status', code: 400, body: { error: 'bob\u001b[31m@corp.example is not allowed' } },
  });
  const { code } = await scene.run(
    ['apply', '--yes', '--allow-deletes', '1', '--allow-unrouted', 'old@acme.example'],
    { env: ENV },
  );
  expect(code).toBe(3);
  const [run] = (await historyOf(scene, '--domain', 'beta.example')).runs;
  expect(run?.items).toMatchObject([
    { name: 'info', outcome: 'failed', message: expect.stringContaining('not allowed') },
  ]);
  const { stdout } = await scene.run(['history', run?.id ?? '']);
  expect(stdout).toContain('failed: ');
  expect(stdout).not.toContain('\u001b');
  const blamed = await scene.run(['blame', 'info@beta.example']);
  expect(blamed.stdout).toBe('Nothing is recorded of info@beta.example.\n');
});

test.runIf(IS_FULL)(
  'a run of a machine whose clock is years ahead hides no other one, and undo finds the last',
  async () => {
    const scene = await open();
    const YEARS = 60 * 365 * 86_400_000;
    const aliasOf = (): unknown =>
      scene.emulator.store.dump().domains[0]?.aliases.find(({ alias }) => alias === 'sales')?.forward;
    for (const [index, skew] of [0, YEARS, 0].entries()) {
      scene.clock.advance(skew);
      await scene.manifest(`domains: { acme.example: { aliases: { sales: n${index}@corp.example } } }`);
      expect((await scene.run(['apply', '--yes'])).code).toBe(0);
      scene.clock.advance(86_400_000 - skew);
    }
    const { runs } = await historyOf(scene);
    const to = runs.flatMap(({ items }) => items.map((item) => item['to']));
    expect(to).toEqual([2, 1, 0].map((index) => ({ forward: `n${index}@corp.example` })));
    expect((await historyOf(scene, '--since', '2d')).runs[0]).toEqual(runs[0]);
    const blamed = await scene.run(['blame', 'sales@acme.example']);
    expect(blamed.stdout.match(/run \w+/g)).toEqual(runs.map(({ id }) => `run ${id}`));
    expect((await scene.run(['undo', '--yes', runs[0]?.id ?? ''])).code).toBe(0);
    expect(aliasOf()).toBe('n1@corp.example');
    // Now the last run is that undo.
    const asked = await scene.run(['undo'], { stdin: 'yes\n', seat: 'terminal' });
    expect([asked.code, aliasOf()], asked.stdout + asked.stderr).toEqual([0, 'n2@corp.example']);
  },
);
