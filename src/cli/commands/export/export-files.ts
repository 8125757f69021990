import { plural } from '../../../core/model/names.ts';
import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { exportDocument, type ExportOptions } from '../../../core/manifest/write/export.ts';
import { groupForwards } from '../../../core/manifest/write/group-forwards.ts';
import { writeManifest } from '../../../core/manifest/write/manifest-yaml.ts';
import type { DesiredApi } from '../../../core/model/desired.ts';
import { KINDS, SECTION_KINDS } from '../../../core/kinds/registry.ts';
import type { Section } from '../../../core/model/kinds.ts';
import type { DomainDocument, ManifestDocument } from '../../../core/model/manifest/manifest-document.ts';
import type { Observed } from '../../../core/model/observed.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { makeOutputDirectory, saveText } from '../../output/files.ts';
import { schemaComment } from '../../output/schema-comment.ts';

/** Target of an export. Without either option it is standard output. */
export interface ExportTarget {
  readonly out?: string;
  readonly outDir?: string;
  /** Replaces existing files. */
  readonly force?: true;
  /** Turns shared sets of destinations into named groups. */
  readonly groups?: true;
}

interface Manner {
  readonly how: Omit<ExportOptions, 'api'>;
  /** API settings of one of many accounts, or of a first manifest. */
  readonly api: DesiredApi;
}

/** Manifests that were written, with a text that says where and how much. */
export interface Written {
  readonly said: string;
  readonly texts: readonly ManifestText[];
}

/** Writes the manifest; null means that it went to standard output. */
export async function writeExport(
  context: Context,
  target: ExportTarget,
  observed: Observed,
  manner: Manner,
): Promise<Written | null> {
  const { out, outDir } = target;
  if (outDir !== undefined) return writeDirectory(context, { ...target, outDir }, observed, manner);
  const stated = exportDocument(observed, { ...manner.how, api: 'stated' });
  const ungrouped = { ...stated, api: { ...stated.api, ...keyPart(manner.api) } };
  const [whole = ungrouped] = withGroups(target, [ungrouped]);
  const text = writeManifest(withSchema(whole));
  if (out === undefined) {
    context.stdout.write(text);
    return null;
  }
  if (observed.unproven.size > 0 && isTaken(context, out)) {
    const said = `${out} is not replaced: it has entries of domains that could not be read`;
    return { said, texts: [] };
  }
  await saveText(context, out, text);
  return { said: `wrote ${out}: ${countsOf(whole)}`, texts: [{ file: out, text }] };
}

/**
 * Writes the account into one file and each domain into another. The account file has what is stated once; each
 * domain file can be read alone.
 */
async function writeDirectory(
  context: Context,
  target: ExportTarget & { readonly outDir: string },
  observed: Observed,
  { how, api }: Manner,
): Promise<Written> {
  const { outDir, force } = target;
  const { member } = context;
  const directory = member === undefined ? outDir : join(outDir, member.name);
  const domains = [...observed.domains.keys()].filter((domain) => !observed.unproven.has(domain));
  const account = exportDocument(observed, { ...how, domains: new Set(), api: 'stated' });
  const files = new Map([
    [ACCOUNT_FILE, member === undefined ? account : accountPart(api)],
    ...domains.map((domain) => {
      const document = exportDocument(observed, { ...how, domains: new Set([domain]), api: 'left-out' });
      return [`${domain}.yaml`, document] as const;
    }),
  ]);
  const documents = withGroups(target, [...files.values()]);
  const paths = new Map(
    [...files.keys()].map((name, index) => [join(directory, name), documents[index] ?? account]),
  );
  await makeOutputDirectory(context, directory);
  if (force !== true) assertFree(context, paths.keys());
  const texts = [...paths].map(([file, document]) => {
    return { file, text: writeManifest(withSchema(document)) };
  });
  for (const { file, text } of texts) await saveText(context, file, text);
  const whole = { ...account, domains: new Map(documents.flatMap((file) => [...file.domains])) };
  return { said: `wrote ${plural(paths.size, 'file')} in ${directory}: ${countsOf(whole)}`, texts };
}

function withGroups(
  { groups }: ExportTarget,
  documents: readonly ManifestDocument[],
): readonly ManifestDocument[] {
  return groups === true ? groupForwards(documents) : documents;
}

/** Refuses to replace existing files. */
export function assertFree(
  context: Context,
  paths: Iterable<string>,
  hint = 'edit it in place with --update, or replace it with --force',
): void {
  const taken = [...paths].find((path) => isTaken(context, path));
  if (taken === undefined) return;
  throw usageError(`${taken} exists: nothing was written`, hint);
}

function isTaken({ cwd }: Context, path: string): boolean {
  return lstatSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined;
}

function withSchema(document: ManifestDocument): ManifestDocument {
  return { ...document, comments: [schemaComment(), ...(document.comments ?? [])] };
}

function countsOf({ domains }: ManifestDocument): string {
  const entries = SECTION_KINDS.map((kind) => {
    const sizes = [...domains.values()].map((domain) => sizeOf(domain[KINDS[kind].section]));
    return plural(
      sizes.reduce((sum, size) => sum + size, 0),
      kind,
    );
  });
  return [plural(domains.size, 'domain'), ...entries].join(', ');
}

function sizeOf(section: DomainDocument[Section] = []): number {
  return 'size' in section ? section.size : section.length;
}

/** File name of the account. It cannot clash with a domain's file, because a domain name contains a dot. */
const ACCOUNT_FILE = 'account.yaml';

/** Returns what each of many accounts has to state, so that the directory works with `--accounts` as it is. */
function accountPart({ account, version, url, ...api }: DesiredApi): ManifestDocument {
  const whole = {
    ...(account === undefined ? {} : { account }),
    ...(version === undefined ? {} : { version }),
    ...(url === undefined ? {} : { url }),
    ...keyPart(api),
  };
  return { version: 1, api: whole, domains: new Map() };
}

/** Returns the reference to the key, never the key. */
function keyPart({ key }: Pick<DesiredApi, 'key'>): Pick<NonNullable<ManifestDocument['api']>, 'key'> {
  return key === undefined ? {} : { key: key.kind === 'env' ? { env: key.name } : { file: key.path } };
}
