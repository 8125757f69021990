import type { HistoryEntry, HistoryEntryAbout, HistorySubject } from '../../../core/model/history/entries.ts';
import type { Clock } from '../../../core/model/clock.ts';
import { succeed } from '../../../core/model/result.ts';
import { createPruning, HISTORY_BOUNDS, type HistoryBounds } from '../history/bounds.ts';
import { parseEntry } from '../history/parse-entry.ts';
import type { AccountHistory, HistoryQuery, HistoryStore } from '../store.ts';
import { knownAccountRows, type AccountRows } from './account-rows.ts';
import type { Cipher, SealedPlace } from './cipher.ts';
import { describeFailure, type Database, type Query } from './database.ts';
import { countHistory, pruneRows } from './prune-history.ts';

/** Number of entries to read at a time. */
const PAGE = 500;

/**
 * Opens the history of an account as rows. Columns for look-up stand next to the sealed entry: domains and times in clear
 * text, runs and keys by `Cipher.lookUp`. A committed row is on disk, so both durabilities are the same.
 */
export function openRowHistory(rows: AccountRows, { clock, bounds }: RowHistoryOptions): HistoryStore {
  const kept = { ...HISTORY_BOUNDS, ...bounds };
  const pruning = createPruning(kept);
  return {
    async append(entries) {
      const done = await rows.write((query, account) => insertEntries(rows.cipher, query, account, entries));
      if (!done.ok) return done;
      const now = clock.now();
      // Rows that cannot be removed stay. Nothing depends on their removal.
      if (pruning.isDue(now, done.value)) await pruneRows(rows, kept, now).catch(() => undefined);
      return succeed(undefined);
    },
    read: (query) => readEntries(rows, query),
  };
}

export interface RowHistoryOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly bounds?: Partial<HistoryBounds> | undefined;
}

/**
 * Opens the histories of all accounts of an email, or of all emails if it is null. Rejects if the accounts cannot be read.
 */
export async function openRowHistories(
  database: Database,
  { email, clock }: Pick<RowHistoryOptions, 'clock'> & { readonly email: string | null },
): Promise<readonly AccountHistory[]> {
  const known = await knownAccountRows(database, email);
  return known.map((rows) => ({ account: rows.email, history: openRowHistory(rows, { clock }) }));
}

/** Inserts entries in their order, within a transaction. Returns the number of bytes. */
export async function insertEntries(
  cipher: Cipher,
  query: Query,
  account: string,
  entries: readonly HistoryEntry[],
): Promise<number> {
  if (entries.length === 0) return 0;
  const added = new Map<string, number>();
  const ids = await query<{ readonly id: string }>(
    `SELECT nextval(pg_get_serial_sequence('fwdsync.history', 'id')) AS id FROM generate_series(1, $1)`,
    [entries.length],
  );
  const made = entries.map((entry, index) => {
    const id = ids[index]?.id ?? '';
    const keys = 'keys' in entry ? entry.keys : [];
    const sealed = cipher.seal(placeOfEntry(account, id), JSON.stringify(entry));
    const day = new Date(entry.at).toISOString().slice(0, 10);
    added.set(day, (added.get(day) ?? 0) + sealed.length);
    return {
      id,
      subject: entry.entry.split('-')[0] as HistorySubject,
      at: entry.at,
      run: 'run' in entry && entry.run !== null ? hex(runLookUp(cipher, account, entry.run)) : null,
      domain: keys[0]?.split('\n')[0] ?? null,
      keys: keys.map((key) => hex(keyLookUp(cipher, account, key))),
      entry: hex(sealed),
    };
  });
  await query(
    `INSERT INTO fwdsync.history (id, account, subject, at, run, domain, keys, entry)
     SELECT id, $1, subject, at, decode(run, 'hex'), domain,
       ARRAY(SELECT decode(key, 'hex') FROM jsonb_array_elements_text(keys) AS key), decode(entry, 'hex')
     FROM jsonb_to_recordset($2::jsonb)
       AS made (id bigint, subject text, at timestamptz, run text, domain text, keys jsonb, entry text)`,
    [account, JSON.stringify(made)],
  );
  await countHistory(query, account, added);
  return [...added.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex');
}

interface HistoryRow {
  readonly id: string;
  readonly entry: Buffer;
}

async function* readEntries<S extends HistorySubject>(
  rows: AccountRows,
  asked: HistoryQuery<S>,
): AsyncGenerator<HistoryEntryAbout<S>> {
  try {
    const account = await rows.find();
    if (account === null) return;
    const condition = conditionsOf(rows.cipher, account, asked);
    let before: string | null = null;
    for (;;) {
      const page: readonly HistoryRow[] = await readPage(rows.query, condition, before);
      for (const row of page) {
        before = row.id;
        const text = rows.cipher.open(placeOfEntry(account, row.id), row.entry);
        const entry = text === null ? null : parseEntry(text);
        if (entry === null) asked.onFault?.({ message: `${rows.place} has a damaged entry; it is left out` });
        else yield entry as HistoryEntryAbout<S>;
      }
      if (page.length < PAGE) return;
    }
  } catch (error) {
    asked.onFault?.({ message: `${rows.place} cannot be read: ${describeFailure(error)}` });
  }
}

interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Returns the conditions of a query. Fields that are left out add none, so that the index for the other fields is used. */
function conditionsOf(
  cipher: Cipher,
  account: string,
  { about, since, until, run, runs, domain, keys }: HistoryQuery<HistorySubject>,
): Condition {
  const conditions: readonly (readonly [sql: string, value: unknown])[] = [
    ['account =', account],
    ['subject =', about],
    ['at >=', since],
    ['at <=', until],
    ['run =', run === undefined ? undefined : runLookUp(cipher, account, run)],
    ['run = ANY', runs?.map((name) => runLookUp(cipher, account, name))],
    ['domain =', domain],
    ['keys &&', keys?.map((key) => keyLookUp(cipher, account, key))],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    sql: given.map(([sql], index) => `${sql}($${index + 1})`).join(' AND '),
    values: given.map(([, value]) => value),
  };
}

async function readPage(
  query: Query,
  { sql, values }: Condition,
  before: string | null,
): Promise<readonly HistoryRow[]> {
  const last = values.length + 1;
  const next = before === null ? '' : ` AND id < $${last}`;
  // Rows are found first and sorted then. Few rows have a key, but searching in order of time would read all rows.
  const found = `SELECT id, entry FROM fwdsync.history WHERE ${sql}${next}`;
  const source = sql.includes('keys &&')
    ? `WITH found AS MATERIALIZED (${found}) SELECT * FROM found`
    : found;
  return query<HistoryRow>(
    `${source} ORDER BY id DESC LIMIT ${PAGE}`,
    before === null ? values : [...values, before],
  );
}

/** Returns the look-up bytes of a key, different for each account, so that equal names in two accounts do not look equal. */
function keyLookUp(cipher: Cipher, account: string, key: string): Buffer {
  return cipher.lookUp(`key\n${account}\n${key}`);
}

function runLookUp(cipher: Cipher, account: string, run: string): Buffer {
  return cipher.lookUp(`run\n${account}\n${run}`);
}

function placeOfEntry(account: string, id: string): SealedPlace {
  return { table: 'history', account, row: id, revision: '1' };
}
