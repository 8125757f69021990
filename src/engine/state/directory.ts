import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Clock, Every } from '../../core/model/clock.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Warning } from '../../core/model/plan.ts';
import { NO_PRIOR, type ManifestSize, type PriorDomain, latestManifests } from '../../core/model/prior.ts';
import { succeed, type Result } from '../../core/model/result.ts';
import { readManifestSizes, readPriorDomain, writeManifestSizes, writePriorDomain } from './documents.ts';
import { accountDirectory, domainFile, shortHash } from './file-names.ts';
import {
  keepNewest,
  listFiles,
  readText,
  removeQuietly,
  flushDirectory,
  writeAtomically,
  writeWhole,
  type ReadOutcome,
} from './files.ts';
import type { HistoryBounds } from './history/bounds.ts';
import { openHistory } from './history/history.ts';
import { openFingerprinter, openReferences, openValuePrints, rememberReferences } from './known-values.ts';
import { acquireLock, countLocks } from './lock.ts';
import { ownFiles, type OwnFiles, type StateFs } from './own-files.ts';
import type { ProcessTable } from './processes.ts';
import type { DomainMemories, Memory, StateFault, StateStore, TextMemory } from './store.ts';

export interface StateDirectoryOptions {
  /** Root directory for all accounts. */
  readonly directory: string;
  /** Email of the account. With the API's address it names the account's own directory. */
  readonly account: string;
  readonly apiUrl: string;
  readonly fs: StateFs;
  readonly clock: Clock;
  readonly processes: ProcessTable;
  /** Limits of the history. The default is 400 days and 1 GiB. */
  readonly history?: Partial<HistoryBounds> | undefined;
  /** Refreshes the lock while a run waits. */
  readonly every?: Every | undefined;
}

const KEPT_DOCUMENTS = 50;
const AT_ONCE = 32;
const SNAPSHOTS = 'snapshots';

/** Opens the state directory of one account. It touches nothing before a method is called. */
export function openStateDirectory(options: StateDirectoryOptions): StateStore {
  const place = join(options.directory, accountDirectory(options.account, options.apiUrl));
  let sequence = 0;
  const unique = (): string =>
    `${options.processes.pid}-${(sequence += 1)}-${randomBytes(6).toString('hex')}`;
  const files = ownFiles(options.fs, options.directory, { uid: options.processes.uid, unique });
  const scope: Scope = { place, files, clock: options.clock, written: new Map() };
  let fingerprinter: Promise<((password: string) => Promise<string>) | null> | null = null;
  return {
    place,
    lock: () => acquireLock(place, { ...options, files, unique }),
    lockCount: () => countLocks(place, files),
    prior: () => readPrior(scope),
    remember: (memory) => remember(scope, memory),
    saveSnapshot: (text) => saveDocument(scope, { directory: SNAPSHOTS, suffix: '.yaml', text }),
    saveReport: (text) => saveDocument(scope, { directory: 'reports', suffix: '.json', text }),
    rememberReferences: (references) => rememberReferences(scope, references),
    openReferences: () => openReferences(scope),
    async fingerprint(password) {
      fingerprinter ??= openFingerprinter(scope);
      const make = await fingerprinter;
      return make === null ? null : make(password);
    },
    openValuePrints: () => openValuePrints(scope),
    receiving: textMemory(scope, join(place, 'receiving.json')),
    delivery: domainMemories(scope, 'delivery'),
    moves: domainMemories(scope, 'moves'),
    history: openHistory({ ...scope, directory: join(place, 'history'), bounds: options.history }),
  };
}

function domainMemories(scope: Scope, subject: 'delivery' | 'moves'): DomainMemories {
  const memoryOf = (domain: DomainName): TextMemory =>
    textMemory(scope, join(scope.place, subject, domainFile(domain)));
  return {
    read: (domain) => memoryOf(domain).read(),
    write: (domain, text) => memoryOf(domain).write(text),
  };
}

function textMemory({ files }: Pick<Scope, 'files'>, path: string): TextMemory {
  return {
    async read() {
      const read = await readText(files, path);
      return read.kind === 'text' ? read.text : null;
    },
    write: (text) => writeAtomically(files, path, text),
  };
}

/** True if a path is a snapshot of any account. Both paths are absolute. */
export function isSnapshot(directory: string, path: string): boolean {
  return basename(dirname(path)) === SNAPSHOTS && dirname(dirname(dirname(path))) === directory;
}

interface Scope {
  readonly place: string;
  readonly files: OwnFiles;
  readonly clock: Clock;
  /** Hashes of the texts that are known to be on disk, so that equal memories are not written again. */
  readonly written: Map<DomainName, string>;
}

async function readPrior(scope: Scope): ReturnType<StateStore['prior']> {
  const directory = join(scope.place, 'domains');
  const warnings: Warning[] = [];
  const domains = new Map<DomainName, PriorDomain>();
  scope.written.clear();
  const fault = await scope.files.fault(directory);
  if (fault !== null) return { prior: NO_PRIOR, warnings: [refused(scope.place, fault)] };
  for await (const { path, read } of readAll(scope.files, directory)) {
    if (read.kind === 'missing') continue;
    const entry = read.kind === 'text' ? readPriorDomain(read.text) : null;
    if (entry === null) {
      warnings.push(damaged(path));
      continue;
    }
    domains.set(entry.domain, entry.prior);
    if (read.kind === 'text') scope.written.set(entry.domain, shortHash(read.text));
  }
  const sizes = await readSizes(scope);
  if (sizes === null) warnings.push(damaged(sizesPath(scope)));
  return { prior: { domains, manifests: sizes ?? [] }, warnings };
}

/** Yields every `.json` file of a directory by name. Several are read at a time. */
async function* readAll(
  files: OwnFiles,
  directory: string,
): AsyncGenerator<{ path: string; read: ReadOutcome }> {
  const names = (await listFiles(files, directory)).filter((name) => name.endsWith('.json')).toSorted();
  const paths = names.map((name) => join(directory, name));
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const some = paths.slice(start, start + AT_ONCE);
    yield* await Promise.all(some.map(async (path) => ({ path, read: await readText(files, path) })));
  }
}

async function remember(scope: Scope, memory: Memory): Promise<Result<void, StateFault>> {
  const directory = join(scope.place, 'domains');
  const domains = [...memory.domains];
  for (let start = 0; start < domains.length; start += AT_ONCE) {
    const some = domains.slice(start, start + AT_ONCE);
    const written = await Promise.all(some.map(([domain, prior]) => rememberDomain(scope, domain, prior)));
    const failed = written.find(({ ok }) => !ok);
    if (failed !== undefined) return failed;
  }
  if (domains.length > 0) await flushDirectory(scope.files, directory);
  return memory.manifest === null ? succeed(undefined) : rememberSize(scope, memory.manifest);
}

async function rememberDomain(
  scope: Scope,
  domain: DomainName,
  prior: PriorDomain | null,
): Promise<Result<void, StateFault>> {
  const path = join(scope.place, 'domains', domainFile(domain));
  if (prior === null) {
    scope.written.delete(domain);
    await removeQuietly(scope.files, path);
    return succeed(undefined);
  }
  const text = writePriorDomain(domain, prior);
  if (scope.written.get(domain) === shortHash(text)) return succeed(undefined);
  const written = await writeWhole(scope.files, path, text);
  if (written.ok) scope.written.set(domain, shortHash(text));
  return written;
}

/** Replaces the size of this manifest. Sizes of the account's other manifests stay. */
async function rememberSize(scope: Scope, size: ManifestSize): Promise<Result<void, StateFault>> {
  const before = (await readSizes(scope)) ?? [];
  const text = writeManifestSizes(latestManifests(before, size));
  if (text === writeManifestSizes(before)) return succeed(undefined);
  return writeAtomically(scope.files, sizesPath(scope), text);
}

/** Returns the sizes, or null if the file is damaged. A missing file has no sizes. */
async function readSizes(scope: Scope): Promise<readonly ManifestSize[] | null> {
  const read = await readText(scope.files, sizesPath(scope));
  if (read.kind === 'missing') return [];
  return read.kind === 'text' ? readManifestSizes(read.text) : null;
}

function sizesPath(scope: Scope): string {
  return join(scope.place, 'manifests.json');
}

async function saveDocument(
  scope: Scope,
  document: {
    readonly directory: typeof SNAPSHOTS | 'reports';
    readonly suffix: string;
    readonly text: string;
  },
): Promise<Result<string, StateFault>> {
  const directory = join(scope.place, document.directory);
  // Names sort in the order of writing, even if the clocks of the machines that share the directory differ.
  const names = (await listFiles(scope.files, directory)).filter((name) => name.endsWith(document.suffix));
  const newest = momentOf(names.toSorted().at(-1) ?? '');
  const moment = new Date(Math.max(scope.clock.now(), newest + 1)).toISOString().replaceAll(':', '-');
  const path = join(directory, `${moment}_${randomBytes(3).toString('hex')}${document.suffix}`);
  const written = await writeAtomically(scope.files, path, document.text);
  if (!written.ok) return written;
  await keepNewest(scope.files, directory, { suffix: document.suffix, keep: KEPT_DOCUMENTS });
  await removeLeftovers(scope.files, directory);
  return succeed(path);
}

/** Returns the time in a document's name in epoch milliseconds, or 0 if there is none. */
function momentOf(name: string): number {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d\.\d{3})Z_/.exec(name) ?? [];
  return Date.parse(`${date}T${time?.replaceAll('-', ':')}Z`) || 0;
}

/** Removes temporary files of a run that was killed. Only the holder of the lock writes here, one file at a time. */
async function removeLeftovers(files: OwnFiles, directory: string): Promise<void> {
  for (const name of await listFiles(files, directory)) {
    if (name.endsWith('.tmp')) await removeQuietly(files, join(directory, name));
  }
}

function refused(place: string, fault: string): Warning {
  return {
    code: 'state-damaged',
    message: `${place} is not used and counts as empty: ${fault}`,
    hint: 'apply refuses to run with it: give --state-dir a directory that only you can write to',
    source: null,
  };
}

function damaged(path: string): Warning {
  return {
    code: 'state-damaged',
    message: `${path} cannot be read and counts as empty`,
    hint: 'nothing is lost: the next apply writes it again',
    source: null,
  };
}
