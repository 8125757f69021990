import {
  publishManifests,
  listPublished,
  type Published,
} from '../../../engine/state/postgres/published/revisions.ts';
import type { Database } from '../../../engine/state/postgres/database.ts';
import type { Commit } from '../../../core/model/history/entries.ts';
import type { Context } from '../../context.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import { EXIT, commandFailure, usageError } from '../../exit.ts';
import { openStore } from '../../input/state/open-store.ts';
import { readCommit } from '../../origin.ts';
import { assertOneDefault, type ManifestSettings, type Settings } from '../../settings/resolve-settings.ts';
import { readPublications, refusePublishing } from './read-publications.ts';
import { compareDomains, publishText, type PublishDocument } from './publish-document.ts';
import { refuseReserved } from './refuse-reserved.ts';
import { removeAccount, rollBackAccount } from './revise.ts';

export interface PublishOptions {
  readonly rollback?: number;
  readonly remove?: string;
}

/**
 * Stores manifests as new revisions of their accounts: all of them, or none if one is invalid (5). `--rollback`
 * stores an earlier revision again. `--remove` removes the published manifest. Sends no request, and resolves no
 * reference into the store.
 */
export async function publishCommand(
  context: Context,
  { settings, options }: CommandCall<PublishOptions>,
): Promise<CommandResult> {
  const { store } = settings.state;
  if (store === null) throw usageError('publish needs a store', 'give --store, or set FWDSYNC_STORE');
  assertOneThing(context.given, options);
  const open = (): Promise<Database> => openStore(context, store);
  const document = await publish(context, settings, { options, open });
  context.ending?.noteWrite();
  return { exit: EXIT.done, ...chooseOutput(context, document, () => publishText(document)) };
}

function assertOneThing(
  { account, file, accounts }: Context['given'],
  { rollback, remove }: PublishOptions,
): void {
  if (rollback === undefined && remove === undefined) return;
  const flag = rollback === undefined ? '--remove' : '--rollback';
  if (file !== undefined || accounts !== undefined || (rollback !== undefined && remove !== undefined))
    throw usageError(
      `${flag} changes stored manifests, and cannot be used together with other manifests`,
      'give it alone',
    );
  if (rollback !== undefined && account === undefined)
    throw usageError('--rollback needs an account', 'add --account EMAIL');
}

async function publish(
  context: Context,
  settings: Settings,
  { options, open }: { readonly options: PublishOptions; readonly open: () => Promise<Database> },
): Promise<PublishDocument> {
  const { remove, rollback } = options;
  const { manifest } = settings;
  if (remove !== undefined) {
    const store = await open();
    return documentOf(store, { accounts: [await removeAccount(store, remove)], commit: null });
  }
  if (rollback !== undefined) {
    const store = await open();
    const at = { account: context.given.account ?? '', number: rollback };
    const rolledBack = await rollBackAccount(context, manifest, store, at);
    return documentOf(store, { accounts: [await shown(context, manifest, rolledBack)], commit: null });
  }
  if (manifest.accounts === null) assertOneDefault(manifest);
  const paths = manifest.accounts === null ? manifest.paths : [manifest.accounts];
  const commit = await readCommit(context, paths);
  const publications = await readPublications(context, settings, commit);
  const store = await open();
  await refuseReserved(
    context,
    store,
    publications.flatMap((publication) => publication.manifest.texts),
  );
  const published = await publishManifests(store, publications, context.clock.now());
  if (!published.ok)
    refusePublishing(
      context,
      published.error,
      (email) => publications.find(({ account }) => account.toLowerCase() === email)?.desired ?? null,
    );
  const accounts: PublishDocument['accounts'][number][] = [];
  for (const one of published.value) accounts.push(await shown(context, manifest, one));
  return documentOf(store, { accounts, commit });
}

async function shown(
  context: Context,
  manifest: ManifestSettings,
  { account, number, changed, before, texts }: Published,
): Promise<PublishDocument['accounts'][number]> {
  const compared = { before: before?.texts ?? null, texts };
  const domains = changed ? await compareDomains(context, manifest, compared) : null;
  return { account, revision: number, changed, domains };
}

async function documentOf(
  store: Database,
  { accounts, commit }: { readonly accounts: PublishDocument['accounts']; readonly commit: Commit | null },
): Promise<PublishDocument> {
  const listed = await listPublished(store);
  if (!listed.ok) throw commandFailure(listed.error.message, 'check the database');
  const named = new Set(accounts.map(({ account }) => account));
  const sorted = accounts.toSorted((a, b) => (a.account < b.account ? -1 : 1));
  return {
    kind: 'fwdsync/publish@1',
    accounts: sorted,
    others: listed.value.filter(({ account }) => !named.has(account)),
    commit,
  };
}
