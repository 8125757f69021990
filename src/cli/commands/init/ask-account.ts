import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { canAsk, openQuestioner } from '../../input/questioner.ts';
import { lookUpKey } from '../../input/references/references.ts';
import type { Settings } from '../../settings/resolve-settings.ts';

interface AskedAccount {
  /** Empty if the key decides. */
  readonly account: string;
  readonly key: string;
}

/**
 * Asks a user at a terminal for the account and its key, unless a variable has the key. Returns null if nothing was
 * asked.
 */
export async function askForAccount(context: Context, { api }: Settings): Promise<AskedAccount | null> {
  if (!canAsk(context) || (await lookUpKey({}, context)) !== null) return null;
  const questioner = openQuestioner(context);
  try {
    const account =
      api.account?.value ?? (await questioner.ask('Email of the account (empty: the one of the key): '));
    const key = await questioner.askSecret('API key (it is not shown): ');
    if (key) return { account: account ?? '', key };
  } finally {
    questioner.close();
  }
  throw usageError('no API key was typed; nothing was written', 'type it, or set FWDSYNC_API_KEY');
}
