import type { Clock } from '../../../core/model/clock.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import type { StateFault } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import type { SealedPlace } from './cipher.ts';
import { describeFailure, type Database, type Query } from './database.ts';

/** Number of documents to keep, per kind and account. */
const KEPT_DOCUMENTS = 50;

/** Matches the name of a stored document, which takes the place of a path: `store:snapshot/12`. */
const NAME = /^store:(snapshot|report)\/(\d{1,18})$/;

export type DocumentKind = 'snapshot' | 'report';

/** Saves a text, removes the oldest of its kind, and returns its name. */
export async function saveStored(
  rows: AccountRows,
  clock: Pick<Clock, 'now'>,
  { kind, text }: { readonly kind: DocumentKind; readonly text: string },
): Promise<Result<string, StateFault>> {
  return rows.write((query, account) =>
    insertDocument(rows, query, account, { kind, text, at: clock.now() }),
  );
}

/** Saves a text within a transaction. `at` is in epoch milliseconds. */
export async function insertDocument(
  { cipher }: AccountRows,
  query: Query,
  account: string,
  { kind, text, at }: { readonly kind: DocumentKind; readonly text: string; readonly at: number },
): Promise<string> {
  const [next] = await query<{ readonly id: string }>(
    `SELECT nextval(pg_get_serial_sequence('fwdsync.documents', 'id')) AS id`,
  );
  const id = next?.id ?? '';
  await query(
    'INSERT INTO fwdsync.documents (id, account, kind, saved_at, document) VALUES ($1, $2, $3, $4, $5)',
    [id, account, kind, new Date(at), cipher.seal(placeOfDocument(account, id), text)],
  );
  await query(
    `DELETE FROM fwdsync.documents WHERE account = $1 AND kind = $2 AND id NOT IN
         (SELECT id FROM fwdsync.documents WHERE account = $1 AND kind = $2 ORDER BY id DESC LIMIT $3)`,
    [account, kind, KEPT_DOCUMENTS],
  );
  return `store:${kind}/${id}`;
}

/** Returns the text of a document by its name, or null if the store has none. */
export async function readStored(
  { query, cipher }: Database,
  name: string,
): Promise<Result<string | null, StateFault>> {
  const [, kind, id = ''] = NAME.exec(name) ?? [];
  if (kind === undefined) return succeed(null);
  try {
    const [row] = await query<{ readonly account: string; readonly document: Buffer }>(
      'SELECT account, document FROM fwdsync.documents WHERE id = $1 AND kind = $2',
      [id, kind],
    );
    if (row === undefined) return succeed(null);
    const text = cipher.open(placeOfDocument(row.account, id), row.document);
    return text === null ? fail({ message: `${name} is damaged` }) : succeed(text);
  } catch (error) {
    return fail({ message: `${name} cannot be read: ${describeFailure(error)}` });
  }
}

function placeOfDocument(account: string, id: string): SealedPlace {
  return { table: 'documents', account, row: id, revision: '1' };
}
