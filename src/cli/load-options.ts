import type { LoadOptions } from '../manifest/load.ts';
import type { Context } from './context.ts';
import { explicitVersion, namedUrl, type CommonOptions } from './settings.ts';

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
    ...(named === null ? {} : { namedUrl: named }),
    ...(accounts === 'many' ? { required: ['key', 'account'] } : {}),
  };
}
