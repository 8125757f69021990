import type { AccountsOptions } from './accounts.ts';
import type { AccountsFormat } from '../output/formats.ts';
import type { CommandAction } from '../input/options.ts';
import type { SavedUse } from './saved-accounts.ts';
import { accountsDirectory } from '../settings.ts';

/**
 * A command that serves many accounts too, and perhaps takes a file of saved plans as its argument; what that takes is
 * loaded only where it is asked for.
 */
export function forAccounts<Options extends AccountsOptions>(
  load: () => Promise<CommandAction<Options>>,
  formats: readonly AccountsFormat[],
  use: SavedUse | null = null,
): () => Promise<CommandAction<Options>> {
  return async () => {
    const command = await load();
    return async (context, options, args) => {
      const saved = use === null || args[0] === undefined ? null : { path: args[0], use };
      if (saved === null && accountsDirectory(options, context) === null)
        return command(context, options, args);
      const { overAccounts } = await import('./over-accounts.ts');
      return overAccounts(context, options, {
        formats,
        saved,
        command: (own, alone) => command(own, alone, args),
      });
    };
  };
}
