import type { Desired } from '../model/desired.ts';
import type { DomainName } from '../model/names.ts';
import type { FindingSubject } from '../model/lint/findings.ts';
import type { Problem } from '../model/manifest/problem.ts';
import { readApi, versionOf } from './resolve/api.ts';
import { assemble } from './resolve/assemble.ts';
import type { LoadOptions, Loading, NeededReferences, ReadReferences } from './resolve/context.ts';
import { checkFinalNewline, decodeManifest } from './read/decode.ts';
import { createDestinationBook } from './resolve/values/destination-values.ts';
import { digestOf } from './digest.ts';
import { readDomains, type ReadDomain } from './resolve/domains.ts';
import { checkExpectations, readExpectations } from './check/expect.ts';
import { readLint } from './resolve/lint.ts';
import { createSubjects } from './subjects.ts';
import { isSilenced } from '../model/lint/silence.ts';
import { readGuards } from './resolve/guards.ts';
import { createGaps } from './check/lint/gaps.ts';
import { reportLint } from './check/lint/lint.ts';
import { reportSimilarDestinations } from './check/lint/similar-destinations.ts';
import { reportLoops } from './check/loops.ts';
import type { Node } from './read/node.ts';
import { createProblemLog, type ProblemLog } from './problems.ts';
import { checkShape } from './schema/schema.ts';
import { parseDocuments, type Documents } from './read/syntax.ts';
import type { ManifestText } from './read/text.ts';
import { referencesIn, keysInText } from './resolve/needed-references.ts';

export type { LoadOptions, NeededReferences, ReadReferences } from './resolve/context.ts';
export type { ManifestText } from './read/text.ts';

export interface LoadedManifest {
  /** All errors, warnings and notices, in order of position. */
  readonly problems: readonly Problem[];
  /** null if there is any error. */
  readonly desired: Desired | null;
  /** Counts after templates are expanded. */
  readonly counts: ManifestCounts;
}

export interface ManifestCounts {
  readonly files: number;
  readonly domains: number;
  readonly aliases: number;
  readonly rules: number;
  /** Number of findings that `lint.off` hid. */
  readonly silenced: number;
}

/** Loads texts into a desired state, or returns the errors that prevent it. Pure except for `options.resolve`. */
export function loadManifest(texts: readonly ManifestText[], options: LoadOptions): LoadedManifest {
  return loadDocuments(parseManifest(texts), options);
}

/**
 * Loads texts like `loadManifest`, if reading the values behind references takes time: `read` is called once for all
 * of them.
 */
export async function loadWithReferences(
  texts: readonly ManifestText[],
  options: Omit<LoadOptions, 'resolve'>,
  read: ReadReferences,
): Promise<LoadedManifest> {
  const parsed = parseManifest(texts);
  const resolve = await read(neededOf(parsed, options));
  return loadDocuments(parsed, { ...options, resolve });
}

/** Loads a document of this version that was not read from a text. */
export function loadTree(document: Node, log: ProblemLog, options: LoadOptions): LoadedManifest {
  checkShape(document, log);
  return loadDocuments(
    { log, documents: [document], completeness: 'complete', broken: [], files: [] },
    options,
  );
}

/** Returns all references that can be read, despite errors. */
export function findReferences(
  texts: readonly ManifestText[],
  options: Pick<LoadOptions, 'cwd'>,
): NeededReferences {
  return neededOf(parseManifest(texts), { ...options, references: 'optional' });
}

function neededOf(
  { documents, broken }: ParsedManifest,
  options: Pick<LoadOptions, 'cwd' | 'references'>,
): NeededReferences {
  const { keys, others } = referencesIn(documents, options);
  return { keys: [...keys, ...broken.flatMap((text) => keysInText(text, options.cwd))], others };
}

interface ParsedManifest {
  readonly log: ProblemLog;
  readonly documents: readonly Node[];
  readonly completeness: 'complete' | 'incomplete';
  /** Texts that could only be read in part. */
  readonly broken: readonly ManifestText[];
  readonly files: readonly string[];
}

function loadDocuments(parsed: ParsedManifest, options: LoadOptions): LoadedManifest {
  const { log, documents, completeness, files } = parsed;
  const manifest = assemble(documents, completeness, log);
  const destinations = createDestinationBook(manifest, options, log);
  const loading: Loading = { log, options, completeness, destinations };
  const api = readApi(manifest.api, documents[0], loading);
  const guards = readGuards(manifest.guards, loading);
  const off = manifest.lint.flatMap((lint) => readLint(lint, log));
  const read = readDomains(manifest, versionOf(api, options), loading);
  const domains = finishDomains(read, loading);
  const parts = { api, guards, domains };
  const subjects = createSubjects(documents);
  const sound = log.errorCount() === 0;
  const gaps = createGaps(documents, loading, subjects);
  reportLint(manifest, domains, loading, gaps);
  if (completeness === 'complete')
    reportSimilarDestinations(
      { documents, destinations: destinations.written, ownDomains: new Set(domains.keys()) },
      log,
    );
  if (gaps.isSound && domains.size === 0) reportNoDomains(documents[0], log);
  const isLoud = (problem: Problem): boolean =>
    !isSilenced(problem.code, subjects.of(problem), { off, domains });
  const lint = { off, silenced: log.sorted().length - log.sorted(isLoud).length };
  const problems = log.sorted(
    (problem) => isLoud(problem) && concerns(problem, subjects.of(problem), options.only),
  );
  const { references } = destinations;
  return {
    problems,
    desired: sound ? withDigest({ ...parts, files, references, lint }) : null,
    counts: { ...countOf(domains, files.length), silenced: lint.silenced },
  };
}

/** True if a problem matters to a run about a few domains. Errors always do. */
function concerns(
  { severity }: Problem,
  { domain }: FindingSubject,
  only: ReadonlySet<string> | undefined,
): boolean {
  if (only === undefined || severity === 'error') return true;
  return domain === undefined ? severity === 'warning' : only.has(domain);
}

/** Computes the digest on first use, because a check alone does not need it. */
function withDigest(desired: Omit<Desired, 'digest'>): Desired {
  let digest: string | undefined;
  return {
    ...desired,
    get digest() {
      return (digest ??= digestOf(desired));
    },
  };
}

function parseManifest(texts: readonly ManifestText[]): ParsedManifest {
  const log = createProblemLog();
  const documents: Node[] = [];
  const unread: ManifestText[] = [];
  for (const text of texts) {
    const { nodes, broken } = readText(text, log);
    const readable = nodes.filter((document) => checkShape(document, log) === 'readable');
    documents.push(...readable);
    if (broken || readable.length < nodes.length) unread.push(text);
  }
  const completeness = unread.length === 0 ? 'complete' : 'incomplete';
  const files = [...new Set(texts.map(({ file }) => file))];
  return { log, documents, completeness, broken: unread, files };
}

function readText(text: ManifestText, log: ProblemLog): Documents {
  const source = decodeManifest(text, log);
  if (source === null) return { nodes: [], broken: true };
  checkFinalNewline(source, log);
  return parseDocuments(source, log);
}

/**
 * Runs the checks that need other domains, or all of one domain. If entries were left out, reports only findings that
 * these cannot change.
 */
function finishDomains(read: ReadonlyMap<DomainName, ReadDomain>, loading: Loading): Desired['domains'] {
  const domains = new Map<DomainName, ReadDomain['desired']>();
  for (const [name, { desired, node }] of read) {
    const isPresent = desired.state === 'present';
    domains.set(name, isPresent ? { ...desired, expect: readExpectations(desired, node, loading) } : desired);
  }
  loading.destinations.checkSpares();
  const isWhole = (domain: DomainName): boolean => read.get(domain)?.sound === true;
  if (loading.options.expect !== 'unchecked') {
    for (const domain of domains.values()) {
      if (domain.state === 'present') checkExpectations(domain, isWhole(domain.domain), loading);
    }
  }
  const allWhole = loading.completeness === 'complete' && domains.keys().every(isWhole);
  reportLoops(domains, allWhole ? 'whole' : isWhole, loading.log);
  return domains;
}

function reportNoDomains(document: Node | undefined, log: ProblemLog): void {
  if (document === undefined) return;
  log.report('no-domains', document, {
    message: 'the manifest has no domain: nothing is managed',
    hint: 'add domains under `domains:`',
  });
}

function countOf(domains: Desired['domains'], files: number): Omit<ManifestCounts, 'silenced'> {
  let aliases = 0;
  let rules = 0;
  for (const domain of domains.values()) {
    if (domain.state === 'absent') continue;
    aliases += domain.aliases?.entries.size ?? 0;
    rules += domain.rules?.entries.length ?? 0;
  }
  return { files, domains: domains.size, aliases, rules };
}
