// How long the git hook takes: `node bench/hook.ts [--json]`. A repository with 100 manifests of 50 aliases each, the
// command as it is installed (dist/, built first), against a Node that does nothing.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const COMMAND = join(ROOT, 'dist/fwdsync.js');
const ROUNDS = 21;

const directory = mkdtempSync(join(tmpdir(), 'fwdsync-hook-'));
const git = (...args: readonly string[]): void => {
  const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@corp.example'];
  execFileSync('git', [...identity, ...args], { cwd: directory });
};

try {
  execFileSync(process.execPath, ['build.ts'], { cwd: ROOT, stdio: 'inherit' });
  writeManifests();
  const nothing = measure(['-e', '0']);
  const none = measure([COMMAND, 'validate', '--staged']);
  writeFileSync(join(directory, 'fwdsync/domain-7.yaml'), manifest(7, 'bea'));
  git('add', '.');
  const staged = measure([COMMAND, 'validate', '--staged']);
  print({ nothing, none, staged });
} finally {
  rmSync(directory, { recursive: true });
}

function writeManifests(): void {
  mkdirSync(join(directory, 'fwdsync'));
  for (let index = 0; index < 100; index += 1) {
    writeFileSync(join(directory, `fwdsync/domain-${index}.yaml`), manifest(index, 'ana'));
  }
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
}

function manifest(domain: number, forward: string): string {
  const aliases = Array.from(
    { length: 50 },
    (_, index) => `      name-${index}: ${forward}${index}@corp.example\n`,
  );
  return `version: 1\ndomains:\n  domain-${domain}.example:\n    aliases:\n${aliases.join('')}`;
}

/** Seconds; the least, after one round that fills the caches: what else the machine does only adds. */
function measure(args: readonly string[]): number {
  const seconds = Array.from({ length: ROUNDS + 1 }, () => {
    const begun = performance.now();
    execFileSync(process.execPath, args, { cwd: directory, stdio: 'ignore' });
    return (performance.now() - begun) / 1000;
  });
  return Math.min(...seconds.slice(1));
}

function print(seconds: Readonly<Record<'nothing' | 'none' | 'staged', number>>): void {
  if (process.argv.includes('--json')) return console.log(JSON.stringify(seconds));
  const row = (label: string, value: number): string =>
    `${label.padEnd(24)}${value.toFixed(3)} s  ${(value / seconds.nothing).toFixed(1)} times node -e 0`;
  console.log(row('node -e 0', seconds.nothing));
  console.log(row('no manifest is staged', seconds.none));
  console.log(row('a manifest is staged', seconds.staged));
}
