import type { LoadOptions } from '../../manifest/load.ts';
import type { Context } from '../context.ts';
import { usageError } from '../exit.ts';
import { explicitVersion, namedUrl, type CommonOptions } from '../settings.ts';

/** How manifests are loaded here; with `--accounts` each states its key and its account. */
export function loadOptions(
  context: Context,
  options: CommonOptions,
  { references, accounts }: Pick<LoadOptions, 'references'> & { readonly accounts: 'one' | 'many' },
): Omit<LoadOptions, 'resolve'> {
  const named = namedUrl(options, context);
  return {
    references,
    apiVersion: explicitVersion(options, context),
    cwd: context.cwd,
    maxEntries: options.maxEntries ?? maxEntriesOf(context),
    ...(named === null ? {} : { namedUrl: named }),
    ...(accounts === 'many' ? { required: ['key', 'account'] } : {}),
  };
}

function maxEntriesOf({ env }: Context): number | undefined {
  const text = env['FWDSYNC_MAX_ENTRIES'];
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(
    `FWDSYNC_MAX_ENTRIES is not an integer: ${JSON.stringify(text)}`,
    'set a number, such as 2000000',
  );
}
