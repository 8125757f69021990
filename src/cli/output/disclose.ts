import { destinationsOf, type Disclosure } from '../../model/destinations.ts';
import type { Context } from '../context.ts';
import { readDesired } from '../input/desired.ts';
import { CommandError } from '../exit.ts';
import { maskOf } from './output.ts';
import type { CommonOptions } from '../settings.ts';
import { openState } from '../input/state.ts';

/**
 * For commands that show what the account holds and need no manifest: where there is one, the values behind its
 * references are shown as the references.
 */
export async function discloseManifest(context: Context, options: CommonOptions): Promise<Disclosure> {
  const mask = maskOf(options, context);
  try {
    const { desired } = await readDesired(context, options, {
      references: 'optional',
      problems: 'silent',
      unnamed: 'ignored',
    });
    return { references: desired?.references ?? new Map(), mask };
  } catch (error) {
    // None, or one that cannot be read: the command is not about it.
    if (error instanceof CommandError && options.file === undefined) return { references: new Map(), mask };
    throw error;
  }
}

export interface LiveForwards {
  /** Of the API. */
  readonly url: string;
  /** Email of the account. */
  readonly account: string;
  readonly forwards: readonly { readonly forward: string }[];
}

/** The same, and what of an account came from a reference in an earlier run. */
export async function discloseEarlier(
  context: Context,
  options: CommonOptions,
  { url, account, forwards }: LiveForwards,
): Promise<Disclosure> {
  const disclosure = await discloseManifest(context, options);
  const state = openState(context, options, { url }, account, 'route');
  const values = forwards.flatMap(({ forward }) => destinationsOf(forward));
  const earlier = await state.recogniseReferences(values);
  return { ...disclosure, references: new Map([...(earlier ?? []), ...disclosure.references]) };
}
