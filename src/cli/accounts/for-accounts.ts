import type { AccountsFormat } from '../output/formats.ts';
import type { CommandAction } from '../input/options.ts';
import type { SavedUse } from './saved-accounts.ts';
import type { CommonOptions } from '../settings.ts';

/** A command that serves many accounts too, and perhaps takes a file of saved plans as its argument; what that takes is loaded only where it is asked for. */
export async function forAccounts<Options extends CommonOptions & { readonly out?: string }>(
  load: () => Promise<CommandAction<Options>>,
  formats: readonly AccountsFormat[],
  saved: SavedUse | 'none' = 'none',
): Promise<CommandAction<Options>> {
  const command = await load();
  return async (context, options, args) => {
    if (saved !== 'none' && args[0] !== undefined) {
      const { overSaved } = await import('./over-saved.ts');
      return overSaved(command, { formats, use: saved })(context, options, args);
    }
    const isAsked = options.accounts !== undefined || Boolean(context.env['FWDSYNC_ACCOUNTS']);
    if (!isAsked) return command(context, options, args);
    return (await import('./over-accounts.ts')).overAccounts(command, { formats })(context, options, args);
  };
}
