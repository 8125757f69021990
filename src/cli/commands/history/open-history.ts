import * as fs from 'node:fs/promises';
import type { AccountHistory, HistoryQuery } from '../../../engine/state/store.ts';
import { openHistories } from '../../../engine/state/history/histories.ts';
import type { Context } from '../../context.ts';
import { ownApi } from '../../input/manifest/desired.ts';
import { printWarning } from '../../output/output.ts';
import { agreedAccount } from '../../settings/address.ts';
import type { Settings, StateSettings } from '../../settings/resolve-settings.ts';

/** The recorded histories, opened without a request. */
export interface OpenedHistory {
  readonly stores: readonly AccountHistory[];
  /** Prints what cannot be read, once. */
  readonly onFault: NonNullable<HistoryQuery<'run'>['onFault']>;
}

/** Opens the history of the account that flag, environment or manifest name, else of all. */
export async function openRecorded(
  context: Context,
  { manifest, api, state }: Settings,
): Promise<OpenedHistory> {
  const { account: written } = await ownApi(context, manifest);
  const account = agreedAccount(api.account?.value, written) ?? null;
  const stores = await openHistoriesOf(context, state, account);
  const told = new Set<string>();
  return {
    stores,
    onFault({ message }) {
      if (told.has(message)) return;
      told.add(message);
      printWarning(context, message, 'state-damaged');
    },
  };
}

/** Opens the history of an account; null means of all accounts. */
export async function openHistoriesOf(
  context: Context,
  { directory, store }: StateSettings,
  account: string | null,
): Promise<readonly AccountHistory[]> {
  const { clock } = context;
  if (store === null)
    return openHistories({ directory, fs, clock, uid: process.getuid?.() ?? null, account });
  const { openStore } = await import('../../input/state/open-store.ts');
  const { openRowHistories } = await import('../../../engine/state/postgres/postgres-history.ts');
  return openRowHistories(await openStore(context, store), { email: account, clock });
}
