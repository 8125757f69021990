import { join } from 'node:path';
import type { Imported } from '../../../core/manifest/import/import.ts';
import type { ImportedDomain, LeftOut } from '../../../core/manifest/import/translated.ts';
import {
  importedDomainText,
  leftOutLine,
  manifestHead,
  type WriteForward,
} from '../../../core/manifest/import/write/manifest-text.ts';
import { MAX_FILE_SIZE } from '../../../core/manifest/read/decode.ts';
import { MAX_ENTRIES } from '../../../core/manifest/resolve/context.ts';
import { findGroups } from '../../../core/manifest/write/find-groups.ts';
import type { Context } from '../../context.ts';
import { commandFailure } from '../../exit.ts';
import { makeOutputDirectory, saveText } from '../../output/files.ts';
import { printPieces } from '../../output/output.ts';
import { schemaComment } from '../../output/schema-comment.ts';
import { assertFree } from '../export/export-files.ts';

/** The target of an import; neither a file nor a directory means standard output. */
export interface ImportTarget {
  readonly out?: string;
  readonly outDir?: string;
  /** Replaces files that exist. */
  readonly force?: true;
  /** Names sets of destinations that several entries share. */
  readonly groups?: true;
}

export interface WrittenImport {
  readonly domains: number;
  readonly aliases: number;
  readonly rules: number;
  readonly leftOut: readonly LeftOut[];
  /** Files that were written. */
  readonly files: readonly string[];
}

/** Writes the manifest, and counts its entries. */
export async function writeImport(
  context: Context,
  target: ImportTarget,
  imported: Imported,
  onDomain: (count: number) => void,
): Promise<WrittenImport> {
  const domains = target.groups === true ? [...imported.domains] : imported.domains;
  const { groups, write } = target.groups === true ? groupsOf(domains) : NO_GROUPS;
  const counted = { domains: 0, aliases: 0, rules: 0, leftOut: [...imported.leftOut] };
  const texts = new Map<string, string>();
  for (const domain of domains) {
    texts.set(domain.domain, importedDomainText(domain, write));
    counted.domains += 1;
    counted.aliases += domain.aliases.length;
    counted.rules += domain.rules.length;
    for (const missing of domain.leftOut) counted.leftOut.push(missing);
    onDomain(counted.domains);
  }
  if (counted.aliases + counted.rules > MAX_ENTRIES) throw tooMany(counted.aliases + counted.rules);
  const comments = [...imported.notes, ...imported.leftOut.map(leftOutLine)];
  const { outDir } = target;
  const files =
    outDir === undefined
      ? await writeOne(context, target, { comments, groups, texts })
      : await writeDirectory(context, { ...target, outDir }, { comments, groups, texts });
  return { ...counted, files };
}

interface Texts {
  readonly comments: readonly string[];
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The lines of each domain. */
  readonly texts: ReadonlyMap<string, string>;
}

interface Groups {
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly write: WriteForward;
}

const NO_GROUPS: Groups = { groups: new Map(), write: (forward) => forward };

function groupsOf(domains: Iterable<ImportedDomain>): Groups {
  const entries = Iterator.from(domains).flatMap(({ aliases, rules }) => [...aliases, ...rules]);
  const { groups, nameOf } = findGroups(entries);
  return {
    groups,
    write(forward) {
      const name = nameOf(forward);
      return name === undefined ? forward : [name];
    },
  };
}

async function writeOne(
  context: Context,
  { out, force }: ImportTarget,
  written: Texts,
): Promise<readonly string[]> {
  const { comments, groups, texts } = written;
  const head = `${manifestHead([schemaComment(), ...comments], groups)}\n`;
  const pieces = [head, texts.size === 0 ? 'domains: {}\n' : 'domains:\n', ...texts.values()];
  assertFits(pieces);
  if (out === undefined) {
    await printPieces(context, pieces);
    return [];
  }
  if (force !== true) assertFree(context, [out], FORCE_HINT);
  await saveText(context, out, pieces.join(''));
  return [out];
}

/**
 * Writes one file for each domain, and one more for what they share and for lines without a domain. Its name cannot
 * clash with a domain's file, because a domain name contains a dot.
 */
async function writeDirectory(
  context: Context,
  { outDir, force }: ImportTarget & { readonly outDir: string },
  { comments, groups, texts }: Texts,
): Promise<readonly string[]> {
  const files = new Map<string, readonly string[]>();
  if (groups.size > 0 || comments.length > 0 || texts.size === 0) {
    const domains = groups.size > 0 ? [] : ['\ndomains: {}\n'];
    files.set(SHARED_FILE, [manifestHead([schemaComment(), ...comments], groups), ...domains]);
  }
  for (const [domain, text] of texts) {
    files.set(`${domain}.yaml`, [manifestHead([schemaComment()]), '\ndomains:\n', text]);
  }
  const paths = new Map([...files].map(([name, pieces]) => [join(outDir, name), pieces]));
  for (const pieces of paths.values()) assertFits(pieces);
  await makeOutputDirectory(context, outDir);
  if (force !== true) assertFree(context, paths.keys(), FORCE_HINT);
  for (const [path, pieces] of paths) await saveText(context, path, pieces.join(''));
  return [...paths.keys()];
}

const SHARED_FILE = 'shared.yaml';
const FORCE_HINT = 'name another place, or replace it with --force';

/** Refuses a file that is too large to be read as a manifest. */
function assertFits(pieces: readonly string[]): void {
  const size = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  if (size <= MAX_FILE_SIZE) return;
  const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  throw commandFailure(
    `the manifest would have ${mebibytes(size)} in one file, which may have ${mebibytes(MAX_FILE_SIZE)}`,
    'write one file per domain with --out-dir, or take some of the domains with --domain',
  );
}

function tooMany(entries: number): Error {
  return commandFailure(
    `the manifest would have ${entries} entries, and one may have ${MAX_ENTRIES}`,
    'import the domains in parts, with --domain',
  );
}
