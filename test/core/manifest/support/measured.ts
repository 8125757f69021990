import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILED, ENTRY } from '../../../support/program.ts';

/** The program as it is in the repository. */
export const SOURCES = join(import.meta.dirname, '../../../../src/cli/main.ts');
const WITNESS = join(import.meta.dirname, 'witness.ts');

export interface Measured {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Wall-clock time. */
  readonly seconds: number;
  /** CPU time of all its threads. */
  readonly cpuSeconds: number;
  /** Peak memory. */
  readonly mebibytes: number;
  /** Packages of node_modules that were loaded, sorted. */
  readonly packages: readonly string[];
  /** Other files that were loaded. */
  readonly files: readonly string[];
  /** Packages in these files, from the bundler's comments. */
  readonly bundled: readonly string[];
}

/** Output of test/core/manifest/support/witness.ts. */
interface Testimony {
  readonly urls: readonly string[];
  readonly kibibytes: number;
  readonly microseconds: number;
}

export interface MeasureOptions {
  /** The program; by default the published one. */
  readonly program?: string;
  readonly stdin?: string | Uint8Array;
  /** undefined removes a default variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Sends it SIGTERM once it has printed this to standard output. */
  readonly endAt?: string;
  /** Kills it after this many milliseconds; by default after a minute. */
  readonly timeout?: number;
  /** Runs it as this user, which only root can. */
  readonly uid?: number;
}

/** Runs the real command as a child process that reports loaded files, CPU time and memory. Kills it after a minute. */
export async function measure(args: readonly string[], options: MeasureOptions = {}): Promise<Measured> {
  const program = options.program ?? ENTRY;
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    NODE_COMPILE_CACHE: COMPILED,
    ...options.env,
  };
  const uid = options.uid === undefined ? {} : { uid: options.uid };
  const started = performance.now();
  const { code, stdout, stderr } = await new Promise<Pick<Measured, 'code' | 'stdout' | 'stderr'>>(
    (settle) => {
      const child = execFile(
        process.execPath,
        ['--import', WITNESS, program, ...args],
        { env, ...uid, timeout: options.timeout ?? 60_000, maxBuffer: 64 * 1024 * 1024 },
        (_, stdout, stderr) => settle({ code: child.exitCode, stdout, stderr }),
      );
      const { endAt } = options;
      let printed = '';
      const read = (chunk: unknown): void => {
        printed += String(chunk);
        // A second signal would end it before it has written its report.
        if (printed.includes(endAt ?? '') && !child.killed) child.kill('SIGTERM');
      };
      if (endAt !== undefined) child.stdout?.on('data', read);
      child.stdin?.on('error', () => {}); // it may end before it has read
      child.stdin?.end(options.stdin ?? '');
    },
  );
  const seconds = (performance.now() - started) / 1000;
  const [said = '', testimony = '{"urls":[],"kibibytes":0,"microseconds":0}'] = stderr.split('\u0000');
  const { urls, kibibytes, microseconds } = JSON.parse(testimony) as Testimony;
  const names = urls.map((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
  const files = urls.filter((_, index) => names[index] === undefined);
  return {
    code,
    stdout,
    stderr: said,
    seconds,
    cpuSeconds: microseconds / 1e6,
    mebibytes: kibibytes / 1024,
    packages: [...new Set(names.filter((name) => name !== undefined))].sort(),
    files,
    bundled: [...new Set(files.flatMap(bundledIn))].sort(),
  };
}

function bundledIn(url: string): readonly string[] {
  const origins = readFileSync(fileURLToPath(url), 'utf8').matchAll(
    /^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm,
  );
  return Array.from(origins, ([, name = '']) => name);
}
