/** An account that differs from its manifest in one alias of a hundred, written as files. */
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface AccountFiles {
  /** State file of the live account, for the emulator. */
  readonly state: string;
  /** A directory of manifests. */
  readonly manifest: string;
  /** The desired state as JSON, for the floor. */
  readonly desired: string;
}

export const EMAIL = 'owner@account.example';

/** Aliases per thousand with another destination, and with another name, which means one added and one deleted. */
const DIFFERENT = 6;
const RENAMED = 2;

interface Size {
  readonly domains: number;
  readonly aliases: number;
  readonly files: number;
}

/** Writes `domains` x `aliases` (a multiple of 1,000 in total), with the manifest in `files` files. */
export function writeAccount(directory: string, { domains, aliases, files }: Size): AccountFiles {
  const paths = {
    state: join(directory, 'state.json'),
    manifest: join(directory, 'fwdsync'),
    desired: join(directory, 'desired.json'),
  };
  const names = Array.from({ length: domains }, (_, index) => `domain${index}.example`);
  writePieces(paths.desired, desiredPieces(names, aliases));
  writePieces(paths.state, statePieces(names, aliases));
  mkdirSync(paths.manifest);
  const each = Math.ceil(domains / files);
  for (let file = 0; file < files; file += 1) {
    const own = names.slice(file * each, (file + 1) * each);
    const head =
      file === 0
        ? `version: 1\napi: { account: ${EMAIL} }\nguards: { max_deletes: 100000 }\n`
        : 'version: 1\n';
    writePieces(join(paths.manifest, `part${file}.yaml`), manifestPieces(head, own, aliases));
  }
  return paths;
}

function* manifestPieces(head: string, names: readonly string[], aliases: number): Generator<string> {
  yield `${head}domains:\n`;
  for (const name of names) {
    yield `  ${name}:\n    prune: true\n    aliases:\n`;
    yield wantedAliases(aliases)
      .map(([alias, forward]) => `      ${alias}: ${forward.includes(',') ? `[${forward}]` : forward}\n`)
      .join('');
  }
}

function* desiredPieces(names: readonly string[], aliases: number): Generator<string> {
  const wanted = JSON.stringify(Object.fromEntries(wantedAliases(aliases)));
  for (const [index, name] of names.entries())
    yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:${wanted}`;
  yield '}';
}

function* statePieces(names: readonly string[], aliases: number): Generator<string> {
  yield `{"account":{"email":${JSON.stringify(EMAIL)}},"domains":[`;
  const live = JSON.stringify(liveAliases(aliases).map(([alias, forward]) => ({ alias, forward })));
  for (const [index, domain] of names.entries())
    yield `${index === 0 ? '' : ','}{"domain":"${domain}","aliases":${live}}`;
  yield ']}';
}

function wantedAliases(count: number): readonly (readonly [alias: string, forward: string])[] {
  return Array.from({ length: count }, (_, index) => [`user${index}`, forwardOf(index)] as const);
}

function liveAliases(count: number): readonly (readonly [alias: string, forward: string])[] {
  return wantedAliases(count).map(([alias, forward], index) => {
    const place = (index * 7) % 1000;
    if (place < DIFFERENT) return [alias, `former${index}@corp.example`];
    if (place < DIFFERENT + RENAMED) return [`gone-${index}`, forward];
    return [alias, forward];
  });
}

function forwardOf(index: number): string {
  return index % 10 === 0 ? 'ana@corp.example,ben@corp.example' : `person${index}@corp.example`;
}

function writePieces(path: string, pieces: Iterable<string>): void {
  const file = openSync(path, 'w');
  for (const piece of pieces) writeFileSync(file, piece);
  closeSync(file);
}
