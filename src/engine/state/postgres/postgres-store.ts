import { randomBytes } from 'node:crypto';
import type { References } from '../../../core/model/destinations.ts';
import type { Warning } from '../../../core/model/plan.ts';
import type { DomainName } from '../../../core/model/names.ts';
import { NO_PRIOR, latestManifests, type PriorDomain } from '../../../core/model/prior.ts';
import { succeed, type Result } from '../../../core/model/result.ts';
import {
  readKnownReferences,
  readManifestSizes,
  readPriorDomain,
  writeKnownReferences,
  writeManifestSizes,
  writePriorDomain,
} from '../documents.ts';
import type { HistoryBounds } from '../history/bounds.ts';
import { createFingerprinter, fingerprintValue, recognise, withReferences } from '../fingerprints.ts';
import type {
  DomainMemories,
  Memory,
  RecogniseReferences,
  StateFault,
  StateStore,
  TextMemory,
} from '../store.ts';
import { accountRows, changeMemory, readMemory, type AccountRows, type MemoryName } from './account-rows.ts';
import type { SealedPlace } from './cipher.ts';
import { describeFailure, type Database, type Query } from './database.ts';
import { openRowHistory } from './postgres-history.ts';
import { acquireRowLock, countRowLocks, type RowLockPorts } from './postgres-lock.ts';
import { saveStored } from './stored-documents.ts';

export interface PostgresStateOptions extends RowLockPorts {
  readonly database: Database;
  /** Email of the account. Only the host of the API's address counts. */
  readonly account: string;
  readonly apiUrl: string;
  /** Limits of the history. The default is 400 days and 1 GiB. */
  readonly history?: Partial<HistoryBounds> | undefined;
}

const SALT_BYTES = 32;

/** Opens the state of one account in the store. It does not query the database before a method is called. */
export function openPostgresState(options: PostgresStateOptions): StateStore {
  const rows = accountRows(options.database, options.account, options.apiUrl);
  const written = new Map<DomainName, string>();
  let fingerprinter: ((password: string) => Promise<string>) | null = null;
  return {
    place: rows.place,
    lock: () => acquireRowLock(rows, options),
    lockCount: () => countRowLocks(rows),
    prior: () => readStoredPrior(rows, written),
    remember: (memory) => rememberRows(rows, written, memory),
    saveSnapshot: (text) => saveStored(rows, options.clock, { kind: 'snapshot', text }),
    saveReport: (text) => saveStored(rows, options.clock, { kind: 'report', text }),
    rememberReferences: (references) => rememberStoredReferences(rows, references),
    openReferences: () => openStoredReferences(rows),
    async fingerprint(password) {
      if (fingerprinter === null) {
        const salt = await needSalt(rows);
        if (!salt.ok) return null;
        fingerprinter ??= createFingerprinter(salt.value);
      }
      return fingerprinter(password);
    },
    async openValuePrints() {
      const salt = await needSalt(rows);
      return salt.ok ? (value) => fingerprintValue(value, salt.value) : null;
    },
    receiving: storedText(rows, 'receiving'),
    delivery: storedMemories(rows, 'delivery'),
    moves: storedMemories(rows, 'moves'),
    history: openRowHistory(rows, { clock: options.clock, bounds: options.history }),
  };
}

function storedMemories(rows: AccountRows, subject: 'delivery' | 'moves'): DomainMemories {
  return {
    read: (domain) => storedText(rows, `${subject}/${domain}`).read(),
    write: (domain, text) => storedText(rows, `${subject}/${domain}`).write(text),
  };
}

function storedText(rows: AccountRows, name: MemoryName): TextMemory {
  return {
    async read() {
      try {
        const account = await rows.find();
        if (account === null) return null;
        const found = await readMemory(rows, rows.query, account, name);
        return found === null || found === 'damaged' ? null : found.text;
      } catch {
        return null;
      }
    },
    write: (text) => rows.write((query, account) => changeMemory(rows, query, { account, name }, () => text)),
  };
}

/** Reads the memory of all domains. `written` gets the stored texts, so that equal memories are not written again. */
async function readStoredPrior(
  rows: AccountRows,
  written: Map<DomainName, string>,
): ReturnType<StateStore['prior']> {
  written.clear();
  rows.readFault = null;
  const warnings: Warning[] = [];
  try {
    const account = await rows.find();
    if (account === null) return { prior: NO_PRIOR, warnings };
    const domains = await readDomains(rows, account, { written, warnings });
    const sizes = await readMemory(rows, rows.query, account, 'manifests');
    const manifests = sizes === null || sizes === 'damaged' ? null : readManifestSizes(sizes.text);
    if (sizes !== null && manifests === null) warnings.push(damaged(rows, 'the size of its manifests'));
    return { prior: { domains, manifests: manifests ?? [] }, warnings };
  } catch (error) {
    rows.readFault = `${rows.place} cannot be read: ${describeFailure(error)}`;
    return { prior: NO_PRIOR, warnings: [unread(rows.readFault)] };
  }
}

async function readDomains(
  rows: AccountRows,
  account: string,
  { written, warnings }: { readonly written: Map<DomainName, string>; readonly warnings: Warning[] },
): Promise<ReadonlyMap<DomainName, PriorDomain>> {
  const domains = new Map<DomainName, PriorDomain>();
  const found = await rows.query<DomainRow>(
    'SELECT domain, revision, memory FROM fwdsync.domains WHERE account = $1 ORDER BY domain',
    [account],
  );
  for (const row of found) {
    const text = rows.cipher.open(placeOfDomain(account, row), row.memory);
    const entry = text === null ? null : readPriorDomain(text);
    if (entry === null || text === null) {
      warnings.push(damaged(rows, row.domain));
      continue;
    }
    domains.set(entry.domain, entry.prior);
    written.set(entry.domain, text);
  }
  return domains;
}

interface DomainRow {
  readonly domain: string;
  readonly revision: string;
  readonly memory: Buffer;
}

function placeOfDomain(account: string, { domain, revision }: Omit<DomainRow, 'memory'>): SealedPlace {
  return { table: 'domains', account, row: domain, revision };
}

async function rememberRows(
  rows: AccountRows,
  written: Map<DomainName, string>,
  { domains, manifest }: Memory,
): Promise<Result<void, StateFault>> {
  const texts = [...domains].flatMap(([domain, prior]) =>
    prior === null ? [] : [[domain, writePriorDomain(domain, prior)] as const],
  );
  const changed = texts.filter(([domain, text]) => written.get(domain) !== text);
  const forgotten = [...domains].flatMap(([domain, prior]) => (prior === null ? [domain] : []));
  if (changed.length === 0 && forgotten.length === 0 && manifest === null) return succeed(undefined);
  const done = await rows.write(async (query, account) => {
    await deleteDomains(query, account, forgotten);
    await writeDomains(rows, query, account, changed);
    if (manifest === null) return;
    await changeMemory(rows, query, { account, name: 'manifests' }, (text) =>
      writeManifestSizes(latestManifests((text === null ? null : readManifestSizes(text)) ?? [], manifest)),
    );
  });
  if (!done.ok) return done;
  for (const domain of forgotten) written.delete(domain);
  for (const [domain, text] of changed) written.set(domain, text);
  return succeed(undefined);
}

async function deleteDomains(query: Query, account: string, domains: readonly string[]): Promise<void> {
  if (domains.length > 0)
    await query('DELETE FROM fwdsync.domains WHERE account = $1 AND domain = ANY($2)', [account, domains]);
}

/** Replaces the stored memories of these domains. */
export async function writeDomains(
  { cipher }: AccountRows,
  query: Query,
  account: string,
  texts: readonly (readonly [domain: string, text: string])[],
): Promise<void> {
  if (texts.length === 0) return;
  const names = texts.map(([domain]) => domain);
  const before = await query<DomainRow>(
    'SELECT domain, revision FROM fwdsync.domains WHERE account = $1 AND domain = ANY($2) FOR UPDATE',
    [account, names],
  );
  const revisions = new Map(before.map(({ domain, revision }) => [domain, revision]));
  const sealed = texts.map(([domain, text]) => {
    const revision = String(BigInt(revisions.get(domain) ?? '0') + 1n);
    return { revision, memory: cipher.seal(placeOfDomain(account, { domain, revision }), text) };
  });
  await query(
    `INSERT INTO fwdsync.domains (account, domain, revision, memory)
     SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bytea[])
     ON CONFLICT (account, domain) DO UPDATE SET revision = excluded.revision, memory = excluded.memory`,
    [account, names, sealed.map(({ revision }) => revision), sealed.map(({ memory }) => memory)],
  );
}

async function rememberStoredReferences(
  rows: AccountRows,
  references: References,
): Promise<Result<void, StateFault>> {
  const salt = await needSalt(rows);
  if (!salt.ok) return salt;
  return rows.write((query, account) =>
    changeMemory(rows, query, { account, name: 'references' }, (text) => {
      const before = (text === null ? null : readKnownReferences(text)) ?? new Map<string, string>();
      return writeKnownReferences(withReferences(before, references, salt.value));
    }),
  );
}

async function openStoredReferences(rows: AccountRows): Promise<RecogniseReferences | null> {
  try {
    const account = await rows.find();
    if (account === null) return null;
    const found = await readMemory(rows, rows.query, account, 'references');
    const known = found === null || found === 'damaged' ? null : readKnownReferences(found.text);
    if (known === null) return null;
    if (known.size === 0) return () => new Map();
    const salt = await needSalt(rows);
    return salt.ok ? (values) => recognise(known, values, salt.value) : null;
  } catch {
    return null;
  }
}

/** Returns the salt, which is created once. If there is none and none can be stored, values are not remembered. */
async function needSalt(rows: AccountRows): Promise<Result<Uint8Array, StateFault>> {
  let salt = randomBytes(SALT_BYTES).toString('hex');
  const done = await rows.write((query, account) =>
    changeMemory(rows, query, { account, name: 'salt' }, (kept) => (salt = kept ?? salt)),
  );
  return done.ok ? succeed(Buffer.from(salt, 'hex')) : done;
}

function damaged({ place }: AccountRows, what: string): Warning {
  return {
    code: 'state-damaged',
    message: `${place}: ${what} cannot be read and counts as empty`,
    hint: 'nothing is lost: the next apply writes it again',
    source: null,
  };
}

function unread(message: string): Warning {
  return {
    code: 'state-damaged',
    message: `${message}; it counts as empty`,
    hint: 'check that the database runs, and the privileges of its role; apply refuses to run without it',
    source: null,
  };
}
