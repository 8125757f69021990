import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Desired, DesiredApi } from '../../../core/model/desired.ts';
import { showText, type Disclosure } from '../../../core/model/destinations.ts';
import { parseDomainName, type DomainName } from '../../../core/model/names.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import { loadWithReferences, type LoadOptions } from '../../../core/manifest/load.ts';
import { readManifests } from '../../../core/manifest/read/read.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { ManifestSize } from '../../../core/model/prior.ts';
import { manifestSize } from '../../../core/plan/size.ts';
import { keepDomains } from '../../../engine/domain-digests.ts';
import type { Context } from '../../context.ts';
import { commandFailure, usageError } from '../../exit.ts';
import type { GitTree } from './git-tree.ts';
import { commandLine } from '../../output/command-lines.ts';
import type { ManifestCounts } from '../../../core/manifest/load.ts';
import { invalidManifest, openExcerpt, printProblems } from '../../output/problems/problems.ts';
import { MANIFEST_FILES } from './manifest-files.ts';
import { referenceReader } from '../references/references.ts';
import { assertOneDefault, isInStore, type ManifestSettings } from '../../settings/resolve-settings.ts';

export interface ReadOptions {
  /** The handling of a reference that is not set: an error, a warning (the default), or ignored. */
  readonly references: 'required' | 'optional' | 'unneeded';
  /** The handling of a `--domain` that the manifest does not name. Default: ignored. */
  readonly unnamed: 'refused' | 'ignored';
  /** Source of the manifests. Default: files. */
  readonly from?: GitTree | { readonly kind: 'texts'; readonly texts: readonly ManifestText[] };
}

export interface ReadDesired {
  /** Size of the whole manifest, regardless of `--domain`. */
  readonly size: ManifestSize;
  /** null if the manifest has an error. */
  readonly desired: Desired | null;
  readonly problems: readonly Problem[];
  readonly counts: ManifestCounts;
  /** The manifests that were read. */
  readonly texts: readonly ManifestText[];
}

/** Reads the manifests that the settings name, and keeps the domains of `--domain`. Prints nothing. */
export async function readDesired(
  context: Context,
  manifest: ManifestSettings,
  how: Partial<ReadOptions> = {},
): Promise<ReadDesired> {
  const texts = await readTexts(context, manifest, how.from);
  const references = how.references === 'required' ? 'required' : 'optional';
  const load = loadOptions(context, manifest, references);
  const { counts, ...loaded } = await loadWithReferences(texts, load, referenceReader(context));
  const problems = maskProblems(concerning(loaded.problems, how), context.mask);
  if (loaded.desired === null) return { desired: null, size: NOTHING, problems, counts, texts };
  const desired = narrow(loaded.desired, manifest.domains, how.unnamed ?? 'ignored');
  return { desired, size: manifestSize(loaded.desired), problems, counts, texts };
}

/** Returns the options for loading manifests. Each of many accounts must state its key and its account. */
export function loadOptions(
  { cwd }: Pick<Context, 'cwd'>,
  { apiUrl, apiVersion, maxEntries, domains, owner }: ManifestSettings,
  references: LoadOptions['references'],
): Omit<LoadOptions, 'resolve'> {
  return {
    references,
    apiVersion,
    cwd,
    maxEntries,
    ...(domains === null ? {} : { only: new Set(domains.map(asciiName)) }),
    ...(apiUrl === null ? {} : { namedUrl: apiUrl }),
    ...(owner === 'sole' ? {} : { required: ['key', 'account'] }),
  };
}

const NOTHING: ManifestSize = { domains: new Set(), entries: 0 };

function concerning(problems: readonly Problem[], { references }: Partial<ReadOptions>): readonly Problem[] {
  return references === 'unneeded' ? problems.filter(({ code }) => code !== 'reference-not-set') : problems;
}

function maskProblems(problems: readonly Problem[], mask: Disclosure['mask']): readonly Problem[] {
  if (mask === false) return problems;
  const show = (text: string): string => showText(text, { references: new Map(), mask });
  return problems.map((problem) => ({
    ...problem,
    message: show(problem.message),
    hint: show(problem.hint),
  }));
}

async function readTexts(
  context: Context,
  manifest: ManifestSettings,
  from: ReadOptions['from'],
): Promise<readonly ManifestText[]> {
  if (from?.kind === 'texts') return from.texts;
  assertOneDefault(manifest);
  const { paths, stateDirectory: leaveOut } = manifest;
  if (paths.some(isInStore)) return readFromStore(context, manifest);
  if (from !== undefined)
    return (await import('./git-manifests.ts')).readGitManifests(context, from, { paths, leaveOut });
  const texts = await readManifests(paths, {
    fs: MANIFEST_FILES,
    // Opened only if it is named.
    get stdin() {
      return context.stdin;
    },
    cwd: context.cwd,
    leaveOut,
  });
  if (texts.ok) return texts.value;
  if (manifest.source !== 'default' || existsSync(resolve(context.cwd, paths[0] ?? '')))
    throw commandFailure(texts.error.message, texts.error.hint);
  throw commandFailure(
    'there is no manifest: neither fwdsync.yaml nor fwdsync/ is here',
    `name one with -f, or write one of the live account with: ${commandLine(context)('export --out fwdsync.yaml')}`,
  );
}

async function readFromStore(
  context: Context,
  { paths, store }: ManifestSettings,
): Promise<readonly ManifestText[]> {
  const [name = ''] = paths.filter(isInStore);
  if (!paths.every(isInStore))
    throw usageError(`${name} cannot be used together with files`, 'give it alone');
  if (store === null)
    throw usageError(`${name} is in a store, but no store is given`, 'give --store, or set FWDSYNC_STORE');
  return (await import('../state/open-store.ts')).readStoredManifests(context, store, paths);
}

/** False for findings that a plan reports itself, together with the live state. */
function isNotOfPlan({ code }: Problem): boolean {
  return code !== 'overlapping-patterns';
}

export interface ValidDesired extends ReadDesired {
  readonly desired: Desired;
}

/** Reads manifests for a command that needs valid ones. Otherwise prints the problems and ends the command with 5. */
export async function readValid(
  context: Context,
  manifest: ManifestSettings,
  { warnings, ...how }: Partial<ReadOptions> & { readonly warnings: 'printed' | 'silent' },
): Promise<ValidDesired> {
  const read = await readDesired(context, manifest, how);
  const { desired, problems, texts, counts } = read;
  const excerpt = await openExcerpt(context, { problems, texts });
  if (desired === null) throw invalidManifest(context, { problems, counts, excerpt });
  if (warnings === 'printed') printProblems(context, problems.filter(isNotOfPlan), excerpt);
  return { ...read, desired };
}

/**
 * Returns the address, key and account that one of many accounts states, for a command that needs no manifest. An
 * invalid manifest ends the command with 5, because its content cannot be trusted.
 */
export async function ownApi(context: Context, manifest: ManifestSettings): Promise<DesiredApi> {
  if (context.member === undefined) return {};
  const { desired } = await readValid(context, manifest, { references: 'unneeded', warnings: 'printed' });
  return desired.api;
}

export function narrow(
  desired: Desired,
  names: readonly string[] | null,
  unnamed: ReadOptions['unnamed'],
): Desired {
  if (names === null) return desired;
  if (unnamed === 'refused') assertNamed(desired, names);
  const wanted = new Set(names.map(asciiName));
  return keepDomains(desired, (name) => wanted.has(name));
}

function assertNamed(desired: Desired, names: readonly string[]): void {
  for (const name of names) {
    if (desired.domains.has(asciiName(name) as DomainName)) continue;
    throw usageError(`--domain ${name}: the manifest does not name it`, 'check the spelling');
  }
}

/** Returns a domain as the manifest's key. Other text is unchanged and matches no domain. */
function asciiName(name: string): string {
  const parsed = parseDomainName(name);
  return parsed.ok ? parsed.value : name;
}
