import type { Database } from '../../../engine/state/postgres/database.ts';
import {
  readEarlier,
  removePublished,
  revisionsOf,
  rollBack,
  type AccountRevision,
  type Published,
} from '../../../engine/state/postgres/published/revisions.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { Context } from '../../context.ts';
import { commandFailure, usageError } from '../../exit.ts';
import { readDesired } from '../../input/manifest/desired.ts';
import type { ManifestSettings } from '../../settings/resolve-settings.ts';
import { whoRuns } from '../../origin.ts';
import { presentIn, refusePublishing } from './read-publications.ts';
import { refuseReserved } from './refuse-reserved.ts';
import type { PublishDocument } from './publish-document.ts';

/** Stores the text of an earlier revision as a new one; an unknown account or revision ends the command with 64. */
export async function rollBackAccount(
  context: Context,
  manifest: ManifestSettings,
  store: Database,
  { account, number }: { readonly account: string; readonly number: number },
): Promise<Published> {
  const found = await oneOf(store, account);
  const earlier = await readEarlier(store, found, number);
  if (earlier.ok && earlier.value !== null && earlier.value !== 'damaged')
    await refuseReserved(context, store, earlier.value.texts);
  const who = whoRuns(context);
  let desired: Desired | null = null;
  const done = await rollBack(store, found, {
    number,
    now: context.clock.now(),
    who,
    async domainsOf(texts) {
      const how = { references: 'unneeded', from: { kind: 'texts', texts } } as const;
      ({ desired } = await readDesired(context, manifest, how));
      return desired === null ? null : presentIn(desired);
    },
  });
  if (!done.ok) refusePublishing(context, done.error, () => desired);
  if (done.value === 'damaged')
    throw commandFailure(
      `revision ${number} of ${account} is damaged in the store`,
      'give an earlier one, or publish the manifest again',
    );
  if (done.value !== null) return done.value;
  const published = found.revision === null ? 'nothing' : `revision ${found.revision}`;
  throw usageError(
    `${account} has no revision ${number}; ${published} is published now`,
    'give an earlier one that publish has printed',
  );
}

/** Removes the published manifest of an account. */
export async function removeAccount(
  store: Database,
  account: string,
): Promise<PublishDocument['accounts'][number]> {
  const found = await oneOf(store, account);
  const removed = await removePublished(store, found);
  if (!removed.ok) throw commandFailure(removed.error.message, 'check the database');
  return { account: found.email, revision: null, changed: found.revision !== null, domains: null };
}

async function oneOf(store: Database, account: string): Promise<AccountRevision> {
  const found = await revisionsOf(store, account);
  if (!found.ok) throw commandFailure(found.error.message, 'check the database');
  const [one, ...more] = found.value;
  if (one === undefined) throw usageError(`no manifest of ${account} was published`, 'check the spelling');
  if (more.length === 0) return one;
  throw usageError(`manifests of ${account} were published for several APIs`, 'publish the right one');
}
