import type { DomainName } from '../../../../core/model/names.ts';
import { fail, succeed, type Result } from '../../../../core/model/result.ts';
import { accountName } from '../../account-name.ts';
import type { StateFault } from '../../store.ts';
import { knownAccountRows } from '../account-rows.ts';
import type { Cipher } from '../cipher.ts';
import { describeFailure, type Database, type Query } from '../database.ts';
import {
  placeOfRevision,
  readRevision,
  readWanted,
  wantedRevision,
  type PublishedManifest,
  type Revision,
} from './read-revision.ts';

/** The account's revision in force. */
export interface AccountRevision {
  /** The account's number in the store. */
  readonly id: string;
  readonly email: string;
  /** null means that nothing is published, or that it was removed. */
  readonly revision: number | null;
}

export interface Publication {
  readonly account: string;
  readonly apiUrl: string;
  readonly manifest: PublishedManifest;
  /** Domains of the manifest, without tombstones. null means that it can no longer be read. */
  readonly domains: readonly DomainName[] | null;
}

/** A domain that is already in another account's published manifest for the same API. */
export interface DomainTwice {
  readonly account: string;
  readonly other: string;
  readonly domain: DomainName;
}

/** The reason why nothing was stored. `twice` has the domains that two accounts have, if they are the reason. */
export type PublishFault = StateFault & { readonly twice?: readonly DomainTwice[] };

export interface Published {
  readonly account: string;
  readonly number: number;
  /** False if the same text is already in force, under this number. */
  readonly changed: boolean;
  /** The revision that was in force before. null means that there was none, or that it is damaged. */
  readonly before: Revision | null;
  readonly texts: PublishedManifest['texts'];
}

/** Notification channel on which workers hear about new work. */
export const FLEET_CHANNEL = 'fwdsync_fleet';

/** Returns each account of this email that had a revision. There is one per API host. */
export async function revisionsOf(
  database: Database,
  email: string,
): Promise<Result<readonly AccountRevision[], StateFault>> {
  return attempt(async () => {
    const { query } = database;
    const found: AccountRevision[] = [];
    for (const rows of await knownAccountRows(database, email)) {
      const id = (await rows.find()) ?? '';
      const [any] = await query('SELECT 1 FROM fwdsync.revisions WHERE account = $1 LIMIT 1', [id]);
      if (any === undefined) continue;
      const wanted = await wantedRevision(query, id);
      found.push({
        id,
        email: accountName(email, '').email,
        revision: wanted === null ? null : Number(wanted),
      });
    }
    return found;
  });
}

/** Reads the manifest in force. null means that there is none. */
export async function readPublished(
  { query, cipher }: Database,
  { id }: Pick<AccountRevision, 'id'>,
): Promise<Result<Revision | null | 'damaged', StateFault>> {
  return attempt(() => readWanted(query, cipher, id));
}

/** Reads an earlier manifest. null means that there is none with this number. */
export async function readEarlier(
  { query, cipher }: Database,
  { id }: Pick<AccountRevision, 'id'>,
  number: number,
): Promise<Result<Revision | null | 'damaged', StateFault>> {
  return attempt(() => readRevision(query, cipher, id, String(number)));
}

/** Returns all accounts with a revision in force, without their texts. */
export async function listPublished(
  database: Database,
): Promise<Result<readonly { readonly account: string; readonly revision: number }[], StateFault>> {
  return attempt(async () => {
    const rows = await database.query<{ readonly email: string; readonly wanted: string }>(
      'SELECT email, wanted FROM fwdsync.accounts WHERE wanted IS NOT NULL ORDER BY email, id',
    );
    return rows.map(({ email, wanted }) => ({ account: email, revision: Number(wanted) }));
  });
}

/**
 * Stores all manifests or none. A text that is already in force creates no revision. A domain in two accounts is refused.
 * `now` is in epoch milliseconds.
 */
export async function publishManifests(
  database: Database,
  publications: readonly Publication[],
  now: number,
): Promise<Result<readonly Published[], PublishFault>> {
  return attempt(() =>
    database.transaction(async (query) => {
      await lockPublishing(query);
      const published: Published[] = [];
      const inOrder = await withIds(query, database.cipher, publications);
      for (const [id, { account, manifest, domains }] of inOrder) {
        const stored = await addRevision(query, database.cipher, { id, manifest, domains, now });
        published.push({ account: accountName(account, '').email, ...stored });
      }
      await refuseTwice(
        query,
        inOrder.map(([id]) => id),
      );
      return published;
    }),
  );
}

/** Stores the text of an earlier revision as a new one. null means that there is no revision with this number. */
export async function rollBack(
  database: Database,
  { id, email }: Pick<AccountRevision, 'id' | 'email'>,
  {
    number,
    now,
    who,
    domainsOf,
  }: {
    readonly number: number;
    readonly now: number;
    readonly domainsOf: (texts: PublishedManifest['texts']) => Promise<Publication['domains']>;
    readonly who: Omit<PublishedManifest, 'texts' | 'commit'>;
  },
): Promise<Result<Published | null | 'damaged', PublishFault>> {
  return attempt(() =>
    database.transaction(async (query) => {
      await lockPublishing(query);
      const earlier = await readRevision(query, database.cipher, id, String(number));
      if (earlier === null || earlier === 'damaged') return earlier;
      const manifest = { ...who, texts: earlier.texts, commit: earlier.commit };
      const domains = await domainsOf(earlier.texts);
      const stored = await addRevision(query, database.cipher, { id, manifest, domains, now });
      await refuseTwice(query, [id]);
      return { account: email, ...stored };
    }),
  );
}

/** Number of the advisory lock for publishing. Any number works that no other program uses. */
const PUBLISH_LOCK = 4_660_921_838;

class TwiceError extends Error {
  readonly twice: readonly DomainTwice[];
  constructor(twice: readonly DomainTwice[]) {
    super('domains are already published for another account');
    this.twice = twice;
  }
}

/** Lets only one process publish at a time, so that the second of two that publish one domain sees the first. */
function lockPublishing(query: Query): Promise<unknown> {
  return query('SELECT pg_advisory_xact_lock($1)', [PUBLISH_LOCK]);
}

/**
 * Rejects if one of these accounts has a domain of another account. A domain that the transaction moves belongs to its new
 * account.
 */
async function refuseTwice(query: Query, ids: readonly string[]): Promise<void> {
  const twice = await query<DomainTwice>(
    `SELECT mine.email AS account, other.email AS other, domain
     FROM (SELECT id, email, host, unnest(domains) AS domain FROM fwdsync.accounts WHERE id = ANY($1)) AS mine
       JOIN (SELECT id, email, host, unnest(domains) AS domain FROM fwdsync.accounts) AS other USING (host, domain)
     WHERE mine.id <> other.id ORDER BY domain, account`,
    [ids],
  );
  if (twice.length > 0) throw new TwiceError(twice);
}

/** Removes the manifest in force. The account's revisions stay, and the next one gets a higher number. */
export async function removePublished(
  database: Database,
  { id }: Pick<AccountRevision, 'id'>,
): Promise<Result<void, StateFault>> {
  return attempt(async () => {
    await database.query('UPDATE fwdsync.accounts SET wanted = NULL, domains = NULL WHERE id = $1', [id]);
  });
}

/**
 * Returns the publications sorted by account number. Locking in this order prevents a deadlock of two that publish at once.
 */
async function withIds(
  query: Query,
  cipher: Cipher,
  publications: readonly Publication[],
): Promise<readonly (readonly [id: string, publication: Publication])[]> {
  const found: (readonly [string, Publication])[] = [];
  for (const publication of publications) {
    const { email, host } = accountName(publication.account, publication.apiUrl);
    const key = [email, cipher.lookUp(host)];
    const select = 'SELECT id FROM fwdsync.accounts WHERE email = $1 AND host = $2';
    let [row] = await query<{ readonly id: string }>(select, key);
    if (row === undefined) {
      await query('INSERT INTO fwdsync.accounts (email, host) VALUES ($1, $2) ON CONFLICT DO NOTHING', key);
      [row] = await query<{ readonly id: string }>(select, key);
    }
    found.push([row?.id ?? '', publication]);
  }
  return found.toSorted(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1));
}

interface NewRevision extends Pick<Publication, 'manifest' | 'domains'> {
  readonly id: string;
  readonly now: number;
}

async function addRevision(
  query: Query,
  cipher: Cipher,
  { id, manifest, domains, now }: NewRevision,
): Promise<Omit<Published, 'account'>> {
  await query('SELECT 1 FROM fwdsync.accounts WHERE id = $1 FOR NO KEY UPDATE', [id]);
  const found = await readWanted(query, cipher, id);
  // A new revision repairs an account whose revision is damaged.
  const before = found === 'damaged' ? null : found;
  // Set even for an unchanged text, because an earlier version did not store the domains.
  await query('UPDATE fwdsync.accounts SET domains = $2 WHERE id = $1 AND domains IS DISTINCT FROM $2', [
    id,
    domains,
  ]);
  if (before !== null && textsOf(before) === textsOf(manifest))
    return { number: before.number, changed: false, before, texts: manifest.texts };
  const [last] = await query<{ readonly number: string | null }>(
    'SELECT max(revision) AS number FROM fwdsync.revisions WHERE account = $1',
    [id],
  );
  const revision = String(BigInt(last?.number ?? '0') + 1n);
  await query(
    'INSERT INTO fwdsync.revisions (account, revision, published_at, manifest) VALUES ($1, $2, $3, $4)',
    [id, revision, new Date(now), cipher.seal(placeOfRevision(id, revision), JSON.stringify(manifest))],
  );
  await query('UPDATE fwdsync.accounts SET wanted = $2 WHERE id = $1', [id, revision]);
  // Workers get the notification when the transaction ends.
  await query(`SELECT pg_notify('${FLEET_CHANNEL}', '')`);
  return { number: Number(revision), changed: true, before, texts: manifest.texts };
}

/** Returns the texts that identify a manifest. Its file names do not matter. */
function textsOf({ texts }: Pick<PublishedManifest, 'texts'>): string {
  return JSON.stringify(texts.map(({ text }) => text));
}

async function attempt<T>(work: () => Promise<T>): Promise<Result<T, PublishFault>> {
  try {
    return succeed(await work());
  } catch (error) {
    if (error instanceof TwiceError) return fail({ message: error.message, twice: error.twice });
    return fail({ message: `the store cannot be used: ${describeFailure(error)}` });
  }
}
