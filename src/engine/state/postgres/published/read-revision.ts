import type { Actor, Commit } from '../../../../core/model/history/entries.ts';
import { parseJsonText } from '../../documents.ts';
import type { Cipher, SealedPlace } from '../cipher.ts';
import type { Query } from '../database.ts';

/** A published manifest: its texts, each with its file name, and the publisher. */
export interface PublishedManifest {
  readonly texts: readonly { readonly file: string; readonly text: string }[];
  readonly commit: Commit | null;
  readonly host: string;
  readonly user: string | null;
  readonly actor: Actor | null;
}

export interface Revision extends PublishedManifest {
  /** Number of the revision within its account, from 1. */
  readonly number: number;
}

/** Reads the revision in force of an account. */
export async function readWanted(query: Query, cipher: Cipher, id: string): ReturnType<typeof readRevision> {
  const wanted = await wantedRevision(query, id);
  return wanted === null ? null : readRevision(query, cipher, id, wanted);
}

/** Returns the number of the revision in force. null means that nothing is published, or that it was removed. */
export async function wantedRevision(query: Query, id: string): Promise<string | null> {
  const [account] = await query<{ readonly wanted: string | null }>(
    'SELECT wanted FROM fwdsync.accounts WHERE id = $1',
    [id],
  );
  return account?.wanted ?? null;
}

/**
 * Reads a revision. null means that there is none with this number; `damaged` means that it cannot be opened or is not a
 * manifest.
 */
export async function readRevision(
  query: Query,
  cipher: Cipher,
  id: string,
  revision: string,
): Promise<Revision | null | 'damaged'> {
  const [row] = await query<{ readonly manifest: Buffer }>(
    'SELECT manifest FROM fwdsync.revisions WHERE account = $1 AND revision = $2',
    [id, revision],
  );
  if (row === undefined) return null;
  const text = cipher.open(placeOfRevision(id, revision), row.manifest);
  const manifest = text === null ? null : parseJsonText(text);
  return isManifest(manifest) ? { ...manifest, number: Number(revision) } : 'damaged';
}

function isManifest(value: unknown): value is PublishedManifest {
  const { texts } = (value ?? {}) as { readonly texts?: unknown };
  return Array.isArray(texts) && texts.every(isText);
}

function isText(value: unknown): boolean {
  const { file, text } = (value ?? {}) as { readonly file?: unknown; readonly text?: unknown };
  return typeof file === 'string' && typeof text === 'string';
}

/** Returns the place that a revision is sealed for. */
export function placeOfRevision(account: string, revision: string): SealedPlace {
  return { table: 'revisions', account, row: 'manifest', revision };
}
