import { join } from 'node:path';
import type { HistoryEntry } from '../../../core/model/history/entries.ts';
import { parseDomainName, type DomainName } from '../../../core/model/names.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import { openStateDirectory, type StateDirectoryOptions } from '../directory.ts';
import { accountDirectory } from '../file-names.ts';
import { parseJsonText, readPriorDomain } from '../documents.ts';
import { listFiles, readText } from '../files.ts';
import { dayFileName, listDayFiles } from '../history/day-files.ts';
import { openHistory } from '../history/history.ts';
import { parseEntry } from '../history/parse-entry.ts';
import { readRuns } from '../history/recorded.ts';
import { ownFiles, type OwnFiles } from '../own-files.ts';
import { SHARED_DIRECTORY } from '../shared-text.ts';
import { accountRows, changeMemory, type AccountRows, type MemoryName } from './account-rows.ts';
import type { Database, Query } from './database.ts';
import { insertEntries } from './postgres-history.ts';
import { acquireRowLock } from './postgres-lock.ts';
import { writeDomains } from './postgres-store.ts';
import { insertDocument } from './stored-documents.ts';

export interface ImportOptions extends Omit<StateDirectoryOptions, 'account' | 'apiUrl'> {
  readonly database: Database;
}

/** The result of importing one account's directory. */
export interface ImportedAccount {
  /** Email of the account. null means that the directory's account is unknown. */
  readonly account: string | null;
  /** Name of the directory. */
  readonly name: string;
  readonly result: Result<ImportCounts, { readonly message: string }>;
}

export interface ImportCounts {
  readonly domains: number;
  readonly snapshots: number;
  readonly reports: number;
  readonly entries: number;
}

const ENTRIES_AT_ONCE = 500;
const MEMORIES: readonly (readonly [file: string, name: MemoryName])[] = [
  ['salt', 'salt'],
  ['manifests.json', 'manifests'],
  ['references.json', 'references'],
  ['receiving.json', 'receiving'],
];
const DOCUMENTS = [
  ['snapshots', '.yaml', 'snapshot'],
  ['reports', '.json', 'report'],
] as const;

/**
 * Copies the state of every account of a state directory into the store. Each account is copied completely or not at all,
 * under both locks. The directory does not change. An account that the store already knows is refused.
 */
export async function* importDirectory(options: ImportOptions): AsyncGenerator<ImportedAccount> {
  const { directory, fs, processes } = options;
  const files = ownFiles(fs, directory, { uid: processes.uid, unique: () => 'none' });
  const names = (await listFiles(files, directory)).filter((name) => name !== SHARED_DIRECTORY);
  for (const name of names.toSorted()) {
    const found = await identify(files, options, name);
    const result =
      found === null
        ? fail({ message: 'neither its name nor its history names the account' })
        : await importAccount(files, options, { ...found, name });
    yield { account: found?.account ?? null, name, result };
  }
}

interface Identity {
  readonly account: string;
  readonly apiUrl: string;
}

/**
 * Finds a directory's account. Its name has email and host, sometimes changed; its hash shows if they were read correctly.
 */
async function identify(files: OwnFiles, options: ImportOptions, name: string): Promise<Identity | null> {
  const readable = name.replace(/_[0-9a-f]{12}$/, '');
  const guesses = [...readable.matchAll(/_/g)].flatMap(({ index }) => {
    const [account, host] = [readable.slice(0, index), readable.slice(index + 1)];
    return [host, host.replace(/-(\d+)$/, ':$1')].map((at) => ({ account, apiUrl: `https://${at}` }));
  });
  const isIt = ({ account, apiUrl }: Identity): boolean => accountDirectory(account, apiUrl) === name;
  const guessed = guesses.find(isIt);
  if (guessed !== undefined) return guessed;
  const directory = join(options.directory, name, 'history');
  for await (const { start } of readRuns(openHistory({ directory, files, clock: options.clock }))) {
    const said = { account: start.account, apiUrl: start.api.url };
    return isIt(said) ? said : null;
  }
  return null;
}

async function importAccount(
  files: OwnFiles,
  options: ImportOptions,
  { name, ...identity }: Identity & { readonly name: string },
): Promise<ImportedAccount['result']> {
  const lock = await openStateDirectory({ ...options, ...identity }).lock();
  if (!lock.ok) return lock;
  const rows = accountRows(options.database, identity.account, identity.apiUrl);
  const own = await acquireRowLock(rows, options);
  try {
    if (!own.ok) return own;
    const place = join(options.directory, name);
    const copied = await rows.write(async (query, account) =>
      (await isEmpty(query, account)) ? copyAll({ files, place, rows, query, account }, options) : null,
    );
    if (!copied.ok) return copied;
    return copied.value === null
      ? fail({
          message: 'the store already has state of this account; use that, or import into an empty database',
        })
      : succeed(copied.value);
  } finally {
    if (own.ok) await own.value.release();
    await lock.value.release();
  }
}

async function isEmpty(query: Query, account: string): Promise<boolean> {
  const kept = ['domains', 'memories', 'documents', 'history'].map(
    (table) => `SELECT 1 FROM fwdsync.${table} WHERE account = $1`,
  );
  return (await query(`${kept.join(' UNION ALL ')} LIMIT 1`, [account])).length === 0;
}

interface Copying {
  readonly files: OwnFiles;
  /** The account's directory. */
  readonly place: string;
  readonly rows: AccountRows;
  readonly query: Query;
  readonly account: string;
}

async function copyAll(copying: Copying, { clock }: ImportOptions): Promise<ImportCounts> {
  const { files, place, rows, query, account } = copying;
  for (const [file, name] of MEMORIES) {
    const read = await readText(files, join(place, file));
    if (read.kind !== 'text') continue;
    const text = name === 'salt' ? read.text.trim() : read.text;
    await changeMemory(rows, query, { account, name }, () => text);
  }
  for await (const text of textsIn(files, join(place, 'moves'), '.json')) {
    const domain = domainOfMove(text);
    if (domain !== null) await changeMemory(rows, query, { account, name: `moves/${domain}` }, () => text);
  }
  const domains: (readonly [DomainName, string])[] = [];
  for await (const text of textsIn(files, join(place, 'domains'), '.json')) {
    const entry = readPriorDomain(text);
    if (entry !== null) domains.push([entry.domain, text]);
  }
  await writeDomains(rows, query, account, domains);
  const counts = { snapshot: 0, report: 0 };
  for (const [directory, suffix, kind] of DOCUMENTS) {
    for await (const text of textsIn(files, join(place, directory), suffix)) {
      await insertDocument(rows, query, account, { kind, text, at: clock.now() });
      counts[kind] += 1;
    }
  }
  return {
    domains: domains.length,
    snapshots: counts.snapshot,
    reports: counts.report,
    entries: await copyHistory(copying, clock.now()),
  };
}

/** Returns the domain whose move a text remembers; null if it names none. */
function domainOfMove(text: string): DomainName | null {
  const { domain } = (parseJsonText(text) ?? {}) as { readonly domain?: unknown };
  const parsed = typeof domain === 'string' ? parseDomainName(domain) : null;
  return parsed?.ok === true ? parsed.value : null;
}

async function copyHistory({ files, place, rows, query, account }: Copying, now: number): Promise<number> {
  const directory = join(place, 'history');
  const names = (await listDayFiles(files, directory, now)).map(({ order }) => dayFileName(order));
  let copied = 0;
  for await (const text of textsOf(files, directory, names.toReversed())) {
    const parsed = text.split('\n').map((line) => (line === '' ? null : parseEntry(line)));
    const entries = parsed.filter((entry): entry is HistoryEntry => entry !== null);
    for (let start = 0; start < entries.length; start += ENTRIES_AT_ONCE)
      await insertEntries(rows.cipher, query, account, entries.slice(start, start + ENTRIES_AT_ONCE));
    copied += entries.length;
  }
  return copied;
}

/** Yields the texts in order of their names, which is the order of time. */
async function* textsIn(files: OwnFiles, directory: string, suffix: string): AsyncGenerator<string> {
  const names = (await listFiles(files, directory)).filter((name) => name.endsWith(suffix));
  yield* textsOf(files, directory, names.toSorted());
}

async function* textsOf(
  files: OwnFiles,
  directory: string,
  names: readonly string[],
): AsyncGenerator<string> {
  for (const name of names) {
    const read = await readText(files, join(directory, name));
    if (read.kind === 'text') yield read.text;
    if (read.kind === 'unreadable') throw new Error(read.message);
  }
}
