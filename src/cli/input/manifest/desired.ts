import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Desired, DesiredApi } from '../../../core/model/desired.ts';
import { showText, type Disclosure } from '../../../core/model/destinations.ts';
import { plural, parseDomainName, type DomainName } from '../../../core/model/names.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import { loadWithReferences, type LoadOptions } from '../../../core/manifest/load.ts';
import { readManifests } from '../../../core/manifest/read/read.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { ManifestSize } from '../../../core/model/prior.ts';
import { manifestSize } from '../../../core/plan/size.ts';
import { keepDomains } from '../../../engine/domain-digests.ts';
import type { Context } from '../../context.ts';
import { CommandError, EXIT, commandFailure, usageError } from '../../exit.ts';
import type { GitTree } from './git-tree.ts';
import { commandLine } from '../../output/command-lines.ts';
import { maskOf } from '../../output/output.ts';
import type { ManifestCounts } from '../../../core/manifest/load.ts';
import { openExcerpt, printInvalid, printProblems } from '../../output/problems/problems.ts';
import { MANIFEST_FILES } from './manifest-files.ts';
import { referenceReader } from '../references/references.ts';
import {
  explicitVersion,
  isInStore,
  manifestPaths,
  namedUrl,
  namesStore,
  resolveStateDirectory,
  type CommonOptions,
} from '../../settings.ts';

export interface ReadOptions {
  /** Whether a reference that is not set is an error, by default a warning, or of no concern. */
  readonly references: 'required' | 'optional' | 'unneeded';
  /** `printed`: in text, to standard error; those that end a command with `--format json` as a document. By default silent. */
  readonly problems: 'printed' | 'errors-printed' | 'silent';
  /** What of a `--domain` that the manifest does not name; by default it is ignored. */
  readonly unnamed: 'refused' | 'ignored';
  /** Where the manifests are read; by default they are files. */
  readonly from?: GitTree | { readonly kind: 'texts'; readonly texts: readonly ManifestText[] };
}

export interface ReadDesired {
  /** Of the whole manifest, `--domain` apart. */
  readonly size: ManifestSize;
  /** Null when the manifest has an error. */
  readonly desired: Desired | null;
  readonly problems: readonly Problem[];
  readonly counts: ManifestCounts;
  /** The manifests that were read. */
  readonly texts: readonly ManifestText[];
}

/** Reads the manifests that the options name, and keeps the domains of `--domain`. */
export async function readDesired(
  context: Context,
  options: CommonOptions,
  how: Partial<ReadOptions> = {},
): Promise<ReadDesired> {
  const { problems: shown = 'silent', unnamed = 'ignored' } = how;
  const texts = await readTexts(context, options, how.from);
  const accounts = options.accounts === undefined ? 'one' : 'many';
  const references = how.references === 'required' ? 'required' : 'optional';
  const load = loadOptions(context, options, { references, accounts });
  const loaded = await loadWithReferences(texts, load, referenceReader(context));
  const { counts } = loaded;
  const problems = maskProblems(concerning(loaded.problems, how), maskOf(options, context));
  if (shown !== 'silent') {
    const excerpt = await openExcerpt(context, options, { problems, texts });
    if (loaded.desired === null) printInvalid(context, options, { problems, counts }, excerpt);
    else if (shown === 'printed') printProblems(context, options, problems.filter(isNotOfPlan), excerpt);
  }
  if (loaded.desired === null) return { desired: null, size: NOTHING, problems, counts, texts };
  const desired = narrow(loaded.desired, options.domain, unnamed);
  return { desired, size: manifestSize(loaded.desired), problems, counts, texts };
}

/** How manifests are loaded here; with `--accounts` each states its key and its account. */
export function loadOptions(
  context: Context,
  options: CommonOptions,
  { references, accounts }: Pick<LoadOptions, 'references'> & { readonly accounts: 'one' | 'many' },
): Omit<LoadOptions, 'resolve'> {
  const named = namedUrl(options, context);
  return {
    references,
    apiVersion: explicitVersion(options, context),
    cwd: context.cwd,
    maxEntries: options.maxEntries ?? maxEntriesOf(context),
    ...(options.domain === undefined ? {} : { only: new Set(options.domain.map(asciiName)) }),
    ...(named === null ? {} : { namedUrl: named }),
    ...(accounts === 'many' ? { required: ['key', 'account'] } : {}),
  };
}

function maxEntriesOf({ env }: Context): number | undefined {
  const text = env['FWDSYNC_MAX_ENTRIES'];
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(
    `FWDSYNC_MAX_ENTRIES is not an integer: ${JSON.stringify(text)}`,
    'set a number, such as 2000000',
  );
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
  options: CommonOptions,
  from: ReadOptions['from'],
): Promise<readonly ManifestText[]> {
  if (from?.kind === 'texts') return from.texts;
  const paths = manifestPaths(options, context);
  if (paths.some(isInStore)) return readFromStore(context, options, paths);
  const leaveOut = resolveStateDirectory(options, context);
  if (from !== undefined)
    return (await import('./git-manifests.ts')).readGitManifests(context, from, { paths, leaveOut });
  const texts = await readManifests(paths, {
    fs: MANIFEST_FILES,
    // Opened only where it is named.
    get stdin() {
      return context.stdin;
    },
    cwd: context.cwd,
    leaveOut,
  });
  if (!texts.ok && isDefaultMissing(context, options)) {
    throw commandFailure(
      'there is no manifest: neither fwdsync.yaml nor fwdsync/ is here',
      `name one with -f, or write one of the live account with: ${commandLine(context, options)('export --out fwdsync.yaml')}`,
    );
  }
  if (!texts.ok) throw commandFailure(texts.error.message, texts.error.hint);
  return texts.value;
}

async function readFromStore(
  context: Context,
  options: CommonOptions,
  paths: readonly string[],
): Promise<readonly ManifestText[]> {
  const [name = ''] = paths.filter(isInStore);
  if (!paths.every(isInStore))
    throw usageError(`${name} cannot be used together with files`, 'give it alone');
  if (!namesStore(options, context))
    throw usageError(`${name} is in a store, and none is named`, 'give --store, or set FWDSYNC_STORE');
  return (await import('../state/store.ts')).readStoredManifests(context, options, paths);
}

function isDefaultMissing({ cwd, env }: Context, { file }: CommonOptions): boolean {
  if (file !== undefined || env['FWDSYNC_FILE']) return false;
  return ['fwdsync.yaml', 'fwdsync'].every((name) => !existsSync(resolve(cwd, name)));
}

/** False for findings that a plan states itself, with what is live. */
function isNotOfPlan({ code }: Problem): boolean {
  return code !== 'overlapping-patterns';
}

export interface RequiredDesired extends Pick<ReadDesired, 'counts' | 'problems' | 'texts'> {
  readonly desired: Desired;
  readonly size: ManifestSize;
}

/** The same for commands that cannot go on without one: an invalid manifest ends them with 5. */
export async function requireDesired(
  context: Context,
  options: CommonOptions,
  { unnamed, warnings }: Pick<ReadOptions, 'unnamed'> & { readonly warnings: 'printed' | 'silent' },
): Promise<RequiredDesired> {
  const { desired, problems, size, counts, texts } = await readDesired(context, options, {
    references: 'required',
    problems: warnings === 'printed' ? 'printed' : 'errors-printed',
    unnamed,
  });
  if (desired !== null) return { desired, size, counts, problems, texts };
  throw invalidManifest(problems);
}

/** An invalid manifest as the end of a command: 5. */
export function invalidManifest(problems: readonly Problem[]): CommandError {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const what = `the manifest is invalid: ${plural(errors, 'error')}`;
  return new CommandError(EXIT.invalid, what, 'fix it; no requests were sent');
}

/**
 * What a command that needs no manifest takes from one: with `--accounts` address, key and account, else nothing. A
 * manifest that is not valid ends it with 5, for what is in it cannot be believed.
 */
export async function ownApi(context: Context, options: CommonOptions): Promise<DesiredApi> {
  if (context.ofAccount === undefined) return {};
  const { desired, problems } = await readDesired(context, options, {
    references: 'unneeded',
    problems: 'printed',
  });
  if (desired !== null) return desired.api;
  throw invalidManifest(problems);
}

export function narrow(
  desired: Desired,
  names: readonly string[] | undefined,
  unnamed: ReadOptions['unnamed'],
): Desired {
  if (names === undefined) return desired;
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

/** As the manifest keys it; a text that is no domain stays as it is, and is the name of none. */
function asciiName(name: string): string {
  const parsed = parseDomainName(name);
  return parsed.ok ? parsed.value : name;
}
