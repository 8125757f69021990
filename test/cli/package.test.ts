import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startEmulator } from '../../src/emulator/http/server.ts';
import { INSTALLED, TARBALL } from '../support/package.ts';
import { IS_FULL, runs } from '../support/share.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const NODE = `node-${process.platform}-${process.arch}`;
const { engines, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  engines: { node: string };
  version: string;
};
const OLDEST = `${engines.node.replace('>=', '')}.0`;

const FOLDERS = ['deploy', 'dist', 'docs', 'examples', 'schemas'];
/** Checks of the package's other files, which need the sources. */
const OF_THE_CHECKOUT = ['deploy/check.sh', 'deploy/check-fleet.sh', 'deploy/podman-arguments.mjs'];

const workspace = mkdtempSync(join(tmpdir(), 'fwdsync-package-'));
const project = join(workspace, 'project');
const prefix = join(workspace, 'global');
const nodesPrefix = join(workspace, 'nodes');
/** Node versions that are too old. */
const TOO_OLD = runs(['20.19.0'], []);
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
const binOf = (node: string): string => join(nodesPrefix, `node_modules/node-${node}/bin`);

/** Installs the package into an empty project. With `npm run prove`, also as the action does, and with the oldest Node. */
beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }\n');
  copyFileSync(join(ROOT, 'examples/library.ts'), join(project, 'library.ts'));
  await Promise.all([
    run('npm', ['install', '--offline', ...quiet, TARBALL], { cwd: project }),
    ...(IS_FULL ? [runInstallStep(), installNodes()] : []),
  ]);
}, 240_000);

async function installNodes(): Promise<void> {
  const nodes = [OLDEST, ...TOO_OLD].map((node) => `node-${node}@npm:${NODE}@${node}`);
  await run('npm', ['install', '--prefix', nodesPrefix, ...quiet, ...nodes], { cwd: workspace });
}

async function runInstallStep(): Promise<void> {
  const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
    runs: { steps: readonly { name?: string; run?: string }[] };
  };
  const script = action.runs.steps.find(({ name }) => name === 'Install')?.run ?? '';
  const env = { ...process.env, PACKAGE: TARBALL, npm_config_prefix: prefix };
  await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd: workspace, env });
}

afterAll(() => {
  rmSync(workspace, { recursive: true, force: true });
});

/** An emulated account and the environment for it, with the oldest Node first on the path. */
async function account() {
  const emulator = await startEmulator({
    apiKey: 'key-of-the-package',
    plan: 'paid',
    now: () => Date.now(),
    sleep: () => Promise.resolve(),
    randomId: randomUUID,
    state: { account: { email: 'owner@account.example' }, domains: [{ domain: 'acme.example' }] },
  });
  onTestFinished(() => emulator.close());
  const env = {
    PATH: [binOf(OLDEST), join(prefix, 'bin'), process.env['PATH']].join(delimiter),
    HOME: workspace,
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_API_KEY: 'key-of-the-package',
    FWDSYNC_STATE_DIR: join(workspace, 'state', randomUUID()),
  };
  writeFileSync(
    join(project, 'fwdsync.yaml'),
    'version: 1\napi: { account: owner@account.example }\ndomains:\n  acme.example:\n    aliases: { info: ana@corp.example }\n',
  );
  return { emulator, env };
}

describe('the npm package', () => {
  test('holds what is needed, and nothing else', async () => {
    const { stdout } = await run('tar', ['tzf', TARBALL]);
    const paths = stdout
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', ''));
    const top = new Set(paths.map((path) => path.replace(/\/.*/, '')));
    expect([...top].sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json', ...FOLDERS].sort(),
    );
    expect(paths).toEqual(
      expect.arrayContaining(
        ['fwdsync.1', 'sbom.cdx.json', 'THIRD-PARTY-NOTICES'].map((name) => `dist/${name}`),
      ),
    );
    for (const folder of FOLDERS.filter((name) => name !== 'dist')) {
      const kept = globSync(`${folder}/**/*`, { cwd: ROOT, exclude: [...OF_THE_CHECKOUT] });
      expect(paths).toEqual(
        expect.arrayContaining(kept.filter((path) => statSync(join(ROOT, path)).isFile())),
      );
    }
    expect(paths.filter((path) => OF_THE_CHECKOUT.includes(path))).toEqual([]);
    expect(stdout).not.toMatch(/\.map$|\/test\/|\/src\/(?!.*\.d\.ts$)/m);
  });

  test('depends on nothing, and takes less than 20 MB', () => {
    const installed = join(INSTALLED, 'lib/node_modules');
    expect(readdirSync(installed)).toEqual(['fwdsync']);
    const files = globSync('**/*', { cwd: installed, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.map((entry) => statSync(join(entry.parentPath, entry.name)).size);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(20_000_000);
    expect(JSON.parse(readFileSync(join(installed, 'fwdsync/package.json'), 'utf8'))).not.toHaveProperty(
      'dependencies',
    );
  });

  test.runIf(IS_FULL)('is the same bytes when it is packed again', async () => {
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', workspace];
    const { stdout } = await run('npm', args, { cwd: join(INSTALLED, 'lib/node_modules/fwdsync') });
    expect(readFileSync(join(workspace, stdout.trim())).equals(readFileSync(TARBALL))).toBe(true);
  });

  test('its command runs in a project that installs it', async () => {
    const command = runs('npx --no-install fwdsync', 'node_modules/.bin/fwdsync');
    const { stdout } = await run('sh', ['-c', `${command} --version`], { cwd: project });
    expect(stdout.trim()).toBe(version);
  });

  test.runIf(IS_FULL)('its command runs on the oldest Node that it names', { timeout: 120_000 }, async () => {
    const { env } = await account();
    const fwdsync = (...args: readonly string[]) => run('fwdsync', args, { cwd: project, env });
    const shown = (await fwdsync('--version', '--verbose')).stdout;
    expect(shown).toContain(`${version}\n`);
    expect(shown).toContain(`node     ${OLDEST}\n`);
    // It validates, plans and applies, and serves the account.
    expect((await fwdsync('demo')).stdout).toContain('The account matches the manifest');
  });

  test.runIf(IS_FULL)('its worker runs what is published in a store', async () => {
    const { emulator, env } = await account();
    const { FWDSYNC_STATE_DIR: _, ...rest } = env;
    const own = { ...rest, FWDSYNC_STORE: await (await sharedPostgres()).createDatabase() };
    const text = `version: 1
api: { account: owner@account.example, key: { env: FWDSYNC_API_KEY } }
domains:
  acme.example:
    aliases: { worker: ana@corp.example }
`;
    writeFileSync(join(project, 'published.yaml'), text);
    await run('fwdsync', ['publish', '-f', 'published.yaml'], { cwd: project, env: own });
    await run('fwdsync', ['run', '--once'], { cwd: project, env: own });
    const aliases = emulator.store.dump().domains[0]?.aliases.map(({ alias }) => alias);
    expect(aliases).toContain('worker');
  });

  test.each(TOO_OLD)('on Node %s its command says in one line which it needs', async (node) => {
    const command = join(project, 'node_modules/fwdsync/dist/fwdsync.js');
    const result = await run(join(binOf(node), 'node'), [command, 'validate']).catch(
      (error: unknown) => error,
    );
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `fwdsync needs Node ${engines.node.replace('>=', '')} or later; this is Node ${node}\n`,
    });
  });

  test('the library: its example runs', async () => {
    const { emulator, env } = await account();
    const { stdout } = await run('node', ['--experimental-strip-types', '--no-warnings', 'library.ts'], {
      cwd: project,
      env,
    });
    expect(stdout).toContain('add alias info of acme.example\nconverged\n');
    const exported = parse(stdout.slice(stdout.indexOf('version: 1'))) as { domains: object };
    expect(exported.domains).toMatchObject({ 'acme.example': { aliases: { info: 'ana@corp.example' } } });
    expect(emulator.store.dump().domains[0]?.aliases).toHaveLength(1);
  });

  test.runIf(IS_FULL)('the library: its example type checks against the types that it ships', async () => {
    const flags = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--skipLibCheck'];
    const types = [
      '--typeRoots',
      join(ROOT, 'node_modules/@types'),
      '--types',
      'node',
      '--allowImportingTsExtensions',
    ];
    const tsc = await run(join(ROOT, 'node_modules/.bin/tsc'), [...flags, ...types, 'library.ts'], {
      cwd: project,
    }).catch((error: unknown) => error as { readonly stdout: string });
    expect(tsc.stdout).toBe('');
  });
});
