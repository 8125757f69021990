import type { Database } from '../database.ts';
import { readRevision, type PublishedManifest } from './read-revision.ts';

/** Returns the names of the references in `api.key` of a manifest. */
export type KeysOf = (texts: PublishedManifest['texts']) => readonly string[];

/**
 * Returns the references that are the API key of any published account, no matter which worker runs it. Rejects if the store
 * cannot be used. A damaged revision has no known key.
 */
export async function publishedKeys(
  database: Database,
  references: readonly string[],
  keysOf: KeysOf,
): Promise<ReadonlySet<string>> {
  if (references.length === 0) return new Set();
  await noteNewKeys(database, keysOf);
  const { query, cipher } = database;
  const sought = references.map((reference) => [cipher.lookUp(reference), reference] as const);
  const found = await query<{ readonly key: Buffer }>(
    `SELECT DISTINCT key FROM fwdsync.accounts, unnest(keys) AS key
     WHERE wanted IS NOT NULL AND key = ANY($1)`,
    [sought.map(([print]) => print)],
  );
  return new Set(
    sought.flatMap(([print, reference]) => (found.some(({ key }) => key.equals(print)) ? [reference] : [])),
  );
}

/** Stores the keys of revisions that came into force since the last call. */
async function noteNewKeys({ query, cipher }: Database, keysOf: KeysOf): Promise<void> {
  const rows = await query<{ readonly id: string; readonly wanted: string }>(
    'SELECT id, wanted FROM fwdsync.accounts WHERE wanted IS NOT NULL AND wanted IS DISTINCT FROM keys_of',
  );
  for (const { id, wanted } of rows) {
    const revision = await readRevision(query, cipher, id, wanted);
    const texts = revision === null || revision === 'damaged' ? [] : revision.texts;
    const prints = keysOf(texts).map((key) => cipher.lookUp(key));
    await query('UPDATE fwdsync.accounts SET keys = $3, keys_of = $2 WHERE id = $1', [id, wanted, prints]);
  }
}
