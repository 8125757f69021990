import { publishManifests, listPublished, type Published } from '../../../engine/state/postgres/revisions.ts';
import type { Database } from '../../../engine/state/postgres/database.ts';
import type { Commit } from '../../../core/model/history/entries.ts';
import type { Context } from '../../context.ts';
import { EXIT, commandFailure, usageError, type ExitCode } from '../../exit.ts';
import { openStore } from '../../input/state/store.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { printJson } from '../../output/output.ts';
import { readCommit } from '../../origin.ts';
import {
  accountsDirectory,
  manifestPaths,
  namesStore,
  resolveFormat,
  type CommonOptions,
} from '../../settings.ts';
import { readPublications, refusePublishing } from './read-publications.ts';
import { compareDomains, publishText, type PublishDocument } from './publish-document.ts';
import { refuseReserved } from './refuse-reserved.ts';
import { removeAccount, rollBackAccount } from './revise.ts';

export interface PublishOptions extends CommonOptions {
  readonly rollback?: number;
  readonly remove?: string;
}

/**
 * Stores manifests as new revisions of their accounts: all, or none where one is invalid (5). `--rollback` stores an earlier
 * revision anew, `--remove` ends what is published. No request is sent, and no reference is resolved into the store.
 */
export async function publishCommand(context: Context, options: PublishOptions): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  if (!namesStore(options, context))
    throw usageError('publish needs a store', 'give --store, or set FWDSYNC_STORE');
  assertOneThing(options);
  const document = await publish(context, options);
  context.ending?.noteWrite();
  if (format === 'json') printJson(context, document);
  else context.stdout.write(publishText(document));
  return EXIT.done;
}

function assertOneThing({ rollback, remove, account, file, accounts }: PublishOptions): void {
  if (rollback === undefined && remove === undefined) return;
  const flag = rollback === undefined ? '--remove' : '--rollback';
  if (file !== undefined || accounts !== undefined || (rollback !== undefined && remove !== undefined))
    throw usageError(
      `${flag} is about what is stored, and cannot be used together with other manifests`,
      'give it alone',
    );
  if (rollback !== undefined && account === undefined)
    throw usageError('--rollback needs an account', 'add --account EMAIL');
}

async function publish(context: Context, options: PublishOptions): Promise<PublishDocument> {
  if (options.remove !== undefined) {
    const store = await openStore(context, options);
    return documentOf(store, { accounts: [await removeAccount(store, options.remove)], commit: null });
  }
  if (options.rollback !== undefined) {
    const store = await openStore(context, options);
    const at = { account: options.account ?? '', number: options.rollback };
    const rolledBack = await rollBackAccount(context, options, store, at);
    return documentOf(store, { accounts: [await shown(context, options, rolledBack)], commit: null });
  }
  const directory = accountsDirectory(options, context);
  const paths = directory === null ? manifestPaths(options, context) : [directory];
  const commit = await readCommit(context, paths);
  const publications = await readPublications(context, options, { directory, commit });
  const store = await openStore(context, options);
  await refuseReserved(
    context,
    options,
    store,
    publications.flatMap(({ manifest }) => manifest.texts),
  );
  const published = await publishManifests(store, publications, context.clock.now());
  if (!published.ok)
    refusePublishing(
      context,
      options,
      published.error,
      (email) => publications.find(({ account }) => account.toLowerCase() === email)?.desired ?? null,
    );
  const accounts: PublishDocument['accounts'][number][] = [];
  for (const one of published.value) accounts.push(await shown(context, options, one));
  return documentOf(store, { accounts, commit });
}

async function shown(
  context: Context,
  options: PublishOptions,
  { account, number, changed, before, texts }: Published,
): Promise<PublishDocument['accounts'][number]> {
  const domains = changed
    ? await compareDomains(context, options, { before: before?.texts ?? null, texts })
    : null;
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
