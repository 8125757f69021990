import { findReferences } from '../../../core/manifest/load.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import { describeFailure, type Database } from '../../../engine/state/postgres/database.ts';
import type { Context } from '../../context.ts';
import { commandFailure } from '../../exit.ts';
import { reservedReference, reserveKey } from '../../input/references/reserved.ts';
import { reservePublishedKeys } from '../../input/references/stored-keys.ts';
import { invalidManifest, NO_COUNTS } from '../../output/problems/problems.ts';

/**
 * Ends the command (5) if a destination or a password refers to what fwdsync itself uses, or to the API key of any account:
 * of those that are published now, and of those in the store. A worker would refuse the manifest.
 */
export async function refuseReserved(
  context: Context,
  store: Database,
  texts: readonly ManifestText[],
): Promise<void> {
  const { keys, others: references } = findReferences(texts, context);
  for (const key of keys) await reserveKey(context, key);
  try {
    await reservePublishedKeys(context, store, references);
  } catch (error) {
    throw commandFailure(`the store cannot be read: ${describeFailure(error)}`, 'check the database');
  }
  const problems: Problem[] = [];
  for (const reference of references) {
    const reserved = await reservedReference(context, reference);
    if (reserved === null) continue;
    const message = `${reference.shown} cannot be used: ${reserved.refused}`;
    const { source } = reference;
    problems.push({ severity: 'error', code: 'reference-refused', message, hint: reserved.hint, source });
  }
  if (problems.length > 0) throw invalidManifest(context, { problems, counts: NO_COUNTS });
}
