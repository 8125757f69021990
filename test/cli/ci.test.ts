import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryDirectory } from '../support/directory.ts';
import { githubServer, TOKEN, type Comment, type GithubServer } from './support/github-server.ts';
import { serveNotes, type Note } from './support/gitlab-notes.ts';
import { commandScene, type CommandScene } from './support/scene.ts';
import { PROGRAM_PATH } from '../support/program.ts';
import { IS_FULL, runs } from '../support/share.ts';

const ROOT = join(import.meta.dirname, '../..');
const WORKFLOWS = readdirSync(join(ROOT, 'examples/ci/github')).map((name) => `examples/ci/github/${name}`);

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      { readonly permissions?: Readonly<Record<string, string>>; readonly steps: readonly Step[] }
    >
  >;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const ACTION = parse(read('action.yml')) as Action;
const workflow = (path: string): Workflow => parse(read(path)) as Workflow;
const stepsOf = (path: string): readonly Step[] =>
  Object.values(workflow(path).jobs).flatMap(({ steps }) => steps);

const MANIFEST = 'domains:\n  acme.example:\n    aliases: { info: ana@corp.example }\n';

interface Job {
  readonly scene: CommandScene;
  readonly github: GithubServer;
  /** Saves a plan as an earlier job did, without its script. */
  readonly savePlan: (name?: string, ...flags: readonly string[]) => Promise<void>;
  /** Runs a step's script as the runner does. Returns its outputs for later steps. */
  readonly run: (
    step: Step,
    values?: Readonly<Record<string, string>>,
  ) => Promise<{ code: number; stdout: string; outputs: string; summary: string }>;
}

async function job(comments: Comment[] = []): Promise<Job> {
  const scene = await commandScene({ seed: { domains: [{ domain: 'acme.example' }] }, manifest: MANIFEST });
  const github = await githubServer(comments);
  const bin = await temporaryDirectory();
  const run: Job['run'] = async (step, values = {}) => {
    const [output, summary] = ['output', 'summary'].map((name) => join(bin, name)) as [string, string];
    await Promise.all([writeFile(output, ''), writeFile(summary, '')]);
    const env = {
      ...scene.env,
      PATH: PROGRAM_PATH,
      HOME: bin,
      GITHUB_API_URL: github.url,
      GITHUB_REPOSITORY: 'acme/mail',
      GITHUB_ACTION_PATH: ROOT,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_SHA: 'abc123',
      ...Object.fromEntries(
        Object.entries(step.env ?? {}).map(([name, text]) => [name, evaluate(text, values)]),
      ),
    };
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''];
    const { code, stdout } = await bash(args, { cwd: scene.directory, env });
    return {
      code,
      stdout,
      outputs: await readFile(output, 'utf8'),
      summary: await readFile(summary, 'utf8'),
    };
  };
  const savePlan: Job['savePlan'] = async (name = 'fwdsync-plan.json', ...flags) => {
    const { code, stderr } = await scene.run(['plan', '--out', name, ...flags]);
    expect(code, stderr).toBe(0);
  };
  return { scene, github, run, savePlan };
}

function bash(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string | undefined> },
): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    execFile('bash', args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout: stdout + stderr });
    });
  });
}

/** Values of the expressions in the action's steps. A new expression must be added here. */
function evaluate(text: string, values: Readonly<Record<string, string>>): string {
  const known: Readonly<Record<string, string>> = {
    'inputs.file || env.FWDSYNC_FILE': '',
    'inputs.plan': 'fwdsync-plan.json',
    'inputs.arguments': '',
    'inputs.token': TOKEN,
    "!startsWith(github.event_name, 'pull_request') && inputs.state-secret || ''": '',
    'github.token': TOKEN,
    'github.event.pull_request.number': '7',
    'github.workflow': 'fwdsync',
    'secrets.FWDSYNC_API_KEY': 'key-of-the-scene',
    ...values,
  };
  return text.replace(/\$\{\{ (.+?) \}\}/g, (_, expression: string) => {
    expect(Object.keys(known)).toContain(expression);
    return known[expression] ?? '';
  });
}

const actionStep = (name: string): Step => {
  const step = ACTION.runs.steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`the action has no step ${name}`);
  return step;
};

describe('action.yml', () => {
  test('every step with a script names its shell, and no expression stands within a script', () => {
    for (const step of [...ACTION.runs.steps, ...WORKFLOWS.flatMap(stepsOf)]) {
      expect(step.run ?? '').not.toContain('${{');
    }
    for (const step of ACTION.runs.steps.filter(({ run }) => run !== undefined))
      expect(step.shell).toBe('bash');
  });

  test('installs the version of this package', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(ACTION.inputs['package']?.default).toBe(`fwdsync@${version}`);
    expect(read('examples/ci/gitlab/.gitlab-ci.yml')).toContain(`fwdsync@${version}`);
    for (const path of WORKFLOWS) expect(read(path)).toContain(`fwdsync/fwdsync@v${version}`);
  });

  test('validate annotates what is wrong, and fails with 5', async () => {
    const { scene, run } = await job();
    await scene.manifest('domains:\n  acme.example: { alias: {} }\n');
    const { code, stdout } = await run(actionStep('Validate'));
    expect(stdout).toContain('::error file=fwdsync.yaml,line=3,');
    expect(code).toBe(5);
  });

  test('plan saves the plan, writes the summary and the comment, and updates that in place', async () => {
    const people = Array.from({ length: 120 }, (_, id) => ({
      id,
      body: '<!-- fwdsync plan fwdsync -->\nquoted',
      user: { type: 'User' as const },
    }));
    const earlier = {
      id: 120,
      body: '<!-- fwdsync plan fwdsync -->\n**Refused by a guard**',
      user: { type: 'Bot' as const },
    };
    const { scene, github, run } = await job([...people, ...runs([], [earlier])]);
    const own = (): readonly string[] =>
      github.comments.filter(({ user }) => user.type === 'Bot').map(({ body }) => body);
    await scene.manifest('domains:\n  acme.example: { state: absent }\n');
    const allowed = await run(actionStep('Plan'), {
      'inputs.arguments': '--allow-domain-delete acme.example',
    });
    expect(allowed.stdout).toContain('::notice title=fwdsync plan::');
    expect(allowed.summary).toContain('### fwdsync plan');
    expect(allowed.code).toBe(0);
    expect(own()).toEqual([expect.not.stringContaining('**Refused by a guard')]);

    const later: readonly (readonly [string, number])[] = [
      ['domains:\n  acme.example: { state: absent }\n', 4],
      ['domains: { x: 1 }\n', 5],
    ];
    for (const [text, code] of runs(later, [])) {
      await scene.manifest(text);
      expect((await run(actionStep('Plan'))).code).toBe(code);
      expect(own()).toEqual([expect.stringContaining('**Refused by a guard')]);
    }
    expect(people.slice(0, 120).every(({ body }) => body.endsWith('quoted'))).toBe(true);
  });

  const SECRET = "!startsWith(github.event_name, 'pull_request') && inputs.state-secret || ''";

  test('apply keeps its state encrypted with a secret', async () => {
    const { scene, run, savePlan } = await job();
    await savePlan();
    const first = await run(actionStep('Apply'), { [SECRET]: 'of the repository' });
    expect(first).toMatchObject({ code: 0, outputs: '', stdout: expect.stringContaining('undo: ') });
    const kept = await readFile(join(scene.directory, '.fwdsync-state.enc'), 'latin1');
    expect(kept).toMatch(/^Salted__/);
    expect(kept).not.toContain('corp.example');
  });

  test.runIf(IS_FULL)('apply reads that state; what cannot be decrypted begins anew', async () => {
    const { scene, run, savePlan } = await job();
    const apply = (value: string): ReturnType<Job['run']> => run(actionStep('Apply'), { [SECRET]: value });
    await savePlan();
    await apply('of the repository');
    await scene.manifest(MANIFEST.replace('aliases: { info: ana@corp.example }', 'aliases: {}'));
    await savePlan();
    // Only the state knows that the alias was managed.
    expect((await apply('of the repository')).stdout).toContain('no-longer-managed');
    const other = await apply('another');
    expect([other.code, other.stdout]).toEqual([0, expect.stringContaining('so it begins anew')]);
  });

  test('the state is restored and saved by apply alone, and never for a pull request', () => {
    for (const name of ['Restore the state', 'Save the state']) {
      const { if: when = '' } = actionStep(name);
      expect(when).toContain("inputs.command == 'apply' && inputs.state-secret != ''");
      expect(when).toContain("!startsWith(github.event_name, 'pull_request')");
    }
  });

  test('drift fails with 2', async () => {
    const { run } = await job();
    const drifted = await run(actionStep('Check for drift'));
    expect(drifted.stdout).toContain('::error title=fwdsync::The account differs from the manifest');
    expect(drifted.code).toBe(2);
  });

  test.runIf(IS_FULL)('drift ends with 0 where there is none', async () => {
    const { scene, run } = await job();
    await scene.run(['apply', '--yes']);
    expect((await run(actionStep('Check for drift'))).code).toBe(0);
  });
});

describe.each(WORKFLOWS)('%s', (path) => {
  test('may read the contents and nothing else, but where a job says why', () => {
    const { permissions, jobs } = workflow(path);
    expect(permissions).toEqual({ contents: 'read' });
    for (const [name, { permissions: own = {} }] of Object.entries(jobs)) {
      const writes = Object.entries(own).filter(([, access]) => access === 'write');
      expect(writes.length, name).toBeLessThanOrEqual(name === 'plan' ? 1 : 0);
    }
  });

  test('pins what it uses of others to a commit, and keeps no credentials', () => {
    for (const { uses, with: inputs } of [...stepsOf(path), ...ACTION.runs.steps]) {
      if (uses?.startsWith('actions/')) expect(uses).toMatch(/@[0-9a-f]{40}$/);
      if (uses?.startsWith('actions/checkout@')) expect(inputs?.['persist-credentials']).toBe(false);
    }
  });

  test('gives the action only inputs and commands that it has', () => {
    const used = stepsOf(path).filter(({ uses }) => uses?.includes('fwdsync'));
    expect(used.length).toBeGreaterThan(0);
    for (const { with: inputs = {} } of used) {
      for (const name of Object.keys(inputs)) expect(Object.keys(ACTION.inputs)).toContain(name);
      expect(['validate', 'plan', 'apply', 'drift']).toContain(inputs['command']);
    }
  });
});

describe('after the merge', () => {
  const FIND = (): Step =>
    stepsOf('examples/ci/github/merge.yml').find(({ run }) => run?.includes('find-plan')) as Step;
  const inCheckout = (step: Step): Step => ({
    ...step,
    run: step.run?.replace('.fwdsync-action', ROOT) ?? '',
  });

  const REPOSITORY = { id: 7, full_name: 'acme/mail' };
  const pull = (head: object, merged_at: string | null = '2026-01-01') => ({
    merged_at,
    merge_commit_sha: 'abc123',
    head: { sha: 'head1', repo: REPOSITORY, ...head },
  });
  const artifact = (id: number, created_at: string, run: object = {}, expired = false) => ({
    created_at,
    expired,
    workflow_run: { id, head_sha: 'head1', repository_id: 7, head_repository_id: 7, ...run },
  });

  test('finds the last plan of the pull request that was merged', async () => {
    const { github, run } = await job();
    github.answers.set('/commits/abc123/pulls', [pull({ sha: 'other' }, null), pull({})]);
    github.answers.set('/actions/artifacts', {
      artifacts: [artifact(1, '2026-01-01'), artifact(2, '2026-01-03'), artifact(3, '2026-01-04', {}, true)],
    });
    const { code, outputs } = await run(inCheckout(FIND()));
    expect(outputs).toBe('found=true\nname=fwdsync-plan-head1\nrun-id=2\n');
    expect(code).toBe(0);
  });

  test.runIf(IS_FULL)(
    'takes no newer artifact of that name from a run of another commit or of a fork',
    async () => {
      const { github, run } = await job();
      github.answers.set('/commits/abc123/pulls', [pull({})]);
      const forged = [
        artifact(3, '2026-01-04', { head_sha: 'other' }),
        artifact(4, '2026-01-05', { head_repository_id: 8 }),
        artifact(5, '2026-01-06', { repository_id: 8 }),
        { ...artifact(6, '2026-01-07'), workflow_run: null },
      ];
      github.answers.set('/actions/artifacts', { artifacts: [artifact(2, '2026-01-03'), ...forged] });
      expect((await run(inCheckout(FIND()))).outputs).toContain('run-id=2\n');
      github.answers.set('/actions/artifacts', { artifacts: forged });
      expect((await run(inCheckout(FIND()))).outputs).toBe('found=false\n');
    },
  );

  test.runIf(IS_FULL)('the pull request of a fork has no plan', async () => {
    const { github, run } = await job();
    github.answers.set('/commits/abc123/pulls', [
      pull({ repo: { id: 8, full_name: 'eve/mail' } }),
      pull({ repo: null }),
    ]);
    expect((await run(inCheckout(FIND()))).outputs).toBe('found=false\n');
  });

  test.runIf(IS_FULL)('a plan of other manifests than this job applies is stale', async () => {
    const { scene, run, savePlan } = await job();
    await writeFile(join(scene.directory, 'other.yaml'), `version: 1\n${MANIFEST}`);
    await savePlan('fwdsync-plan.json', '-f', 'other.yaml');
    const stale = await run(actionStep('Apply'));
    expect(stale).toMatchObject({ code: 0, outputs: 'stale=true\n' });
    expect(scene.writes()).toEqual([]);
  });

  test.runIf(IS_FULL)(
    'a commit without a pull request has no plan, and GitHub being away is an error',
    async () => {
      const { github, run } = await job();
      expect((await run(inCheckout(FIND()))).code).not.toBe(0);
      github.answers.set('/commits/abc123/pulls', []);
      expect(await run(inCheckout(FIND()))).toMatchObject({ code: 0, outputs: 'found=false\n' });
    },
  );

  test('a plan that is stale again fails with 6', async () => {
    const { run } = await job();
    const step = stepsOf('examples/ci/github/merge.yml').find(({ run: script }) => script === 'exit 6');
    expect((await run(step as Step)).code).toBe(6);
  });

  test.runIf(IS_FULL)(
    'the second of two pull requests is stale once the first is merged: planned again, approved again',
    async () => {
      const { scene, run, savePlan } = await job();
      const second = MANIFEST.replace('info: ana', 'help: ben');
      await scene.manifest(second);
      await savePlan('second.json');
      await scene.manifest(MANIFEST);
      await savePlan('first.json');
      expect((await scene.run(['apply', 'first.json'])).code).toBe(0);
      const both = MANIFEST.replace('{ info', '{ help: ben@corp.example, info');
      await scene.manifest(both);
      const stale = await run(actionStep('Apply'), { 'inputs.plan': 'second.json' });
      expect(stale).toMatchObject({ code: 0, outputs: 'stale=true\n' });
      expect(stale.stdout).toContain('::warning title=fwdsync::The plan is stale');
      expect(stale.stdout).toContain('manifest');
      expect(scene.writes()).toHaveLength(1);
      await savePlan('again.json');
      expect(await run(actionStep('Apply'), { 'inputs.plan': 'again.json' })).toMatchObject({
        code: 0,
        outputs: '',
      });
      expect(scene.writes()).toHaveLength(2);
    },
  );
});

describe('examples/ci/gitlab', () => {
  interface GitlabJob {
    readonly script?: readonly string[];
  }
  const gitlab = parse(read('examples/ci/gitlab/.gitlab-ci.yml')) as Readonly<Record<string, GitlabJob>>;
  const script = (name: string): Step => ({ run: gitlab[name]?.script?.join('\n') ?? 'exit 99' });

  test('has four scripts, and validate fails with 5', async () => {
    const { scene, run } = await job();
    const scripts = Object.entries(gitlab).filter(([, value]) => Array.isArray(value.script));
    expect(scripts.map(([name]) => name).sort()).toEqual(['apply', 'drift', 'plan', 'validate']);
    await scene.manifest('domains:\n  acme.example: { alias: {} }\n');
    expect((await run(script('validate'))).code).toBe(5);
    expect(await readFile(join(scene.directory, 'fwdsync-junit.xml'), 'utf8')).toContain('<failure');
  });

  test.runIf(IS_FULL)('the scripts of plan, apply and drift run', async () => {
    const { scene, run } = await job();
    expect((await run(script('drift'))).code).toBe(2);
    expect((await run(script('plan'))).code).toBe(0);
    expect(await readFile(join(scene.directory, 'fwdsync-plan.md'), 'utf8')).toContain('### fwdsync plan');
    expect((await run(script('apply'))).code).toBe(0);
    await scene.manifest('domains:\n  acme.example: { alias: {} }\n');
    expect((await run(script('plan'))).code).toBe(5);
  });

  test('the plan is a note of the merge request, which later pipelines update', async () => {
    const quoted = { author: { id: 7 }, body: '<!-- fwdsync plan -->\nquoted' };
    const notes: Note[] = Array.from({ length: 120 }, (_, id) => ({ id, ...quoted }));
    const env = {
      PATH: PROGRAM_PATH,
      CI_API_V4_URL: await serveNotes(notes, TOKEN),
      CI_PROJECT_ID: '3',
      CI_MERGE_REQUEST_IID: '7',
      FWDSYNC_GITLAB_TOKEN: TOKEN,
    };
    for (const plan of ['first', 'second']) {
      const line = `echo ${plan} | node examples/ci/gitlab/note.mjs`;
      expect(await bash(['--norc', '-c', line], { cwd: ROOT, env })).toEqual({ code: 0, stdout: '' });
    }
    expect(notes.slice(120).map(({ body }) => body)).toEqual(['<!-- fwdsync plan -->\nsecond\n']);
  });
});
