import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, inDirectory, measureBins } from '../processes.ts';
import type { Section } from '../section.ts';

const ROUNDS = 21;
const MANIFESTS = 100;
const ALIASES = 50;

/** Measures the cost of every commit: the published command with small input, compared with an empty Node process. */
export async function measureStart(): Promise<Section> {
  const costs = await inDirectory(async (directory) => {
    const command = build(directory);
    const manifest = join(directory, 'fwdsync.yaml');
    writeFileSync(manifest, manifestOf(0, 'ana'));
    const [idle, staged] = [repository(directory, 'idle'), repository(directory, 'staged')];
    writeFileSync(join(staged, 'fwdsync/domain-7.yaml'), manifestOf(7, 'bea'));
    git(staged, 'add', '.');
    const env = { HOME: directory };
    return measureBins(
      {
        'node -e 0': { args: ['-e', '0'] },
        '--version': { args: [command, '--version'], env },
        [`validate, ${ALIASES} aliases`]: { args: [command, 'validate', '-f', manifest], env },
        'validate --staged, none staged': { args: [command, 'validate', '--staged'], cwd: idle, env },
        [`validate --staged, one of ${MANIFESTS} manifests staged`]: {
          args: [command, 'validate', '--staged'],
          cwd: staged,
          env,
        },
      },
      ROUNDS,
    );
  });
  const floor = costs['node -e 0'] ?? 1;
  return {
    title: 'Start-up',
    text: [
      'The cost of a hook at every commit: CPU seconds of the published command and of the processes that it ' +
        `starts, in turn, medians of ${ROUNDS} rounds. The repository has ${MANIFESTS} manifests of ${ALIASES} ` +
        'aliases each. If one of them is staged, all are checked.',
      "`build.ts` compiles the schema to code. [Node's compiled code is " +
        'kept](decisions/0009-what-node-compiled-is-kept.md) for the next start. Only the options of the command ' +
        'that runs are loaded.',
    ],
    head: ['command', 'CPU seconds', 'times `node -e 0`'],
    rows: Object.entries(costs).map(([name, cpu]) => [
      `\`${name}\``,
      cpu.toFixed(3),
      (cpu / floor).toFixed(1),
    ]),
    figures: [
      {
        name: `\`validate\` of ${ALIASES} aliases / \`node -e 0\``,
        value: (costs[`validate, ${ALIASES} aliases`] ?? 0) / floor,
        atMost: 4,
      },
    ],
  };
}

function repository(directory: string, name: string): string {
  const root = join(directory, name);
  mkdirSync(join(root, 'fwdsync'), { recursive: true });
  for (let index = 0; index < MANIFESTS; index += 1) {
    writeFileSync(join(root, `fwdsync/domain-${index}.yaml`), manifestOf(index, 'ana'));
  }
  git(root, 'init', '--quiet');
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '--message', 'Begin');
  return root;
}

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@corp.example'];
  execFileSync('git', [...identity, ...args], { cwd });
}

function manifestOf(domain: number, forward: string): string {
  const aliases = Array.from(
    { length: ALIASES },
    (_, index) => `      name-${index}: ${forward}${index}@corp.example\n`,
  );
  return `version: 1\ndomains:\n  domain-${domain}.example:\n    aliases:\n${aliases.join('')}`;
}
