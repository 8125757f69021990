import type { Disclosure } from '../model/disclosure.ts';
import type { Context } from './context.ts';
import { readDesired } from './desired.ts';
import { CommandError } from './exit.ts';
import { maskOf } from './output.ts';
import type { CommonOptions } from './settings.ts';

/**
 * For commands that show what the account holds and need no manifest: where there is one all the same, the values behind its
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
