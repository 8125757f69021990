import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { BUILD } from './build.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

const ROOT = join(import.meta.dirname, '../..');

let server: Server | undefined;
let postgres: Promise<TestPostgres> | undefined;
let built: Promise<string> | undefined;
let packed: Promise<string> | undefined;

/** Resources that all test files share, by path. The first request creates a resource; each request returns its place. */
const SHARED: Readonly<Record<string, () => Promise<string>>> = {
  '/postgres': async () => String((await (postgres ??= startPostgres())).port),
  '/package': () => (packed ??= pack()),
  '/program': async () => join(await (built ??= buildProgram()), 'bin/fwdsync'),
};

export async function setup(project: TestProject): Promise<void> {
  server = createServer(({ url = '' }, response) => {
    SHARED[url]?.().then(
      (where) => response.end(where),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('sharedPort', (server.address() as AddressInfo).port);
}

export async function teardown(): Promise<void> {
  server?.close();
  await (await postgres)?.stop();
  for (const made of [built, packed]) if (made !== undefined) await rm(await made, { recursive: true });
}

/** A directory with dist/ as in the published package, and a command that keeps its compile cache beside it. */
async function buildProgram(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fwdsync-built-'));
  await chmod(directory, 0o755); // some run it as another user
  await promisify(execFile)(process.execPath, [join(ROOT, 'build.ts'), join(directory, 'dist')], {
    env: { ...process.env, ...BUILD },
  });
  for (const name of ['examples', 'schemas']) await symlink(join(ROOT, name), join(directory, name));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  // Without the flag, each process uses a fifth of its time to optimize the HTTP parser.
  const node = `NODE_COMPILE_CACHE=${directory}/compiled exec "${process.execPath}" --liftoff-only`;
  const line = `${node} ${directory}/dist/fwdsync.js "$@"`;
  await mkdir(join(directory, 'bin'));
  await writeFile(join(directory, 'bin/fwdsync'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return directory;
}

/** Directories to leave out of the copy: those that packing does not read, and dist/, which must not be rebuilt while others use it. */
const NOT_PACKED: ReadonlySet<string> = new Set([
  '.git',
  'bench',
  'coverage',
  'dist',
  'node_modules',
  'test',
]);

/** A directory with the npm package as fwdsync.tgz, and with `global/`, where npm has installed it without a network. */
async function pack(): Promise<string> {
  const run = promisify(execFile);
  const directory = await mkdtemp(join(tmpdir(), 'fwdsync-packed-'));
  const source = join(directory, 'source');
  for (const name of await readdir(ROOT)) {
    if (!NOT_PACKED.has(name)) await cp(join(ROOT, name), join(source, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  const env = {
    ...process.env,
    ...BUILD,
    PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    npm_config_cache: join(directory, 'npm'),
  };
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', directory], {
    cwd: source,
    env,
  });
  const tarball = join(directory, 'fwdsync.tgz');
  await rename(join(directory, stdout.trim().split('\n').at(-1) ?? ''), tarball);
  await run('npm', ['install', '--global', '--offline', '--prefix', join(directory, 'global'), tarball], {
    env,
  });
  await rm(source, { recursive: true });
  return directory;
}
