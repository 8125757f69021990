import * as fs from 'node:fs/promises';
import type { AccountHistory, HistoryQuery } from '../../../engine/state/store.ts';
import { openHistories } from '../../../engine/state/history/histories.ts';
import type { Context } from '../../context.ts';
import { ownApi } from '../../input/manifest/desired.ts';
import { styleFor } from '../../output/style.ts';
import { agreedAccount, namesStore, resolveStateDirectory, type CommonOptions } from '../../settings.ts';

/** The recorded histories, opened without a request. */
export interface OpenedHistory {
  readonly stores: readonly AccountHistory[];
  /** Prints what cannot be read, once. */
  readonly onFault: NonNullable<HistoryQuery<'run'>['onFault']>;
}

/** Opens the history of the account that flag, environment or manifest name, else of all. */
export async function openRecorded(context: Context, options: CommonOptions): Promise<OpenedHistory> {
  const { account: written } = await ownApi(context, options);
  const fromEnv = context.ofAccount === undefined ? context.env['FWDSYNC_ACCOUNT'] || undefined : undefined;
  const account = agreedAccount(options.account ?? fromEnv, written ?? undefined) ?? null;
  return openRecordedOf(context, options, account);
}

/** Opens the history of an account; null means of all that the state knows. */
export async function openRecordedOf(
  context: Context,
  options: CommonOptions,
  account: string | null,
): Promise<OpenedHistory> {
  const stores = namesStore(options, context)
    ? await openStored(context, options, account)
    : await openHistories({
        directory: resolveStateDirectory(options, context),
        fs,
        clock: context.clock,
        uid: process.getuid?.() ?? null,
        account,
      });
  const told = new Set<string>();
  const style = styleFor(context.stderr, options.color, context.env);
  return {
    stores,
    onFault({ message }) {
      if (told.has(message)) return;
      told.add(message);
      context.stderr.write(`${style.warning('warning')}: ${message} ${style.dim('[state-damaged]')}\n`);
    },
  };
}

async function openStored(
  context: Context,
  options: CommonOptions,
  account: string | null,
): Promise<readonly AccountHistory[]> {
  const { openStore } = await import('../../input/state/store.ts');
  const { openRowHistories } = await import('../../../engine/state/postgres/postgres-history.ts');
  return openRowHistories(await openStore(context, options), { email: account, clock: context.clock });
}
