import { basename, dirname, join } from 'node:path';
import { findReferences } from '../../../core/manifest/load.ts';
import type { Reference } from '../../../core/model/destinations.ts';
import type { Database } from '../../../engine/state/postgres/database.ts';
import { publishedKeys, type KeysOf } from '../../../engine/state/postgres/published/published-keys.ts';
import type { ProcessContext } from '../../context.ts';
import { realPath, reserveKey } from './reserved.ts';

/** Reserves those of these references that are a key of a published account. */
export async function reservePublishedKeys(
  context: Pick<ProcessContext, 'secrets' | 'cwd'>,
  database: Database,
  references: readonly Reference[],
): Promise<void> {
  const named = await Promise.all(
    references.map(async (reference) => [reference, await namesOf(reference)] as const),
  );
  const keysOf: KeysOf = (texts) => findReferences(texts, context).keys.map(nameOf);
  const keys = await publishedKeys(
    database,
    named.flatMap(([, names]) => names),
    keysOf,
  );
  for (const [reference, names] of named)
    if (names.some((name) => keys.has(name))) await reserveKey(context, reference);
}

function nameOf(reference: Reference): string {
  return reference.kind === 'env' ? `env ${reference.name}` : `file ${reference.path}`;
}

/** Returns all names of a reference. A file has several names if it or a directory is a link. */
async function namesOf(reference: Reference): Promise<readonly string[]> {
  if (reference.kind === 'env') return [nameOf(reference)];
  const { path } = reference;
  const inRealDirectory = join(await realPath(dirname(path)), basename(path));
  return [...new Set([path, inRealDirectory, await realPath(path)])].map((name) => `file ${name}`);
}
