import type { AccountsFormat } from './formats.ts';
import type { Action } from './options.ts';
import type { CommonOptions } from './settings.ts';

/** A command that serves many accounts too; what that takes is loaded only where it is asked for. */
export async function forAccounts<Options extends CommonOptions & { readonly out?: string }>(
  load: () => Promise<Action<Options>>,
  formats: readonly AccountsFormat[],
): Promise<Action<Options>> {
  const command = await load();
  return async (context, options, args) => {
    const isAsked = options.accounts !== undefined || Boolean(context.env['FWDSYNC_ACCOUNTS']);
    if (!isAsked) return command(context, options, args);
    return (await import('./over-accounts.ts')).overAccounts(command, { formats })(context, options, args);
  };
}
