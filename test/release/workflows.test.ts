import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import pkg from '../../package.json' with { type: 'json' };
import { loadWorkflowParser } from './support/workflow-parser.ts';

const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await loadWorkflowParser();

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['.github/workflows', 'examples/ci/github'];
const FILES = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)));
const OWN = FILES.filter((file) => file.startsWith('.github/'));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
}

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflow = (path: string): Workflow => parse(read(path)) as Workflow;
const jobsOf = (path: string): readonly Job[] => Object.values(workflow(path).jobs);
const stepsOf = (path: string): readonly Step[] => jobsOf(path).flatMap(({ steps = [] }) => steps);

/** Parses with GitHub's own parser, by its schema of workflows. Returns the errors. */
async function errorsOf(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

describe.each(FILES)('%s', (file) => {
  test('matches the schema of workflows', async () => {
    expect(await errorsOf(file, read(file))).toEqual([]);
  });
});

describe.each(OWN)('%s', (file) => {
  test('grants nothing but what each job states', () => {
    expect(workflow(file).permissions).toEqual({});
    for (const { permissions } of jobsOf(file)) expect(permissions).toBeDefined();
  });

  test('ends each job in time', () => {
    for (const job of jobsOf(file)) expect(job.uses ?? job['timeout-minutes']).toBeDefined();
  });

  test('pins every action to a commit, with its version, and keeps no credentials', () => {
    const uses = [...read(file).matchAll(/uses: (.*)$/gm)].map(([, text = '']) => text);
    expect(uses).not.toEqual([]);
    for (const text of uses)
      expect(text).toMatch(/^(?:\.\/\.github\/workflows\/[\w.]+|[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
    for (const step of stepsOf(file))
      if (step.uses?.startsWith('actions/checkout@')) expect(step.with?.['persist-credentials']).toBe(false);
  });

  test('puts no expression into a script, where it would be run', () => {
    expect(stepsOf(file).filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });
});

test('an action is pinned to the same commit everywhere', () => {
  const texts = [...FILES, 'action.yml'].map(read).join('\n');
  const pinned = [...texts.matchAll(/uses: ([\w/-]+)@([0-9a-f]{40})/g)];
  const commits = Map.groupBy(pinned, ([, name]) => name);
  for (const [name, found] of commits)
    expect([name, new Set(found.map(([, , commit]) => commit)).size]).toEqual([name, 1]);
});

test('a wrong key, a wrong permission and a job that is not there are noticed', async () => {
  const wrong = (change: (text: string) => string): Promise<readonly string[]> =>
    errorsOf('release.yml', change(read('.github/workflows/release.yml')));
  expect(await wrong((text) => text.replace('runs-on:', 'run-on:'))).not.toEqual([]);
  expect(await wrong((text) => text.replace('id-token: write', 'id-token: always'))).not.toEqual([]);
  expect(await wrong((text) => text.replace('needs: pack', 'needs: package'))).not.toEqual([]);
});

test('tests run on the oldest Node that the package names, and on that of development', () => {
  const [job] = jobsOf('.github/workflows/ci.yml');
  const [major = ''] = pkg.devDependencies.node.split('.');
  expect(job?.strategy?.matrix.node).toEqual([pkg.engines.node.replace('>=', ''), major]);
  expect(job?.steps?.at(-1)?.run).toBe('bash .ci/run');
});
