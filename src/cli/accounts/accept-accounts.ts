import type { CommandAction } from '../command.ts';
import type { SavedUse } from './saved-accounts.ts';

/** Use of a command's arguments: it shows or applies a saved plan, or verifies these domains. */
type ArgumentUse = SavedUse | 'verify';

/**
 * Makes a command that serves many accounts too. What that takes is loaded only where `--accounts`, or a file of saved plans,
 * asks for it.
 */
export function acceptAccounts<Options>(
  load: () => Promise<CommandAction<Options>>,
  use: ArgumentUse | null = null,
): () => Promise<CommandAction<Options>> {
  return async () => {
    const command = await load();
    return async (context, call) => {
      const { settings, args } = call;
      const { manifest } = settings;
      const [path] = args;
      const saved = path === undefined || use === null || use === 'verify' ? null : { path, use };
      if (saved === null && manifest.accounts === null) return command(context, call);
      const { runAccounts } = await import('./run-accounts.ts');
      // Each account is asked for those of the domains that its manifest names, as with `--domain`.
      const domains = use === 'verify' && args.length > 0 ? args : manifest.domains;
      const own = { ...settings, manifest: { ...manifest, domains } };
      return runAccounts(context, own, {
        saved,
        command: (member, one) => command(member, { ...call, settings: one }),
      });
    };
  };
}
